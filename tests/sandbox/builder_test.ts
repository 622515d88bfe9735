/** The builder: which capabilities a run gets, what it refuses, and which runs share a process. */
import assert from "node:assert/strict";
import type { RunEventBody } from "../../contracts/event.ts";
import type {
  Capability,
  HostFunction,
  SandboxBuildRequest,
  SandboxLimits,
} from "../../contracts/sandbox.ts";
import { DEFAULT_SANDBOX_LIMITS } from "../../contracts/sandbox.ts";
import type { Scope } from "../../contracts/scope.ts";
import { DefaultSandboxBuilder } from "../../sandbox/default_builder.ts";
import { createProcessHost } from "../../sandbox/process_host.ts";
import { SandboxPool } from "../../sandbox/sandbox_pool.ts";
import { answerWith, takeLease } from "./evaluation.ts";
import { openProcessTable, until } from "./process_table.ts";

function fn(name: string): HostFunction {
  return { name, execute: ([value]) => value };
}

/** A capability of one pack. */
function capability(name: string, functions: readonly string[], more: Partial<Capability> = {}) {
  return {
    name,
    description: "",
    build: () => [{
      name,
      prompt: functions.map((each) => `declare function ${each}(x: any): any;`).join("\n"),
      functions: functions.map(fn),
    }],
    ...more,
  } satisfies Capability;
}

function request(
  fields: {
    readonly sessionId?: string;
    readonly scope?: Scope;
    readonly events?: RunEventBody[];
  } = {},
): SandboxBuildRequest {
  return {
    session: { id: fields.sessionId ?? "session" },
    runId: "run",
    ...(fields.scope && { scope: fields.scope }),
    signal: new AbortController().signal,
    emit: (event) => void fields.events?.push(event),
  };
}

const script = (source: string) => ({
  source,
  seed: 1,
  now: () => new Date(0),
  onCall: answerWith({ first: (x) => x, second: (x) => x, third: (x) => x }),
});

Deno.test("what capabilities bring is declared, listed, and can be called", async () => {
  await using builder = new DefaultSandboxBuilder({
    capabilities: [capability("one", ["first", "second"]), capability("two", ["third"])],
  });
  await using sandbox = await builder.build(request());
  assert.equal(
    sandbox.prompt,
    "declare function first(x: any): any;\ndeclare function second(x: any): any;\ndeclare function third(x: any): any;",
  );
  assert.deepEqual([...sandbox.functions.keys()], ["first", "second", "third"]);
  assert.deepEqual(sandbox.limits, DEFAULT_SANDBOX_LIMITS);
  const { valueJson } = await sandbox.evaluate(
    script("function run() { return [first(1), second(2), third(3)] }"),
  );
  assert.equal(valueJson, "[1,2,3]");
});

Deno.test("without capabilities there is nothing to declare, and scripts run", async () => {
  await using builder = new DefaultSandboxBuilder();
  await using sandbox = await builder.build(request());
  assert.deepEqual([sandbox.prompt, sandbox.functions.size], ["", 0]);
  assert.equal((await sandbox.evaluate(script("function run() { return 1 }"))).valueJson, "1");
});

Deno.test("an allowlist leaves out what it does not name, unless it is always on", async () => {
  const capabilities = [
    capability("one", ["first"]),
    capability("two", ["second"]),
    capability("three", ["third"], { alwaysOn: true }),
  ];
  for (
    const [enabledCapabilities, expected] of [
      [undefined, ["first", "second", "third"]],
      [["two"], ["second", "third"]],
      [[], ["third"]],
      [["unknown"], ["third"]],
    ] as const
  ) {
    await using builder = new DefaultSandboxBuilder({
      capabilities,
      ...(enabledCapabilities && { enabledCapabilities }),
    });
    await using sandbox = await builder.build(request());
    assert.deepEqual([...sandbox.functions.keys()], expected);
  }
});

