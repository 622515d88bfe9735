/** What scripts log: as they wrote it, capped with head and tail, and nothing of it on a stream of ours. */
import assert from "node:assert/strict";
import { createProcessHost } from "../../sandbox/process_host.ts";
import { evaluate, takeLease } from "./evaluation.ts";
import { shareHost } from "./shared_host.ts";

const shared = shareHost(() => createProcessHost());

/** The log of a script. */
async function logged(body: string, logBytes?: number): Promise<string> {
  await using lease = takeLease(shared(), { limits: logBytes === undefined ? {} : { logBytes } });
  const { failure, logs } = await evaluate(lease, `function run() { ${body} }`);
  assert.equal(failure, undefined, failure?.message);
  return logs;
}

Deno.test("log and console write lines in order, levels that matter are named", async () => {
  assert.equal(
    await logged(`
      log("a", 1, null, undefined, true);
      console.log("b"); console.info("c"); console.debug("d"); console.warn("e"); console.error("f");
      log(); log(""); log("two\\nlines");`),
    "a 1 null undefined true\nb\nc\nd\nwarn: e\nerror: f\n\n\ntwo\nlines",
  );
});

Deno.test("values are shown as data, whatever they are", async () => {
  assert.equal(
    await logged(`
      log({ a: [1, "x", { b: null }], "c d": -0 });
      log([new Date(0), new Map([["k", 1]]), new Set([2]), /re/g, Symbol("s"), 9n, () => 1, new Error("boom")]);`),
    '{"a": [1, "x", {"b": null}], "c d": -0}\n' +
      '[1970-01-01T00:00:00.000Z, Map(["k", 1]), Set(2), /re/g, Symbol(s), 9n, [function ], Error: boom]',
  );
});

Deno.test("calls of console that only make sense elsewhere end no script", async () => {
  await logged(
    `console.time("t"); console.group("g"); console.count(); console.assert(true); console.table([1]);
    console.timeEnd("t"); console.groupEnd(); console.trace("x"); console.dir({ a: 1 }); console.clear();`,
  );
});

Deno.test("a log within its bytes is whole, one byte more cuts its middle", async () => {
  const body = 'for (let i = 0; i < 10; i++) log("line " + i)';
  // Ten lines of seven bytes, their ends included.
  const whole = Array.from({ length: 10 }, (_, i) => `line ${i}`).join("\n");
  assert.equal(await logged(body, 70), whole);
  const cut = await logged(body, 56);
  assert.match(
    cut,
    /^line 0\nline 1\nline 2\nline 3\n\[log truncated: 2 lines, 14 bytes left out\]\nline 6\n/,
  );
  assert.match(cut, /line 9$/);
});

Deno.test("a long line is cut in its middle, between characters", async () => {
  const cut = await logged('log("start " + "€🎉".repeat(5000) + " end")', 200);
  assert.ok(cut.startsWith("start €🎉"), cut.slice(0, 30));
  assert.ok(cut.endsWith("€🎉 end"), cut.slice(-30));
  assert.ok(cut.isWellFormed());
  assert.doesNotMatch(cut, /\ufffd/);
  assert.ok(new TextEncoder().encode(cut).length < 400, `${cut.length} characters`);
});

Deno.test("below zero there is no cap, zero keeps nothing", async () => {
  const body = 'for (let i = 0; i < 3000; i++) log("0123456789")';
  assert.equal((await logged(body, -1)).length, 3000 * 11 - 1);
  assert.match(await logged(body, 0), /^\[log truncated: 3000 lines/);
});

Deno.test("a log stands whatever becomes of the script", async () => {
  await using lease = takeLease(shared(), { limits: { guestTimeMs: 200, memoryBytes: 32 << 20 } });
  const endings = {
    threw: "throw 1",
    time: "for (;;) {}",
    memory: "const keep = []; for (;;) keep.push('x'.repeat(1e6))",
    stack: "run()",
    result: "return () => 1",
    limit: "echo('x'.repeat(2e6))",
  };
  for (const [kind, ending] of Object.entries(endings)) {
    const { failure, logs } = await evaluate(
      lease,
      `let once = false; function run() { if (!once) log("before"); once = true; ${ending} }`,
    );
    assert.deepEqual([failure?.kind, logs], [kind, "before"]);
  }
});
