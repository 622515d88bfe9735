/**
 * A guest process that was broken into may write anything on its pipe. Whatever it says, the program that started it lives on, and a script
 * of it ends in the form of the contract.
 */
import assert from "node:assert/strict";
import { DEFAULT_SANDBOX_LIMITS, type Execution, type HostCall } from "../../contracts/sandbox.ts";
import { guestCommand } from "../../sandbox/guest_command.ts";
import { startGuestProcess } from "../../sandbox/guest_process.ts";
import { runScript, type ScriptEnd } from "../../sandbox/script_run.ts";
import { FALLS_SILENT, HOSTILE_ACTS } from "../sandbox/guests/hostile_main.ts";

interface Served {
  readonly end: ScriptEnd;
  readonly calls: readonly HostCall[];
}

/** Runs one script in a guest that does `act`; `onCall` is told of calls. */
async function serve(act: string, abort?: AbortController): Promise<Served> {
  const command = await guestCommand();
  const program = import.meta.resolve("../sandbox/guests/hostile_main.ts");
  const process = startGuestProcess({
    ...command,
    args: [...command.args.slice(0, -1), program, act],
  });
  const release = process.hold();
  const calls: HostCall[] = [];
  try {
    await process.ready;
    process.allow(DEFAULT_SANDBOX_LIMITS);
    const end = await runScript(process, {
      source: "",
      seed: 1,
      now: () => new Date(0),
      ...(abort && { signal: abort.signal }),
      onCall: (call) => {
        calls.push(call);
        abort?.abort();
        return Promise.resolve({ ok: true });
      },
    }, { limits: DEFAULT_SANDBOX_LIMITS, packs: 0 });
    if (abort !== undefined) await process.gone;
    return { end, calls };
  } finally {
    await process.kill();
    release();
  }
}

function assertInForm(execution: Execution): void {
  assert.equal(typeof execution.logs, "string");
  assert.ok(new TextEncoder().encode(execution.logs).length < 2 * DEFAULT_SANDBOX_LIMITS.logBytes);
  assert.ok(execution.notes.length <= 20 && execution.notes.every((n) => typeof n === "string"));
  assert.equal(typeof execution.guestMs, "number");
  assert.equal(typeof execution.hostCalls, "number");
  assert.ok(execution.clockMs.every((ms) => typeof ms === "number"));
  for (const json of [execution.valueJson, execution.answerJson]) {
    if (json !== undefined) JSON.parse(json);
  }
}

for (const act of HOSTILE_ACTS.filter((name) => name !== FALLS_SILENT)) {
  Deno.test(`a guest that ${act} harms nobody`, async () => {
    const { end, calls } = await serve(act);
    if ("execution" in end) {
      assertInForm(end.execution);
      assert.equal(end.execution.failure?.kind, "lost", JSON.stringify(end).slice(0, 300));
    }
    assert.ok(calls.length <= DEFAULT_SANDBOX_LIMITS.hostCalls);
    for (const { name, argsJson, sequence } of calls) {
      assert.equal(typeof name, "string");
      assert.ok(Array.isArray(JSON.parse(argsJson)), argsJson);
      assert.ok(Number.isSafeInteger(sequence));
    }
  });
}

Deno.test("a guest that falls silent ends with its run, and so does its process", async () => {
  const { end } = await serve(FALLS_SILENT, new AbortController());
  assert.ok("execution" in end);
  assert.equal(end.execution.failure?.kind, "cancelled");
});