Deno.test("an allowlist that names what there is not is told of it in each run, and holds", async () => {
  const events: RunEventBody[] = [];
  const telling = { ...request(), emit: (event: RunEventBody) => void events.push(event) };
  const capabilities = [capability("one", ["first"]), capability("two", ["second"])];
  await using builder = new DefaultSandboxBuilder({
    capabilities,
    enabledCapabilities: ["two", "wto", "x".repeat(300)],
  });
  await using sandbox = await builder.build(telling);
  assert.deepEqual([...sandbox.functions.keys()], ["second"]);
  const content =
    "enabledCapabilities names wto, and no capability is called so; there are one, two";
  assert.deepEqual(events, [
    { type: "warning", content },
    { type: "warning", content: content.replace("wto", `${"x".repeat(100)}…`) },
  ]);
  await using again = await builder.build(telling);
  assert.deepEqual([again.functions.size, events.length], [1, 4]);

  await using empty = new DefaultSandboxBuilder({ enabledCapabilities: ["two"] });
  await using bare = await empty.build(telling);
  assert.deepEqual([bare.functions.size, events[4]], [0, {
    type: "warning",
    content: content.replace("wto", "two").replace("one, two", "none"),
  }]);
});

Deno.test("an allowlist is a list of names: a text would let pass whatever is a part of it", () => {
  for (const enabledCapabilities of ["http", [7], null, new Set(["http"])]) {
    assert.throws(() => new DefaultSandboxBuilder({ enabledCapabilities } as never), {
      name: "TypeError",
      message: "DefaultSandboxBuilder: enabledCapabilities must be a list of names of capabilities",
    });
  }
});

Deno.test("a capability that cannot be built is left out with a warning", async () => {
  const events: RunEventBody[] = [];
  await using builder = new DefaultSandboxBuilder({
    capabilities: [
      capability("broken", [], { build: () => Promise.reject(new Error("no key")) }),
      capability("worse", [], {
        build: () => {
          throw "text";
        },
      }),
      capability("one", ["first"]),
    ],
  });
  await using sandbox = await builder.build(request({ events }));
  assert.deepEqual([...sandbox.functions.keys()], ["first"]);
  assert.deepEqual(events.map(({ type }) => type), ["warning", "warning"]);
  assert.match(JSON.stringify(events), /broken.*no key.*worse.*text/);
});

Deno.test("names that clash, are taken or are none are refused", async () => {
  const refused: readonly (readonly Capability[])[] = [
    [capability("one", ["first"]), capability("two", ["first"])],
    [capability("one", ["first"]), capability("one", ["second"])],
    [capability("one", ["log"])],
    [capability("one", ["answer"])],
    [capability("one", ["run"])],
    [capability("one", ["sleep"])],
    // `delete({ id })` would be true, and nothing be deleted.
    [capability("one", ["delete"])],
    [capability("one", ["await"])],
    [capability("one", ["JSON"])],
    [capability("one", ["not a name"])],
    [capability("one", ["1st"])],
    [capability("one", [""])],
  ];
  for (const capabilities of refused) {
    await using builder = new DefaultSandboxBuilder({ capabilities });
    await assert.rejects(builder.build(request()), TypeError);
  }
});

Deno.test("limits out of range are refused with what was expected", () => {
  const wrong: readonly Partial<SandboxLimits>[] = [
    { guestTimeMs: 0 },
    { guestTimeMs: NaN },
    { guestTimeMs: Infinity },
    { memoryBytes: 1024 },
    { memoryBytes: 5 * 1024 ** 3 },
    { stackBytes: 1024 * 1024 },
    { stackBytes: 100 },
    { sourceBytes: 0 },
    { argsBytes: 0 },
    { hostCalls: -1 },
    { callArgumentBytes: 0 },
    { callResultBytes: 0 },
    { logBytes: NaN },
  ];
  for (const limits of wrong) {
    const [name] = Object.keys(limits);
    assert.throws(
      () => new DefaultSandboxBuilder({ limits }),
      (error) => error instanceof RangeError && error.message.includes(name!),
      JSON.stringify(limits),
    );
  }
  const texts: readonly [Partial<Record<keyof SandboxLimits, unknown>>, string][] = [
    [{ logBytes: Infinity }, "limits.logBytes must be a finite number, not Infinity."],
    [{ hostCalls: "5" }, 'limits.hostCalls must be a finite number of at least 0, not "5".'],
  ];
  for (const [limits, message] of texts) {
    assert.throws(() => new DefaultSandboxBuilder({ limits: limits as never }), { message });
  }
  new DefaultSandboxBuilder({ limits: { logBytes: -1, hostCalls: 0 }, maxLogBytes: -5 });
});

