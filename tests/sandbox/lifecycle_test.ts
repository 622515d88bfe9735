/** Nothing outlives what it was started for: processes of runs, of leases, of hosts, and of programs that end in any way. */
import assert from "node:assert/strict";
import { createInlineHost } from "../../sandbox/inline_host.ts";
import { createProcessHost } from "../../sandbox/process_host.ts";
import { evaluate, evaluateValue, holdCalls, takeLease } from "./evaluation.ts";
import { openProcessTable, type ProcessTable, until } from "./process_table.ts";
import { startHostProgram } from "./programs/host_program.ts";
import type { Mode } from "./programs/host_program_main.ts";

const BUSY = "function run() { for (;;) {} }";

/** No child of ours is left, not even one that waits to be collected. */
async function assertNoChildren(table: ProcessTable): Promise<void> {
  assert.deepEqual(await table.below(), []);
}

Deno.test("no process is left once a lease is disposed", async () => {
  await using table = openProcessTable();
  await using host = createProcessHost();
  for (const source of ["function run() {}", "function run() { echo(1) }"]) {
    const lease = takeLease(host);
    await evaluate(lease, source);
    assert.equal((await table.guests()).length, 1);
    await lease[Symbol.asyncDispose]();
    await assertNoChildren(table);
  }
});

Deno.test("no process is left once a lease that was never used is disposed", async () => {
  await using table = openProcessTable();
  await using host = createProcessHost();
  const lease = takeLease(host);
  assert.equal((await table.guests()).length, 0);
  lease.warmUp();
  await lease[Symbol.asyncDispose]();
  await assertNoChildren(table);
  lease.warmUp(); // it is over: nothing starts
  await assertNoChildren(table);
  // Later, with the process on its way.
  const other = takeLease(host);
  other.warmUp();
  await until("the process is there", async () => (await table.guests()).length === 1);
  await other[Symbol.asyncDispose]();
  await assertNoChildren(table);
});

Deno.test("no process is left once the host is disposed, whatever leases are open", async () => {
  await using table = openProcessTable();
  const host = createProcessHost({ idleMs: 60_000 });
  const open = takeLease(host, { scopeKey: "open" });
  const idle = takeLease(host, { scopeKey: "idle" });
  await evaluateValue(open, "function run() {}");
  await evaluateValue(idle, "function run() {}");
  await idle[Symbol.asyncDispose]();
  assert.equal((await table.guests()).length, 2);
  await host[Symbol.asyncDispose]();
  await assertNoChildren(table);
  await open[Symbol.asyncDispose]();
  await assertNoChildren(table);
});

Deno.test("disposing a lease ends its scripts, busy or waiting, and starts nothing anew", async () => {
  await using table = openProcessTable();
  await using host = createProcessHost();
  const held = holdCalls();
  for (
    const source of [BUSY, "function run() { echo(1) }", "async function run() { await echo(1) }"]
  ) {
    const lease = takeLease(host, { limits: { guestTimeMs: 60_000 } });
    await evaluateValue(lease, "function run() {}");
    const running = evaluate(lease, source, { onCall: held.onCall });
    if (source !== BUSY) await held.arrived(1);
    await lease[Symbol.asyncDispose]();
    const { failure } = await running;
    assert.ok(
      ["cancelled", "lost"].includes(failure?.kind ?? "value"),
      `${failure?.kind}: ${source}`,
    );
    await assertNoChildren(table);
    held.answerAll();
  }
});

Deno.test("disposing a host ends its scripts, and starts nothing anew", async () => {
  await using table = openProcessTable();
  const host = createProcessHost();
  await using lease = takeLease(host, { limits: { guestTimeMs: 60_000 } });
  await evaluateValue(lease, "function run() {}");
  const running = evaluate(lease, BUSY);
  await host[Symbol.asyncDispose]();
  const { failure } = await running;
  assert.ok(["cancelled", "lost"].includes(failure?.kind ?? "value"), failure?.kind);
  await assertNoChildren(table);
});

for (const moment of ["asked for", "there"]) {
  Deno.test(`a script whose process is only ${moment} ends with its lease, and with its host`, async () => {
    await using table = openProcessTable();
    for (const what of ["lease", "host"]) {
      const host = createProcessHost();
      const lease = takeLease(host);
      const run = evaluate(lease, "function run() {}");
      if (moment === "there") {
        await until("the process is there", async () => (await table.guests()).length === 1);
      }
      await (what === "lease" ? lease : host)[Symbol.asyncDispose]();
      const { failure } = await run;
      // Where the machine was quicker than the test, it has run.
      assert.ok(failure === undefined || failure.kind === "cancelled", `${what}: ${failure?.kind}`);
      await assertNoChildren(table);
      await lease[Symbol.asyncDispose]();
      await host[Symbol.asyncDispose]();
    }
  });
}

Deno.test("a disposed lease is refused, and starts nothing", async () => {
  await using table = openProcessTable();
  await using host = createProcessHost();
  const lease = takeLease(host);
  await lease[Symbol.asyncDispose]();
  await lease[Symbol.asyncDispose]();
  await assert.rejects(evaluate(lease, "function run() {}"), TypeError);
  await assertNoChildren(table);
});

