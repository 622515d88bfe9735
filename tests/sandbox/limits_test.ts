/** Each limit at its edge: one under it passes, one over it is refused with the limit and its value in the message. */
import assert from "node:assert/strict";
import type { SandboxLimits } from "../../contracts/sandbox.ts";
import { createProcessHost } from "../../sandbox/process_host.ts";
import { evaluate, evaluateValue, holdCalls, takeLease, type TestRun } from "./evaluation.ts";
import { shareHost } from "./shared_host.ts";

const shared = shareHost(() => createProcessHost());

/** Runs a script under limits; gives `kind: message` of its failure, or "ok". */
async function outcome(
  limits: Partial<SandboxLimits>,
  source: string,
  options?: TestRun,
): Promise<string> {
  await using lease = takeLease(shared(), { limits });
  const { failure } = await evaluate(lease, source, options);
  return failure === undefined ? "ok" : `${failure.kind}: ${failure.message}`;
}

Deno.test("sourceBytes: bytes of UTF-8, the last one passes", async () => {
  const source = "function run() { return '€' }";
  const bytes = new TextEncoder().encode(source).length;
  assert.equal(await outcome({ sourceBytes: bytes }, source), "ok");
  assert.equal(
    await outcome({ sourceBytes: bytes - 1 }, source),
    `limit: the script takes ${bytes} bytes; the limit is ${bytes - 1}`,
  );
});

for (const character of ["x", "é", "€", "🎉", "\\n", "\\u0000"]) {
  Deno.test(`argsBytes: bytes of JSON in UTF-8, the last one passes (${character})`, async () => {
    const value = `"${character}".repeat(100)`;
    const text = JSON.stringify(JSON.parse(`"${character}"`).repeat(100));
    const bytes = new TextEncoder().encode(text).length;
    const source = `function run() { return ${value} }`;
    assert.equal(await outcome({ argsBytes: bytes }, source), "ok");
    const over = await outcome({ argsBytes: bytes - 1 }, source);
    assert.match(over, new RegExp(`^limit: .*\\b${bytes - 1}\\b`));
    const answer = `function run() { answer(${value}); return 'answered' }`;
    await using lease = takeLease(shared(), { limits: { argsBytes: bytes } });
    assert.equal((await evaluate(lease, answer)).answerJson, text);
    const refused = await outcome({ argsBytes: bytes - 1 }, answer);
    assert.match(refused, new RegExp(`^limit: .*answer.*\\b${bytes - 1}\\b`));
  });

  Deno.test(`callArgumentBytes: bytes of JSON in UTF-8, the last one passes (${character})`, async () => {
    const text = JSON.stringify([JSON.parse(`"${character}"`).repeat(100)]);
    const bytes = new TextEncoder().encode(text).length;
    let calls = 0;
    const options = { functions: { echo: () => void calls++ } };
    for (const [run, wait] of [["function run()", ""], ["async function run()", "await "]]) {
      const source = `${run} { ${wait}echo("${character}".repeat(100)) }`;
      calls = 0;
      assert.equal(await outcome({ callArgumentBytes: bytes }, source, options), "ok");
      assert.equal(calls, 1);
      const over = await outcome({ callArgumentBytes: bytes - 1 }, source, options);
      assert.match(over, new RegExp(`^limit: .*arguments of echo.*\\b${bytes - 1}\\b`));
      assert.equal(calls, 1);
    }
  });
}

Deno.test("argsBytes: small arrays and objects are counted as JSON has them", async () => {
  const values = {
    "Array(500).fill([1])": Array(500).fill([1]),
    "Array(500).fill([])": Array(500).fill([]),
    "Array(500).fill({})": Array(500).fill({}),
    "Array(500).fill({ a: 1 })": Array(500).fill({ a: 1 }),
    "Array(500).fill({ a: [{ b: [] }], c: true })": Array(500).fill({ a: [{ b: [] }], c: true }),
    "Array(500).fill(null)": Array(500).fill(null),
    "Array(500).fill(123456)": Array(500).fill(123456),
    "Array(500).fill(false)": Array(500).fill(false),
    "[new Date(0), undefined, NaN]": ["1970-01-01T00:00:00.000Z", null, null],
    "new Array(300)": Array(300).fill(null),
    "Array(50).fill(new TypeError('x'))": Array(50).fill({ name: "TypeError", message: "x" }),
  };
  for (const [value, plain] of Object.entries(values)) {
    const bytes = JSON.stringify(plain).length;
    const source = `function run() { return ${value} }`;
    assert.equal(await outcome({ argsBytes: bytes }, source), "ok", value);
    assert.match(await outcome({ argsBytes: bytes - 1 }, source), /^limit: /, value);
  }
});