Deno.test("maxLogBytes beats the limit of the same thing", async () => {
  await using builder = new DefaultSandboxBuilder({ maxLogBytes: 7, limits: { logBytes: 1000 } });
  await using sandbox = await builder.build(request());
  assert.equal(sandbox.limits.logBytes, 7);
});

Deno.test("runs of one scope share a process, others have their own", async () => {
  const here: Scope = { workspaceId: "a" };
  const cases: readonly [
    one: Parameters<typeof request>[0],
    two: Parameters<typeof request>[0],
    isolate: boolean,
    processes: number,
  ][] = [
    [{}, { sessionId: "other" }, false, 1],
    [{ scope: here }, { scope: { workspaceId: "a" }, sessionId: "other" }, false, 1],
    [{ scope: here }, { scope: { workspaceId: "b" } }, false, 2],
    [{ scope: here }, { scope: { workspaceId: "a", projectId: "p" } }, false, 2],
    [{ scope: here }, {}, false, 2],
    // Names that only look like another scope's.
    [
      { scope: { workspaceId: "a", projectId: "b" } },
      { scope: { workspaceId: 'a","b' } },
      false,
      2,
    ],
    [{ scope: { workspaceId: "null" } }, {}, false, 2],
    [{ sessionId: "s" }, { sessionId: "s" }, true, 1],
    [{ sessionId: "s" }, { sessionId: "t" }, true, 2],
    [{ scope: here, sessionId: "s" }, { scope: { workspaceId: "b" }, sessionId: "s" }, true, 2],
  ];
  await using table = openProcessTable();
  for (const [one, two, isolateSessions, processes] of cases) {
    await using builder = new DefaultSandboxBuilder({ isolateSessions });
    await using first = await builder.build(request(one));
    await using second = await builder.build(request(two));
    await Promise.all([first, second].map((each) => each.evaluate(script("function run() {}"))));
    assert.equal((await table.guests()).length, processes, JSON.stringify([one, two]));
  }
});

Deno.test("a builder ends the host that it made, and leaves alone one that it was given", async () => {
  await using table = openProcessTable();
  const own = new DefaultSandboxBuilder();
  const left = await own.build(request());
  await left.evaluate(script("function run() {}"));
  await own[Symbol.asyncDispose]();
  assert.deepEqual(await table.below(), []);
  await left[Symbol.asyncDispose]();

  await using host = createProcessHost();
  const builder = new DefaultSandboxBuilder({ host });
  await using kept = takeLease(host, { scopeKey: "kept" });
  await kept.evaluate(script("function run() {}"));
  await builder[Symbol.asyncDispose]();
  assert.equal((await table.guests()).length, 1);
});

Deno.test("a sandbox starts its process when it is warmed up and not before, through a pool too", async () => {
  await using table = openProcessTable();
  await using builder = new DefaultSandboxBuilder();
  await using pool = new SandboxPool(builder);
  for (const maker of [builder, pool]) {
    await using sandbox = await maker.build(request());
    assert.equal((await table.guests()).length, 0);
    sandbox.warmUp?.();
    await until("the process is there", async () => (await table.guests()).length === 1);
    sandbox.warmUp?.();
    assert.equal((await table.guests()).length, 1);
  }
});