for (const kind of ["process", "inline"] as const) {
  Deno.test(`a disposed host is refused, and starts nothing (${kind})`, async () => {
    await using table = openProcessTable();
    const host = kind === "process" ? createProcessHost() : createInlineHost();
    const lease = takeLease(host);
    await host[Symbol.asyncDispose]();
    const refusal = {
      name: "TypeError",
      message:
        "The sandbox host was disposed: dispose it, or the builder that made it, when no run needs it any more.",
    };
    assert.throws(() => takeLease(host), refusal);
    await assert.rejects(evaluate(lease, "function run() {}"), refusal);
    await lease[Symbol.asyncDispose]();
    await assertNoChildren(table);
  });
}

Deno.test("a run that leaves does not end the process of another run of its scope", async () => {
  await using host = createProcessHost();
  await using staying = takeLease(host);
  const leaving = takeLease(host);
  const held = holdCalls();
  const running = evaluateValue(staying, "function run() { return echo(5) }", {
    onCall: held.onCall,
  });
  await evaluateValue(leaving, "function run() {}");
  await held.arrived(1);
  await leaving[Symbol.asyncDispose]();
  held.answerAll();
  assert.equal(await running, 5);
});

Deno.test("with idleMs a second lease finds the process warm, and without use it goes", async () => {
  await using table = openProcessTable();
  await using host = createProcessHost({ idleMs: 60_000 });
  const first = takeLease(host);
  await evaluateValue(first, "function run() { globalThis.left = 1 }");
  const [before] = await table.guests();
  await first[Symbol.asyncDispose]();
  const second = takeLease(host);
  assert.equal(await evaluateValue(second, "function run() { return typeof left }"), "undefined");
  const [after] = await table.guests();
  assert.deepEqual([after!.pid, after!.startTicks], [before!.pid, before!.startTicks]);
  await second[Symbol.asyncDispose]();

  await using brief = createProcessHost({ idleMs: 1 });
  const short = takeLease(brief, { scopeKey: "short" });
  await evaluateValue(short, "function run() {}");
  await short[Symbol.asyncDispose]();
  await until("the idle process is gone", async () => (await table.guests()).length === 1);
});

Deno.test("a process is replaced after maxExecutions scripts, and none is left over", async () => {
  await using table = openProcessTable();
  await using host = createProcessHost({ maxExecutions: 3 });
  await using lease = takeLease(host);
  const seen = new Set<number>();
  for (let i = 0; i < 8; i++) {
    await evaluateValue(lease, "function run() {}");
    await until("one process is left", async () => (await table.guests()).length === 1);
    for (const { pid } of await table.guests()) seen.add(pid);
  }
  assert.equal(seen.size, 3);
});

Deno.test("a process that has run its share is kept while a script waits in it", async () => {
  await using table = openProcessTable();
  await using host = createProcessHost({ maxExecutions: 2 });
  await using lease = takeLease(host);
  const held = holdCalls();
  const waiting = evaluateValue(lease, "function run() { return echo(9) }", {
    onCall: held.onCall,
  });
  await held.arrived(1);
  for (let i = 0; i < 3; i++) await evaluateValue(lease, "function run() {}");
  held.answerAll();
  assert.equal(await waiting, 9);
  await until("one process is left", async () => (await table.guests()).length === 1);
});

for (
  const mode of ["forgets", "warm", "lease_only", "running"] as const satisfies readonly Mode[]
) {
  Deno.test(`a program that never disposes ends by itself (${mode}), and its guest with it`, async () => {
    await using table = openProcessTable();
    await using program = startHostProgram(mode);
    const known = [];
    if (mode !== "lease_only") {
      assert.deepEqual(await program.next(), { called: "hold" });
      known.push(...await table.guests(program.pid));
      assert.equal(known.length, 1);
      await program.go();
    }
    if (mode === "running") assert.equal((await program.next())?.valueJson, "7");
    assert.equal((await program.ended()).code, 0);
    for (const guest of known) {
      await until("the guest is gone", async () => !await table.isRunning(guest));
    }
  });
}

for (const mode of ["waits", "busy", "stuck"] as const satisfies readonly Mode[]) {
  for (const signal of ["SIGKILL", "SIGTERM"] as const) {
    Deno.test(`a program that is ended by ${signal} leaves no guest behind (${mode})`, async () => {
      await using table = openProcessTable();
      await using program = startHostProgram(mode);
      await program.next();
      const guests = await table.guests(program.pid);
      assert.equal(guests.length, 1);
      if (mode !== "waits") {
        const before = guests[0]!.cpuTicks;
        await until("the guest computes", async () => {
          const [now] = await table.guests(program.pid);
          return now !== undefined && now.cpuTicks > before + 5;
        });
      }
      program.kill(signal);
      await program.ended();
      await until("the guest is gone", async () => !await table.isRunning(guests[0]!));
    });
  }
}
