import { deepEqual, equal, match, ok } from "node:assert/strict";
import { getEventListeners } from "node:events";
import type { CallEnded, CallLog, CallStart } from "../contracts/call_log.ts";
import type { JsonValue } from "../contracts/json.ts";
import type { CallContext, HostFunction } from "../contracts/sandbox.ts";
import type { PolicyCall, PolicyDecision } from "../contracts/policy.ts";
import { errorOf, testGate } from "./_gate_fixture.ts";

function told(outcome: string, more: Record<string, unknown> = {}) {
  return { kind: "host_call", name: "f", outcome, duration_ms: 0, ...more };
}

Deno.test("gate: a call runs its function with the script's arguments, and its event is told", async () => {
  const gate = testGate((args) => ({ sum: Number(args[0]) + Number(args[1]) }), {
    function: { target: (args) => `aim ${args[0]}` },
  });
  deepEqual(await gate.call([1, 2]), { ok: true, json: '{"sum":3}' });
  deepEqual(gate.told, [told("ok", { target: "aim 1" })]);
});

Deno.test("gate: a function that returns nothing replies without JSON, null with it", async () => {
  deepEqual(await testGate(() => {}).call(), { ok: true });
  deepEqual(await testGate(() => Promise.resolve(undefined)).call(), { ok: true });
  deepEqual(await testGate(() => null).call(), { ok: true, json: "null" });
});

Deno.test("gate: the function is told whose call it is", async () => {
  const seen: CallContext[] = [];
  const gate = testGate((_args, context) => void seen.push(context), {
    scope: { workspaceId: "w" },
    userId: "u",
  });
  await gate.call();
  const { runId, sessionId, scope, userId, signal } = seen[0] as CallContext;
  deepEqual([runId, sessionId, scope, userId, signal.aborted], [
    "r",
    "s",
    { workspaceId: "w" },
    "u",
    false,
  ]);
});

Deno.test("gate: the event of a call that failed tells its error, as the script sees it", async () => {
  const gate = testGate(() => {
    throw new Error("no such key");
  });
  await gate.call();
  deepEqual(gate.told, [told("error")]);
  deepEqual(gate.toldErrors, ["no such key"]);
});

Deno.test("gate: an unknown name is an error that lists what there is", async () => {
  const gate = testGate(() => 1);
  match(errorOf(await gate.call([], { name: "ff" })), /no function ff; there is: f$/);
  const long = await gate.call([], { name: "x".repeat(10_000) });
  ok(errorOf(long).length < 300);
  deepEqual(gate.told[0], told("unknown", { name: "ff" }));
});

Deno.test("gate: arguments beyond their limit are refused with their size, one byte less passes", async () => {
  const gate = testGate((args) => args.length, { limits: { callArgumentBytes: 10 } });
  equal((await gate.callRaw('["1234567"')).ok, false);
  deepEqual(await gate.callRaw('["123456"]'), { ok: true, json: "1" });
  match(errorOf(await gate.callRaw('["1234567"]')), /f: the arguments are 11 bytes .* limit is 10/);
  deepEqual(gate.told.at(-1), told("too_large"));
});

Deno.test("ATK-77: arguments that are no list, or hostile, are a typed error or plain data", async () => {
  const gate = testGate((args) => args);
  for (const json of ["", "{", "{}", "null", "1", '"x"', "[1,]"]) {
    match(errorOf(await gate.callRaw(json)), /not a list in JSON/);
  }
  deepEqual(await gate.callRaw('[{"__proto__":{"x":1},"a":1,"a":2}]'), {
    ok: true,
    json: '[{"__proto__":{"x":1},"a":2}]',
  });
  const deep = "[".repeat(100_000) + "]".repeat(100_000);
  match(errorOf(await gate.callRaw(deep)), /nested deeper/);
  equal(({} as { x?: number }).x, undefined);
});

Deno.test("gate: a result beyond its limit is refused with its size, one byte less passes", async () => {
  const gate = testGate((args) => "x".repeat(Number(args[0])), { limits: { callResultBytes: 10 } });
  deepEqual(await gate.call([8]), { ok: true, json: '"xxxxxxxx"' });
  match(
    errorOf(await gate.call([9])),
    /result of f is too large: it is 11 bytes of JSON, the limit is 10; what f did is done$/,
  );
  deepEqual(gate.told.at(-1), told("too_large"));
});

