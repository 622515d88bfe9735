/** The host in the calling process: the same scripts, limits and ends as in a process of their own. */
import assert from "node:assert/strict";
import { createInlineHost } from "../../sandbox/inline_host.ts";
import { evaluate, evaluateValue, holdCalls, inTime, takeLease } from "./evaluation.ts";

Deno.test("inline: both calling styles, arguments, logs, the clock and the answer", async () => {
  await using host = createInlineHost();
  await using lease = takeLease(host);
  let ms = 0;
  for (const [run, wait] of [["function run", ""], ["async function run", "await "]]) {
    const { failure, valueJson, answerJson, logs, hostCalls } = await evaluate(
      lease,
      `${run}(args) {
        log("at", Date.now());
        const [a, b] = [${wait}echo(args.n), ${wait}echo("é")];
        answer({ a });
        return [a, b, Date.now()];
      }`,
      { args: { n: 7 }, now: () => new Date(ms += 1000) },
    );
    assert.equal(failure, undefined);
    assert.deepEqual(
      [valueJson, answerJson, logs, hostCalls],
      [`[7,"é",${ms}]`, '{"a":7}', `at ${ms - 2000}`, 2],
    );
  }
  assert.equal(await evaluateValue(lease, "function run() { return typeof args }"), "undefined");
});

Deno.test("inline: limits end scripts with the same messages", async () => {
  await using host = createInlineHost();
  await using lease = takeLease(host, {
    limits: {
      guestTimeMs: 100,
      memoryBytes: 32 * 1024 * 1024,
      sourceBytes: 1000,
      argsBytes: 100,
      hostCalls: 2,
      callArgumentBytes: 100,
      callResultBytes: 50,
    },
  });
  const cases: Readonly<Record<string, RegExp>> = {
    "function run() { for (;;) {} }": /^time: .*limit of 100 ms/,
    "function run() { const k = []; for (;;) k.push('x'.repeat(1e6)) }": /^memory: .*32 MiB/,
    "function run() { run() }": /^stack: .*128 KiB/,
    "function run() { return '€'.repeat(40) }": /^limit: .*\b100\b/,
    "function run() { answer('€'.repeat(40)) }": /^limit: .*answer.*\b100\b/,
    "function run() { echo('€'.repeat(40)) }": /^limit: .*echo.*\b100\b/,
    "function run() { echo('x'.repeat(60)) }": /^(threw|limit): .*result of echo.*\b50\b/,
    "function run() { echo(1); echo(2); echo(3) }": /^limit: .*limit of 2 host calls/,
    "function run() { return () => 1 }": /^result: .*\$ is a function/,
    "function run( {": /^syntax: /,
    "function run() { throw new Error('mine') }": /^threw: Error: mine/,
    [`function run() {} // ${"x".repeat(1000)}`]:
      /^limit: the script takes \d+ bytes; the limit is 1000/,
  };
  for (const [source, pattern] of Object.entries(cases)) {
    const { failure } = await evaluate(lease, source);
    assert.match(`${failure?.kind}: ${failure?.message}`, pattern, source);
  }
  assert.equal(await evaluateValue(lease, "function run() { return 1 }"), 1);
});

Deno.test("inline: many scripts at once, each in a realm of its own", async () => {
  await using host = createInlineHost();
  await using lease = takeLease(host);
  const held = holdCalls();
  const runs = Array.from(
    { length: 50 },
    (_, i) =>
      evaluateValue(
        lease,
        "function run(args) { globalThis.mark = args; return [echo(args), mark] }",
        {
          args: i,
          onCall: held.onCall,
        },
      ),
  );
  await held.arrived(50);
  held.answerAll({ reversed: true });
  assert.deepEqual(await Promise.all(runs), Array.from({ length: 50 }, (_, i) => [i, i]));
});

Deno.test("inline: the program's own work goes on while a script computes", async () => {
  await using host = createInlineHost();
  await using lease = takeLease(host, { limits: { guestTimeMs: 60_000 } });
  const abort = new AbortController();
  for (const body of ["for (;;) {}", "for (;;) await null"]) {
    const own = new AbortController();
    const run = evaluate(lease, `async function run() { ${body} }`, { signal: own.signal });
    // Timers and sockets of the program get their turn, else this never comes.
    setTimeout(() => own.abort(), 50);
    assert.equal((await inTime(run, "it is cancelled")).failure?.kind, "cancelled");
  }
  abort.abort();
});

Deno.test("inline: scripts end with their lease, and calls are told", async () => {
  await using host = createInlineHost();
  for (
    const source of [
      "function run() { echo(1); return 'no' }",
      "async function run() { await echo(1) }",
      "function run() { echo(0); for (;;) {} }",
    ]
  ) {
    const lease = takeLease(host, { limits: { guestTimeMs: 60_000 } });
    let told = 0;
    const arrived = Promise.withResolvers<void>();
    const run = evaluate(lease, source, {
      onCall: ({ signal, argsJson }) =>
        new Promise((resolve) => {
          arrived.resolve();
          if (argsJson === "[0]") return resolve({ ok: true });
          signal.addEventListener("abort", () => {
            told++;
            resolve({ ok: true });
          });
        }),
    });
    await arrived.promise;
    await lease[Symbol.asyncDispose]();
    const { failure } = await inTime(run, "the script ends with its lease");
    assert.equal(failure?.kind, "cancelled", source);
    assert.equal(told, source.includes("echo(1)") ? 1 : 0, source);
    await assert.rejects(evaluate(lease, "function run() {}"), TypeError);
  }
});

Deno.test("inline: scripts end with the host, and none begins after it", async () => {
  const host = createInlineHost();
  await using lease = takeLease(host, { limits: { guestTimeMs: 60_000 } });
  const held = holdCalls();
  const run = evaluate(lease, "function run() { echo(1) }", { onCall: held.onCall });
  await held.arrived(1);
  await host[Symbol.asyncDispose]();
  assert.equal((await inTime(run, "the script ends with the host")).failure?.kind, "cancelled");
  const after = await evaluate(lease, "function run() {}").catch((error) => error);
  assert.ok(after instanceof Error || after.failure?.kind === "cancelled", JSON.stringify(after));
});

Deno.test("inline: a signal that ends is heard at once, before, while and after the engine starts", async () => {
  const abort = new AbortController();
  await using host = createInlineHost();
  await using lease = takeLease(host);
  const starting = evaluate(lease, "function run() { return 1 }", { signal: abort.signal });
  abort.abort();
  assert.equal((await starting).failure?.kind, "cancelled");
  const ended = await evaluate(lease, "function run() {}", { signal: AbortSignal.abort() });
  assert.equal(ended.failure?.kind, "cancelled");
  const own = new AbortController();
  const held = holdCalls();
  const waiting = evaluate(lease, "function run() { echo(1) }", {
    signal: own.signal,
    onCall: held.onCall,
  });
  await held.arrived(1);
  own.abort();
  assert.equal((await waiting).failure?.kind, "cancelled");
  assert.equal(await evaluateValue(lease, "function run() { return 2 }"), 2);
});