Deno.test("callResultBytes: bytes of JSON in UTF-8, the last one passes", async () => {
  for (const text of ["x".repeat(100), "€".repeat(100)]) {
    const bytes = new TextEncoder().encode(JSON.stringify(text)).length;
    const options = { functions: { echo: () => text } };
    for (const [run, wait] of [["function run()", ""], ["async function run()", "await "]]) {
      const source = `${run} { ${wait}echo() }`;
      assert.equal(await outcome({ callResultBytes: bytes }, source, options), "ok");
      const over = await outcome({ callResultBytes: bytes - 1 }, source, options);
      assert.match(over, new RegExp(`^(limit|threw): .*result of echo.*\\b${bytes - 1}\\b`));
      const caught = `${run} { try { ${wait}echo() } catch (e) { return e.message } return "no" }`;
      await using lease = takeLease(shared(), { limits: { callResultBytes: bytes - 1 } });
      assert.match(await evaluateValue(lease, caught, options) as string, /the result of echo/);
    }
  }
});

Deno.test("hostCalls: the last one passes, sleep counts, and so does what was caught", async () => {
  const calls = (n: number): string => `function run() { for (let i = 0; i < ${n}; i++) echo(i) }`;
  assert.equal(await outcome({ hostCalls: 3 }, calls(3)), "ok");
  assert.match(await outcome({ hostCalls: 3 }, calls(4)), /^limit: .*limit of 3 host calls/);
  assert.match(await outcome({ hostCalls: 0 }, calls(1)), /^limit: .*limit of 0 host calls/);
  assert.match(
    await outcome({ hostCalls: 1 }, "function run() { sleep(0); sleep(0) }"),
    /^limit: /,
  );
});

Deno.test("guestTimeMs: ends a loop, does not count waits, and names its value", async () => {
  assert.equal(
    await outcome({ guestTimeMs: 150 }, "function run() { for (;;) {} }"),
    "time: the script computed longer than the limit of 150 ms (waiting for host calls does not count)",
  );
  const waits = { functions: { echo: () => new Promise((resolve) => setTimeout(resolve, 300)) } };
  assert.equal(await outcome({ guestTimeMs: 150 }, "function run() { echo() }", waits), "ok");
  assert.equal(
    await outcome({ guestTimeMs: 150 }, "async function run() { await echo() }", waits),
    "ok",
  );
  assert.equal(await outcome({ guestTimeMs: 150 }, "function run() { sleep(300) }"), "ok");
});

Deno.test("guestTimeMs: a limit beyond every run is none", async () => {
  const source = "function run() { for (let i = 0; i < 3e6; i++); }";
  for (const guestTimeMs of [2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 1e12, Number.MAX_SAFE_INTEGER]) {
    // A process of its own: what is wrong here kills it.
    await using host = createProcessHost();
    await using lease = takeLease(host, { limits: { guestTimeMs } });
    const { failure } = await evaluate(lease, source);
    assert.equal(failure, undefined, `${guestTimeMs}: ${failure?.message}`);
  }
});

Deno.test("guestTimeMs: time before and after a call adds up", async () => {
  const source =
    "function run() { for (let i = 0; i < 1e4; i++) { for (let j = 0; j < 3e4; j++); echo(i) } }";
  assert.match(
    await outcome({ guestTimeMs: 300, hostCalls: 10_000 }, source),
    /^time: .*limit of 300 ms/,
  );
});

Deno.test("memoryBytes: what fits passes, what does not is named", async () => {
  const fill = (mebibytes: number): string =>
    `function run() { return new Uint8Array(${mebibytes} * 1024 * 1024).fill(7).length }`;
  for (const mebibytes of [32, 64]) {
    const limits = { memoryBytes: mebibytes * 1024 * 1024 };
    assert.equal(await outcome(limits, fill(mebibytes - 16)), "ok");
    assert.equal(
      await outcome(limits, fill(mebibytes)),
      `memory: the script needed more than the memory limit of ${mebibytes} MiB`,
    );
  }
});