Deno.test("gate: a result that is not JSON is refused naming why", async () => {
  const gate = testGate(() => ({ when: new Date() }));
  match(
    errorOf(await gate.call()),
    /result of f cannot be handed over as JSON: \$\.when is a Date; what f did is done$/,
  );
  deepEqual(gate.told, [told("not_json")]);
});

Deno.test("QJS-08: what a function throws, rejects with or forgets reaches the script as a message", async () => {
  const failing = [
    () => Promise.reject(new RangeError("no such key")),
    () => {
      throw new RangeError("no such key");
    },
  ];
  for (const execute of failing) {
    equal(errorOf(await testGate(execute).call()), "RangeError: no such key");
  }
  for (const nothing of [undefined, null, {}, 0]) {
    const gate = testGate(() => Promise.reject(nothing));
    equal(errorOf(await gate.call()), "Error: it failed without saying why");
    deepEqual(gate.told, [told("error")]);
  }
});

Deno.test("gate: a function that never settles is cut at its deadline, and its signal ends", async () => {
  let signal: AbortSignal | undefined;
  const gate = testGate((_args, context) => {
    signal = context.signal;
    return new Promise(() => {});
  }, { function: { timeoutMs: 10 } });
  equal(errorOf(await gate.call()), "TimeoutError: f gave no result within 10 ms");
  equal(signal?.aborted, true);
  deepEqual(gate.told, [told("timeout")]);
});

Deno.test("gate: what a cut function does later goes unheard", async () => {
  const late = Promise.withResolvers<void>();
  const gate = testGate(() => late.promise, { function: { timeoutMs: 1 } });
  match(errorOf(await gate.call()), /TimeoutError/);
  late.reject(new Error("late"));
  await Promise.resolve();
  equal(gate.told.length, 1);
});

for (const which of ["the run", "the script"]) {
  Deno.test(`gate: a call ends with ${which}`, async () => {
    const controller = new AbortController();
    const run = which === "the run";
    const gate = testGate(() => {
      controller.abort();
      return new Promise(() => {});
    }, run ? { signal: controller.signal } : {});
    const reply = await gate.call([], run ? {} : { signal: controller.signal });
    equal(errorOf(reply), "AbortError: f was ended with the script");
    // And none begins after it.
    let calls = 0;
    const after = testGate(() => calls++, { signal: controller.signal });
    match(errorOf(await after.call()), /AbortError/);
    equal(calls, 0);
  });
}

Deno.test("ATK-75: calls beyond the quota of a turn are refused, and told once", async () => {
  const gate = testGate(() => 1, { limits: { hostCalls: 2 } });
  const replies = [];
  for (let call = 0; call < 5; call++) replies.push(await gate.call());
  deepEqual(replies.map((reply) => reply.ok), [true, true, false, false, false]);
  match(errorOf(await gate.call()), /may make 2 host calls \(hostCalls\)/);
  deepEqual(gate.told, [told("ok"), told("ok"), told("quota")]);
});

function policyOf(decide: (call: PolicyCall) => PolicyDecision | Promise<PolicyDecision>) {
  const seen: PolicyCall[] = [];
  return { seen, policy: { check: (call: PolicyCall) => (seen.push(call), decide(call)) } };
}

Deno.test("gate: the policy sees name, target, arguments, side effect, scope and session", async () => {
  const { seen, policy } = policyOf(() => ({ decision: "allow" }));
  const gate = testGate(() => 1, {
    policy,
    scope: { workspaceId: "w" },
    function: { sideEffect: true, target: () => "example.com" },
  });
  await gate.call(["a"]);
  deepEqual(seen, [{
    name: "f",
    target: "example.com",
    args: ["a"],
    sideEffect: true,
    scope: { workspaceId: "w" },
    sessionId: "s",
  }]);
});

Deno.test("gate: a refusal is an error that says not to try again, and the function does not run", async () => {
  let calls = 0;
  const { policy } = policyOf(() => ({ decision: "deny", reason: "not on Sundays" }));
  const gate = testGate(() => calls++, { policy, function: { target: () => "example.com" } });
  equal(
    errorOf(await gate.call()),
    "PermissionError: f (example.com) is refused: not on Sundays. Do not try it again in this run.",
  );
  equal(calls, 0);
  deepEqual(gate.told, [told("refused", { target: "example.com" })]);
});

