/** Scripts of one scope share a process and a thread: what one does to itself, the others never feel, or are told truly. */
import assert from "node:assert/strict";
import { createProcessHost } from "../../sandbox/process_host.ts";
import { answerWith, evaluate, evaluateValue, holdCalls, takeLease } from "./evaluation.ts";
import { shareHost } from "./shared_host.ts";

/** Sits in a builtin that never polls. */
const STUCK = "[].concat(new Array(2 ** 32 - 1));";
const shared = shareHost(() => createProcessHost());

Deno.test("a neighbour of a stuck script that had called nothing runs again unseen", async () => {
  await using host = createProcessHost();
  await using lease = takeLease(host, { limits: { guestTimeMs: 300 } });
  await using calm = takeLease(host, { limits: { guestTimeMs: 60_000 } });
  await evaluateValue(lease, "function run() {}");
  // Computes long enough to be there when the process goes.
  const innocent = evaluateValue(
    calm,
    "function run(args) { let n = 0; for (let i = 0; i < 1e6; i++) n += i; log('seen once'); return args.x + n }",
    { args: { x: 1 } },
  );
  const stuck = evaluate(lease, `function run() { ${STUCK} }`);
  assert.equal(await innocent, 499999500001);
  assert.equal((await stuck).failure?.kind, "time");
});

Deno.test("a neighbour of a stuck script that had called something is lost, once and for all", async () => {
  await using host = createProcessHost();
  await using lease = takeLease(host, { limits: { guestTimeMs: 300 } });
  const held = holdCalls();
  let calls = 0;
  const neighbour = evaluate(lease, "function run() { echo('paid'); echo('again'); return 1 }", {
    onCall: (call) => {
      calls++;
      return calls === 1 ? Promise.resolve({ ok: true }) : held.onCall(call);
    },
  });
  await held.arrived(1);
  const answered = evaluate(lease, "async function run() { answer('kept'); await echo('x') }", {
    onCall: held.onCall,
  });
  await held.arrived(2);
  const stuck = evaluate(lease, `function run() { ${STUCK} }`);
  const { failure, valueJson, hostCalls } = await neighbour;
  assert.equal(failure?.kind, "lost");
  assert.match(failure!.message, /may have happened/);
  assert.deepEqual([valueJson, hostCalls, calls], [undefined, 2, 2]);
  const other = await answered;
  assert.deepEqual([other.failure?.kind, other.answerJson], ["lost", '"kept"']);
  assert.equal((await stuck).failure?.kind, "time");
  assert.equal(await evaluateValue(lease, "function run() { return 2 }"), 2);
});

Deno.test("a stuck script that had made calls itself ends with time", async () => {
  await using host = createProcessHost();
  await using lease = takeLease(host, { limits: { guestTimeMs: 200 } });
  for (const run of ["function run", "async function run"]) {
    const { failure, hostCalls } = await evaluate(lease, `${run}() { echo(1); ${STUCK} }`);
    assert.deepEqual([failure?.kind, hostCalls], ["time", 1]);
  }
});

Deno.test("another scope never notices that a process was killed", async () => {
  await using host = createProcessHost();
  await using lease = takeLease(host, { limits: { guestTimeMs: 200 } });
  await using other = takeLease(host, { scopeKey: "other" });
  const held = holdCalls();
  const calm = evaluateValue(other, "function run() { return echo(1) + echo(2) }", {
    onCall: held.onCall,
  });
  await held.arrived(1);
  assert.equal((await evaluate(lease, `function run() { ${STUCK} }`)).failure?.kind, "time");
  held.answerAll();
  await held.arrived(1);
  held.answerAll();
  assert.equal(await calm, 3);
});

for (const order of ["AB", "BA", "AAB", "ABA", "BAA"]) {
  Deno.test(`the stuck one is found among neighbours that are answered in the same moment (${order})`, async () => {
    await using host = createProcessHost();
    await using lease = takeLease(host, { limits: { guestTimeMs: 200 } });
    await evaluateValue(lease, "function run() {}");
    const held = holdCalls();
    const scripts: Readonly<Record<string, string>> = {
      A: "async function run() { await echo(1); await null; await echo(2) }",
      B: `function run() { echo(1); ${STUCK} }`,
    };
    const runs = [...order].map((name) => evaluate(lease, scripts[name]!, { onCall: held.onCall }));
    await held.arrived(order.length);
    held.answerAll();
    const kinds = (await Promise.all(runs)).map(({ failure }) => failure?.kind);
    assert.deepEqual(kinds, [...order].map((name) => name === "A" ? "lost" : "time"));
  });
}

Deno.test("a script is not charged for what its neighbours compute", async () => {
  await using lease = takeLease(shared(), { limits: { guestTimeMs: 300 } });
  await using busy = takeLease(shared(), { limits: { guestTimeMs: 60_000 } });
  const abort = new AbortController();
  const neighbours = Array.from(
    { length: 2 },
    () => evaluate(busy, "function run() { for (;;) {} }", { signal: abort.signal }),
  );
  // Each call lets the neighbours compute for some milliseconds: far more than 300 in sum.
  const calls = "for (let i = 0; i < 70; i++) await echo(i); return 'done'";
  const patient = await evaluate(lease, `async function run() { ${calls} }`);
  const blocking = await evaluate(lease, `function run() { ${calls.replace("await ", "")} }`);
  abort.abort();
  assert.deepEqual([patient.failure, blocking.failure], [undefined, undefined]);
  for (const { failure } of await Promise.all(neighbours)) assert.equal(failure?.kind, "cancelled");
});