Deno.test("stackBytes: a smaller one ends recursion earlier, and is named", async () => {
  const depth = async (stackBytes: number): Promise<number> => {
    await using lease = takeLease(shared(), { limits: { stackBytes } });
    return await evaluateValue(
      lease,
      "function run() { let n = 0; const f = () => { n++; f() }; try { f() } catch {} return n }",
    ) as number;
  };
  const [small, large] = [await depth(64 * 1024), await depth(128 * 1024)];
  assert.ok(small > 50 && large > 1.5 * small, `${small} and ${large} frames`);
  assert.equal(
    await outcome({ stackBytes: 64 * 1024 }, "function run() { run() }"),
    "stack: calls or data were nested too deeply for the stack limit of 64 KiB",
  );
});

Deno.test("limits of one script do not reach the next on another lease of the same process", async () => {
  await using narrow = takeLease(shared(), { limits: { argsBytes: 100, callArgumentBytes: 100 } });
  await using wide = takeLease(shared(), {
    limits: { argsBytes: 30_000_000, callArgumentBytes: 20_000_000, callResultBytes: 30_000_000 },
  });
  const large = "function run() { return echo('x'.repeat(15e6)).length }";
  assert.equal((await evaluate(narrow, large)).failure?.kind, "limit");
  assert.equal(await evaluateValue(wide, large), 15_000_000);
  assert.equal(
    (await evaluate(wide, "function run() { return 'x'.repeat(2e7) }")).valueJson?.length,
    2e7 + 2,
  );
  assert.equal((await evaluate(narrow, large)).failure?.kind, "limit");
});

Deno.test("larger limits on a second lease with the same functions cost nobody the process", async () => {
  await using host = createProcessHost();
  await using narrow = takeLease(host, { limits: { argsBytes: 1000, callArgumentBytes: 1000 } });
  const held = holdCalls();
  const neighbour = evaluate(narrow, "function run() { return echo(5) }", {
    onCall: held.onCall,
  });
  await held.arrived(1);
  await using wide = takeLease(host, { limits: { argsBytes: 40_000_000 } });
  const { failure, valueJson } = await evaluate(wide, "function run() { return 'x'.repeat(3e7) }");
  assert.equal(failure, undefined, failure?.message);
  assert.equal(valueJson?.length, 3e7 + 2);
  held.answerAll();
  assert.equal((await neighbour).valueJson, "5");
});

Deno.test("the default limits take what they say", async () => {
  await using lease = takeLease(shared());
  // 8 MiB of JSON, most of it not ASCII.
  const euros = Math.floor((8 * 1024 * 1024 - 2) / 3);
  const { failure, valueJson } = await evaluate(
    lease,
    `function run() { return "€".repeat(${euros}) }`,
  );
  assert.equal(failure, undefined, failure?.message);
  assert.equal(valueJson!.length, euros + 2);
  const over = await evaluate(lease, `function run() { return "€".repeat(${euros + 1}) }`);
  assert.equal(over.failure?.kind, "limit");
  const answer = await evaluate(lease, 'function run() { answer("€".repeat(5e6)) }');
  assert.equal(answer.failure?.kind, "limit");
});

Deno.test("an outcome tells the computing time and the calls", async () => {
  await using lease = takeLease(shared());
  const { guestMs, hostCalls, clockMs } = await evaluate(
    lease,
    "function run() { for (let i = 0; i < 2e6; i++); echo(1); echo(2) }",
  );
  assert.ok(guestMs > 0);
  assert.deepEqual([hostCalls, clockMs], [2, [1000, 1000, 1000]]);
});

for (
  const [style, run, wait] of [["plain", "function run()", ""], [
    "async",
    "async function run()",
    "await ",
  ]]
) {
  Deno.test(`memoryBytes: a result that the script has let go of takes none (${style} run)`, async () => {
    const source = `${run} {
      let length = 0;
      for (let i = 0; i < 60; i++) length += (${wait}echo(i)).length;
      if (length !== 60e6) throw new Error(String(length));
    }`;
    const text = { value: "x".repeat(1_000_000) };
    const onCall = () => Promise.resolve({ ok: true, text } as const);
    assert.equal(await outcome({ memoryBytes: 32 * 1024 * 1024 }, source, { onCall }), "ok");
  });
}