Deno.test("gate: to ask with nobody to ask is to refuse", async () => {
  const { policy } = policyOf(() => Promise.resolve({ decision: "ask", reason: "it costs" }));
  match(errorOf(await testGate(() => 1, { policy }).call()), /approval that nobody .*: it costs/);
});

Deno.test("gate: a policy that fails has refused, and one that hangs ends with the run", async () => {
  const { policy } = policyOf(() => {
    throw new Error("no rules");
  });
  match(errorOf(await testGate(() => 1, { policy }).call()), /the policy failed: no rules/);
  const controller = new AbortController();
  const hanging = policyOf(() => {
    queueMicrotask(() => controller.abort());
    return new Promise(() => {});
  });
  const gate = testGate(() => 1, { policy: hanging.policy, signal: controller.signal });
  match(errorOf(await gate.call()), /AbortError/);
});

Deno.test("gate: a target that cannot be told is absent, not an error", async () => {
  const { seen, policy } = policyOf(() => ({ decision: "allow" }));
  const gate = testGate(() => 1, {
    policy,
    function: {
      target: () => {
        throw new Error("bad address");
      },
    },
  });
  equal((await gate.call()).ok, true);
  equal(seen[0]?.target, undefined);
});

function rowsOf(
  { full = Infinity }: { readonly full?: number } = {},
): {
  readonly rows: (CallStart & Partial<CallEnded>)[];
  readonly calls: CallLog;
} {
  const rows: (CallStart & Partial<CallEnded>)[] = [];
  const calls: CallLog = {
    startCall: (call) => {
      if (rows.length >= full) return Promise.reject(new Error("the disk is full"));
      return Promise.resolve(rows.push({ ...call }));
    },
    endCall: (id, ended) => Promise.resolve(void Object.assign(rows[id - 1]!, ended)),
    calls: () => Promise.resolve([]),
  };
  return { rows, calls };
}

/** Goes where its arguments say, one after the other. */
const goes: HostFunction["execute"] = async (args, { authorize }) => {
  for (const target of args) await authorize({ target: String(target) });
  return "done";
};

Deno.test("gate: what a call comes to on its way has rows of its own, which end with it", async () => {
  const { rows, calls } = rowsOf();
  const asked = (target: string | undefined) =>
    target === "asked.example" || target === "later.example";
  let checks = 0;
  const gate = testGate(goes, {
    function: AIMED.function,
    calls,
    policy: {
      check: ({ target }) =>
        asked(target) && (target !== "later.example" || ++checks > 1)
          ? { decision: "ask", reason: "?" }
          : { decision: "allow" },
    },
    approve: () => ({ decision: "approve" }),
  });
  const seen = () => rows.splice(0).map((row) => [row.decision, row.target, row.outcome]);
  await gate.call(["own.example", "own.example", "other.example", "other.example"]);
  deepEqual(seen(), [["allowed", "own.example", "ok"], ["allowed", "other.example", "ok"]]);
  await gate.call(["own.example", "asked.example", "asked.example"]);
  deepEqual(seen(), [["allowed", "own.example", "ok"], ["approved", "asked.example", "ok"]]);
  // What is known of a host only once its name is resolved may have a person asked about the call's own aim.
  await gate.call(["later.example"]);
  deepEqual(seen(), [["allowed", "later.example", "ok"], ["approved", "later.example", "ok"]]);
});

Deno.test("gate: from one port of the web to the other is no other aim, to any other port it is", async () => {
  const { rows, calls } = rowsOf();
  const gate = testGate(async (_, { authorize }) => {
    for (const port of [80, 443, 8080]) await authorize({ target: "a.example", port });
  }, { function: { target: () => ({ target: "a.example", port: 80 }) }, calls });
  await gate.call();
  equal(rows.length, 2);
});