for (
  const [kind, body] of Object.entries({
    loops: "for (;;) {}",
    "chains of microtasks": "for (;;) await null",
    "chains of promises": "const again = () => Promise.resolve().then(again); await again()",
    generators: "for (const _ of function* () { for (;;) yield 1 }());",
  })
) {
  Deno.test(`a quick script gets through between busy ones (${kind})`, async () => {
    // Were it to wait for their end, it would wait longer than its own run.
    await using lease = takeLease(shared(), { limits: { guestTimeMs: 60_000 } });
    const abort = new AbortController();
    const held = holdCalls();
    const busy = Array.from(
      { length: 3 },
      () =>
        evaluate(lease, `async function run() { echo(1); ${body} }`, {
          signal: abort.signal,
          onCall: held.onCall,
        }),
    );
    await held.arrived(3);
    held.answerAll();
    const quick = AbortSignal.timeout(10_000);
    const options = { signal: quick };
    assert.equal(await evaluateValue(lease, "function run() { return echo(1) + 1 }", options), 2);
    assert.equal(
      await evaluateValue(lease, "async function run() { return await echo(2) }", options),
      2,
    );
    abort.abort();
    for (const { failure } of await Promise.all(busy)) assert.equal(failure?.kind, "cancelled");
  });
}

Deno.test("a new script begins although many wait and some compute", async () => {
  await using lease = takeLease(shared(), { limits: { guestTimeMs: 60_000 } });
  const held = holdCalls();
  const waiting = Array.from(
    { length: 30 },
    () => evaluateValue(lease, "function run() { return echo(7) }", { onCall: held.onCall }),
  );
  await held.arrived(30);
  const abort = new AbortController();
  const busy = Array.from(
    { length: 3 },
    () => evaluate(lease, "function run() { for (;;) {} }", { signal: abort.signal }),
  );
  const options = { signal: AbortSignal.timeout(20_000) };
  for (let i = 0; i < 5; i++) {
    assert.equal(
      await evaluateValue(lease, "function run(args) { return echo(args) }", {
        ...options,
        args: i,
      }),
      i,
    );
  }
  abort.abort();
  await Promise.all(busy);
  held.answerAll();
  assert.deepEqual(await Promise.all(waiting), Array(30).fill(7));
});

Deno.test("sleeps that end while others compute are heard", async () => {
  await using lease = takeLease(shared(), { limits: { guestTimeMs: 60_000 } });
  const abort = new AbortController();
  const busy = Array.from(
    { length: 2 },
    () => evaluate(lease, "function run() { for (;;) {} }", { signal: abort.signal }),
  );
  const source =
    "async function run() { sleep(1); await sleep(2); await Promise.race([sleep(1), sleep(3_600_000)]); return 'woke' }";
  const options = { signal: AbortSignal.timeout(20_000) };
  const sleepers = Array.from({ length: 30 }, () => evaluate(lease, source, options));
  for (const { failure, valueJson } of await Promise.all(sleepers)) {
    assert.deepEqual([failure, valueJson], [undefined, '"woke"']);
  }
  abort.abort();
  await Promise.all(busy);
});

Deno.test("two hundred scripts that wait share one process", async () => {
  await using lease = takeLease(shared());
  const held = holdCalls();
  const runs = Array.from(
    { length: 200 },
    (_, i) =>
      evaluateValue(lease, "function run(args) { return echo(args) + 1 }", {
        args: i,
        onCall: held.onCall,
      }),
  );
  await held.arrived(200);
  held.answerAll({ reversed: true });
  assert.deepEqual(await Promise.all(runs), Array.from({ length: 200 }, (_, i) => i + 1));
});

Deno.test("a program that is busy itself does not cost its scripts their time", async () => {
  await using lease = takeLease(shared(), { limits: { guestTimeMs: 200 } });
  let calls = 0;
  const { failure } = await evaluate(
    lease,
    "function run() { for (let i = 0; i < 4; i++) echo('x'.repeat(900000)) }",
    {
      onCall: () => {
        // Longer than the guest time and its grace together, while the next arguments fill the pipe.
        if (++calls === 1) setTimeout(() => block(1500), 0);
        return Promise.resolve({ ok: true });
      },
    },
  );
  assert.deepEqual([failure, calls], [undefined, 4]);
});

function block(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

Deno.test("a handler that fails against its contract is an error to the script alone (QJS-08)", async () => {
  await using lease = takeLease(shared());
  const caught =
    "async function run() { try { await echo('k') } catch (e) { return 'E:' + e.message } }";
  const sync = "function run() { try { echo('k') } catch (e) { return 'E:' + e.message } }";
  const rejecting = () => Promise.reject(new Error("no such key"));
  const throwing = () => {
    throw new Error("no such key");
  };
  for (const onCall of [rejecting, throwing]) {
    for (const source of [caught, sync]) {
      assert.equal(await evaluateValue(lease, source, { onCall }), "E:no such key");
    }
    const { failure } = await evaluate(lease, "async function run() { await echo('k') }", {
      onCall,
    });
    assert.match(failure!.message, /no such key/);
  }
  const silent = await evaluateValue(lease, caught, { onCall: () => Promise.reject(undefined) });
  assert.match(silent as string, /^E:\S/);
  const named = answerWith({
    echo: () => {
      throw new RangeError("too far");
    },
  });
  assert.equal(
    await evaluateValue(lease, "function run() { try { echo() } catch (e) { return String(e) } }", {
      onCall: named,
    }),
    "RangeError: too far",
  );
});