Deno.test("builder: what is no capability is told at once, with what makes one", () => {
  const wrong: [unknown, RegExp][] = [
    [capability("a", []), /capabilities must be a list/],
    [[() => capability("a", [])], /capabilities\[0\] is a function; call it/],
    [[capability("a", []), fn("b")], /capabilities\[1\] is a tool; toolCapability/],
    [[{ name: "x" }], /capabilities\[0\] must be a capability/],
    [[undefined], /capabilities\[0\] must be a capability/],
  ];
  for (const [capabilities, message] of wrong) {
    assert.throws(() => new DefaultSandboxBuilder({ capabilities } as never), message);
  }
});

Deno.test("builder: a field of a function or a pack that there is not is refused, with those that there are", async () => {
  const built = (pack: object): Promise<unknown> => {
    const odd = { name: "odd", description: "", build: () => [pack as never] };
    return new DefaultSandboxBuilder({ capabilities: [odd] }).build(request());
  };
  const pack = { name: "shop", prompt: "", functions: [fn("pay")] };
  await built(pack);
  await built({ ...pack, functions: [{ ...fn("pay"), sideEffect: true, timeoutMs: 5 }] });
  const wrong: readonly [object, RegExp][] = [
    [
      { ...pack, functions: [{ ...fn("pay"), sideEffects: true }] },
      /^The function "pay" of the pack "shop": there is no option sideEffects; there are name, execute, sideEffect, /,
    ],
    [
      { ...pack, document: [] },
      /^The pack "shop": there is no option document; there are name, prompt, /,
    ],
    [{ ...pack, functions: undefined }, /^The pack "shop" must have a list of functions/],
    [{ ...pack, prompt: undefined }, /^The pack "shop" must have a prompt, a text/],
    [
      { ...pack, functions: [{ name: "pay" }] },
      /^The function "pay" of the pack "shop" must have a function execute/,
    ],
  ];
  for (const [odd, message] of wrong) {
    await assert.rejects(built(odd), { name: "TypeError", message });
  }
});

Deno.test("builder: a limit that there is not is refused", () => {
  const limits = { guestTime: 5 } as never;
  assert.throws(() => new DefaultSandboxBuilder({ limits }), {
    name: "TypeError",
    message: /^There is no limit "guestTime"; there are guestTimeMs, memoryBytes, /,
  });
});

Deno.test("builder and pool: what they are not made of is told at once", () => {
  const wrong: readonly [() => unknown, RegExp][] = [
    [
      () => new DefaultSandboxBuilder({ capability: [] } as never),
      /^DefaultSandboxBuilder: there is no option capability; there are capabilities, /,
    ],
    [
      () => new DefaultSandboxBuilder({ host: { idleMs: 5 } as never }),
      /^DefaultSandboxBuilder: host must be a sandbox host, such as createProcessHost\(options\)/,
    ],
    [
      () => new SandboxPool({ capabilities: [] } as never),
      /^SandboxPool: expected a sandbox builder first, such as new DefaultSandboxBuilder\(…\)/,
    ],
    [
      () => new SandboxPool(new DefaultSandboxBuilder(), { idleMs: 5 } as never),
      /^SandboxPool: there is no option idleMs; there are idleTimeoutMs, /,
    ],
  ];
  for (const [make, message] of wrong) assert.throws(make, { name: "TypeError", message });
});

Deno.test("builder: a pack in the place of a list of packs is left out with a word on what is wrong", async () => {
  const events: RunEventBody[] = [];
  const pack = { name: "shop", prompt: "", functions: [] };
  const built: readonly [string, () => unknown][] = [["one", () => pack], ["none", () => {}]];
  const capabilities = built.map((
    [name, build],
  ) => ({ name, description: "", build } as Capability));
  await using builder = new DefaultSandboxBuilder({ capabilities });
  await builder.build(request({ events }));
  assert.deepEqual(events.map((event) => "content" in event && event.content), [
    "The capability one could not be built and is left out: build must give a list of packs, got a single one",
    "The capability none could not be built and is left out: build must give a list of packs, got undefined",
  ]);
});