Deno.test("gate: a refusal on a call's way has its row, and so has nothing that cannot be written down", async () => {
  const { rows, calls } = rowsOf({ full: 2 });
  const gate = testGate(goes, {
    function: AIMED.function,
    calls,
    policy: {
      check: ({ target }) =>
        target === "bad.example"
          ? { decision: "deny", reason: "it is bad" }
          : { decision: "allow" },
    },
  });
  match(errorOf(await gate.call(["own.example", "bad.example"])), /bad\.example.*it is bad/);
  deepEqual(rows.map((row) => [row.decision, row.target, row.outcome]), [
    ["allowed", "own.example", "refused"],
    ["denied", "bad.example", "refused"],
  ]);
  rows.pop();
  match(
    errorOf(await gate.call(["own.example", "other.example"])),
    /^PermissionError: Could not write down the call of f: the disk is full/,
  );
  deepEqual(rows.map(({ outcome }) => outcome), ["refused", "refused"]);
});

Deno.test("gate: a row that is being written when its call ends does not stay open", async () => {
  const { rows, calls } = rowsOf();
  const end = new AbortController();
  const slow: CallLog = {
    ...calls,
    async startCall(call) {
      if (rows.length === 1) end.abort();
      await new Promise((resolve) => setTimeout(resolve, 0));
      return await calls.startCall(call);
    },
  };
  let ended: Promise<unknown> | undefined;
  const gate = testGate((args, context) => {
    const going = Promise.resolve(goes(args, context));
    ended = going.catch(() => {});
    return going;
  }, { function: AIMED.function, calls: slow });
  await gate.call(["own.example", "other.example"], { signal: end.signal });
  await ended;
  deepEqual(rows.map(({ outcome }) => outcome), ["cancelled", "cancelled"]);
});

/** A function that is aimed at its first argument, and whose calls are asked about. */
const AIMED = {
  policy: { check: (): PolicyDecision => ({ decision: "ask", reason: "it reaches out" }) },
  function: {
    target: ([host]: readonly JsonValue[]) => {
      if (typeof host !== "string") throw new Error("no host");
      return host;
    },
  },
};

Deno.test("gate: the row and the event of a call whose arguments a person changed tell the target that it then had", async () => {
  const { rows, calls } = rowsOf();
  const used: unknown[] = [];
  const gate = testGate((args) => used.push(args), {
    ...AIMED,
    calls,
    approve: ({ target }) => {
      equal(target, "a.example");
      return { decision: "approve", args: ["b.example"] };
    },
  });
  equal((await gate.call(["a.example"])).ok, true);
  deepEqual(used, [["b.example"]]);
  deepEqual(rows.map(({ decision, target, argsJson }) => [decision, target, argsJson]), [
    ["changed", "b.example", '["b.example"]'],
  ]);
  deepEqual(gate.told, [told("ok", { target: "b.example" })]);
});

Deno.test("gate: a changed call whose target cannot be told has none in its row, not the one that was asked for", async () => {
  const { rows, calls } = rowsOf();
  const approve = () => ({ decision: "approve", args: [7] }) as const;
  const gate = testGate(() => 1, { ...AIMED, calls, approve });
  await gate.call(["a.example"]);
  deepEqual(rows.map(({ argsJson }) => argsJson), ["[7]"]);
  deepEqual(rows.map((row) => "target" in row), [false]);
});

Deno.test("gate: the row of a call that was refused, or approved as it was, tells what was asked for", async () => {
  const { rows, calls } = rowsOf();
  const words = [{ decision: "deny" }, { decision: "approve" }] as const;
  let asked = 0;
  const gate = testGate(() => 1, { ...AIMED, calls, approve: () => words[asked++]! });
  await gate.callRaw('[ "a.example" ]');
  await gate.callRaw('[ "a.example" ]');
  deepEqual(rows.map(({ decision, target, argsJson }) => [decision, target, argsJson]), [
    ["denied", "a.example", '[ "a.example" ]'],
    ["approved", "a.example", '[ "a.example" ]'],
  ]);
});

Deno.test("gate: calls of one turn run side by side", async () => {
  const both = Promise.withResolvers<void>();
  let running = 0;
  const gate = testGate(async () => {
    if (++running === 2) both.resolve();
    await both.promise;
    return running;
  });
  deepEqual(await Promise.all([gate.call(), gate.call()]), [
    { ok: true, json: "2" },
    { ok: true, json: "2" },
  ]);
});

Deno.test("gate: lets go of the signals that its calls hung on", async () => {
  const { signal } = new AbortController();
  const gate = testGate(() => Promise.resolve(1), { signal });
  for (let call = 0; call < 10; call++) await gate.call();
  deepEqual(getEventListeners(signal, "abort"), []);
});
