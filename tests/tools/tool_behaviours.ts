/** What a program can rely on of its tools, whichever protocol the model speaks: one suite, run over each of them. */
import assert from "node:assert/strict";
import type { ApprovalRequest } from "../../contracts/approval.ts";
import type { Tool } from "../../contracts/tool.ts";
import { DefaultPolicy } from "../../loop/policy.ts";
import { Redactor } from "../../redact/redactor.ts";
import { MemoryStore } from "../../stores/memory.ts";
import { openSqliteStore } from "../../stores/sqlite/mod.ts";
import { createToolExpander, defineTool, ToolRegistry } from "../../tools/mod.ts";
import { type ProtocolDriver, toldSince } from "./protocol_driver.ts";
import { runTools, type ToolRunOptions } from "./tool_run.ts";

/** Tools of one kind each, and what they did. */
function workshop() {
  const done: string[] = [];
  const weather = defineTool({
    name: "weather",
    description: "The weather in a city",
    parameters: {
      type: "object",
      properties: { city: { type: "string" }, days: { type: "integer", minimum: 1 } },
      required: ["city"],
    },
    execute: ({ city, days = 1 }) => {
      done.push(`weather ${city} ${days}`);
      return { city, degrees: 7 };
    },
  });
  const send = defineTool({
    name: "send-mail",
    description: "Sends a mail",
    parameters: {
      type: "object",
      properties: { to: { type: "string" } },
      required: ["to"],
    },
    sideEffect: true,
    target: ({ to }) => String(to),
    execute: ({ to }) => {
      done.push(`mail to ${to}`);
      return "sent";
    },
  });
  const broken = defineTool({
    name: "broken",
    description: "Fails",
    parameters: { type: "object" },
    execute: () => {
      throw new RangeError("no such row");
    },
  });
  return { done, weather, send, broken };
}

function call(name: string, args: object = {}) {
  return { name, args };
}

function plain(name: string, execute: Tool["execute"], more: { timeoutMs?: number } = {}): Tool {
  return defineTool({
    name,
    description: `Does ${name}`,
    parameters: { type: "object" },
    ...more,
    execute,
  });
}

/** A store that nothing reaches from a moment on, as when the program is killed. */
function mortalStore() {
  const store = new MemoryStore();
  let isDead = false;
  const living = <T>(work: () => Promise<T>): Promise<T> =>
    isDead ? Promise.reject(new Error("the program is dead")) : work();
  const dying = {
    sessions: {
      get: (id: string) => store.get(id),
      exists: (id: string) => store.exists(id),
      updateData: (id: string, json: string) => living(() => store.updateData(id, json)),
      finalize: (...args: Parameters<MemoryStore["finalize"]>) =>
        living(() => store.finalize(...args)),
    },
    steps: {
      append: (...args: Parameters<MemoryStore["append"]>) => living(() => store.append(...args)),
      lastN: (id: string, n: number) => store.lastN(id, n),
    },
    calls: {
      startCall: (...args: Parameters<MemoryStore["startCall"]>) =>
        living(() => store.startCall(...args)),
      endCall: (...args: Parameters<MemoryStore["endCall"]>) =>
        living(() => store.endCall(...args)),
      calls: (...args: Parameters<MemoryStore["calls"]>) => store.calls(...args),
    },
  };
  return { store, dying, kill: () => isDead = true };
}

/** The kinds of events, those of streamed text left out: that there are any depends on how a reply looks. */
const STREAMED = new Set(["response_chunk", "response_discarded"]);

/** Registers the suite for one protocol; `others` are those that a session may go on under. */
export function toolBehaviours(driver: ProtocolDriver, others: readonly ProtocolDriver[]): void {
  const { protocol, inScripts } = driver;
  const behaviour = (name: string, test: () => Promise<void>) =>
    Deno.test(`tools under ${protocol}: ${name}`, test);
  const run = (options: ToolRunOptions) => runTools(driver, options);

  behaviour(
    "a call with arguments that fit runs once, and the model is told what it gave",
    async () => {
      const { done, weather } = workshop();
      const { result, requests } = await run({
        tools: [weather],
        replies: [driver.reply(call("weather", { city: "Oslo", days: 2 })), "7 degrees."],
      });
      assert.deepEqual([result.status, result.finalText], ["completed", "7 degrees."]);
      assert.equal(result.toolCalls, 1);
      assert.deepEqual(done, ["weather Oslo 2"]);
      assert.deepEqual(driver.results(requests[1]), ['{"city":"Oslo","degrees":7}']);
    },
  );

  behaviour(
    "arguments that do not fit are told by path, expectation and value, and the model can call again",
    async () => {
      const { done, weather } = workshop();
      const { result, requests } = await run({
        tools: [weather],
        replies: [
          driver.reply(call("weather", { city: 5, days: 0 })),
          driver.reply(call("weather", { city: "Oslo" })),
          "done",
        ],
      });
      assert.equal(result.finalText, "done");
      const [told] = driver.results(requests[1]);
      assert.match(told!, /^TypeError: the arguments of weather do not fit: /);
      assert.match(told!, /\$\.city: expected string, got 5 \(number\)/);
      assert.match(told!, /\$\.days: expected at least 1, got 0/);
      assert.deepEqual(driver.results(requests[2]), ['{"city":"Oslo","degrees":7}']);
      assert.deepEqual(done, ["weather Oslo 1"]);
    },
  );

  behaviour(
    "a tool that is not there, or is switched off, is said to be none; the other calls are made",
    async () => {
      const { done, weather, send } = workshop();
      const tools = new ToolRegistry([weather, send]).disable("send-mail");
      const { result, requests, store } = await run({
        tools,
        replies: [
          driver.reply(
            call("get_wether"),
            call("send-mail", { to: "a" }),
            call("weather", { city: "Oslo" }),
          ),
          "done",
        ],
      });
      assert.equal(result.finalText, "done");
      const [unknown, off, known] = driver.results(requests[1]);
      assert.match(
        unknown!,
        inScripts ? /^ReferenceError: 'get_wether' is not defined/ : /there is no tool get_wether/,
      );
      assert.match(
        off!,
        inScripts ? /^ReferenceError: 'send_mail' is not defined/ : /there is no tool send-mail/,
      );
      if (!inScripts) assert.match(unknown!, /there is: weather$/);
      assert.equal(known, '{"city":"Oslo","degrees":7}');
      assert.deepEqual(done, ["weather Oslo 1"]);
      assert.ok(!JSON.stringify(requests[0]).includes("Sends a mail"));
      assert.deepEqual((await store.calls("s")).map(({ name }) => name), ["weather"]);
    },
  );

  behaviour(
    "what a tool throws reaches the model with its name and no stack, and the run goes on",
    async () => {
      const { broken } = workshop();
      const { result, requests } = await run({
        tools: [broken, plain("quiet", () => undefined)],
        replies: [driver.reply(call("broken"), call("quiet")), "done"],
      });
      assert.equal(result.finalText, "done");
      assert.deepEqual(driver.results(requests[1]), ["RangeError: no such row", "(no result)"]);
      assert.ok(!JSON.stringify(requests[1]).includes("tool_behaviours.ts"));
    },
  );

  behaviour(
    "a tool that never settles is given up at its deadline, and its signal ends",
    async () => {
      let signal: AbortSignal | undefined;
      const tool = plain("wait", (_args, context) => {
        signal = context.signal;
        return new Promise(() => {});
      }, { timeoutMs: 30 });
      const { result, requests, store } = await run({
        tools: [tool],
        replies: [driver.reply(call("wait")), "done"],
      });
      assert.equal(result.finalText, "done");
      assert.deepEqual(driver.results(requests[1]), [
        "TimeoutError: wait gave no result within 30 ms",
      ]);
      assert.equal(signal?.aborted, true);
      assert.deepEqual((await store.calls("s")).map(({ outcome }) => outcome), ["timeout"]);
    },
  );

  behaviour(
    "a result beyond the bound of a call is told as too large and kept from the model",
    async () => {
      const { result, requests, store } = await run({
        tools: [plain("dump", () => "x".repeat(8 * 1024 * 1024 + 1))],
        replies: [driver.reply(call("dump")), "done"],
      });
      assert.equal(result.finalText, "done");
      assert.match(
        driver.results(requests[1])[0]!,
        /the result of dump is too large: it is \d+ bytes/,
      );
      assert.ok(JSON.stringify(requests[1]).length < 20_000);
      assert.deepEqual((await store.calls("s")).map(({ outcome }) => outcome), ["result"]);
    },
  );

  behaviour(
    "a long result costs the model little, and all of it can be used in the next turn",
    async () => {
      const whole = Array.from({ length: 20_000 }, (_, n) => `line ${n}`).join("\n");
      const last = "line 19999";
      const steps = {
        keep: inScripts
          ? scripted("function run() { return dump({}); }")
          : driver.reply(call("dump")),
        look: inScripts
          ? scripted("function run(args) { log('<0> ' + args.slice(-10)); }")
          : driver.reply(call("read_result", { call_id: "call00001", find: last })),
      };
      const { result, requests } = await run({
        tools: [plain("dump", () => whole)],
        replies: [steps.keep, steps.look, "done"],
      });
      assert.equal(result.finalText, "done");
      const told = toldSince(requests[1]!).map(({ content }) => content).join("\n");
      assert.ok(told.length < 17_000, `${told.length}`);
      if (inScripts) assert.match(told, /returned \(now args\): string\(\d+\)/);
      else {assert.match(
          told,
          /read_result\(\{"call_id": "call00001", "from": …\}\) shows the rest\]$/,
        );}
      const [part] = driver.results(requests[2]);
      assert.equal(part?.split("\n").at(-1), last);
    },
  );

  behaviour("the policy's refusal is told with its reason, and the tool does not run", async () => {
    const { done, send } = workshop();
    const asked: unknown[] = [];
    const { requests, store } = await run({
      tools: [send],
      replies: [driver.reply(call("send-mail", { to: "eve" })), "done"],
      config: {
        policy: {
          check: ({ name, target, args, sideEffect }) => {
            asked.push([name, target, args, sideEffect]);
            return { decision: "deny", reason: "not today" };
          },
        },
      },
    });
    assert.deepEqual(done, []);
    assert.deepEqual(asked, [["send_mail", "eve", [{ to: "eve" }], true]]);
    assert.deepEqual(driver.results(requests[1]), [
      "PermissionError: send_mail (eve) is refused: not today. Do not try it again in this run.",
    ]);
    const [row] = await store.calls("s");
    assert.deepEqual([row?.decision, row?.outcome], ["denied", "refused"]);
  });

  behaviour(
    "a person approves, refuses with a reason, or changes the arguments, which the model is told",
    async () => {
      const { done, send } = workshop();
      const asked: ApprovalRequest[] = [];
      const { requests, store } = await run({
        tools: [send],
        replies: [
          driver.reply(
            ...["ann", "bob", "eve"].map((to) => call("send-mail", { to })),
          ),
          "done",
        ],
        config: {
          policy: new DefaultPolicy(),
          approve: (request) => {
            asked.push(request);
            if (request.target === "ann") return { decision: "approve" };
            if (request.target === "bob") return { decision: "deny", reason: "he is away" };
            return { decision: "approve", args: [{ to: "dan" }] };
          },
        },
      });
      assert.deepEqual(asked.map(({ name, target }) => [name, target]), [
        ["send_mail", "ann"],
        ["send_mail", "bob"],
        ["send_mail", "eve"],
      ]);
      assert.deepEqual(done, ["mail to ann", "mail to dan"]);
      const told = toldSince(requests[1]!).map(({ content }) => content).join("\n");
      assert.match(told, /send_mail \(bob\) is refused: the user said no: he is away/);
      assert.match(told, /the user changed the arguments of send_mail to \[\{"to":"dan"\}\]/);
      assert.deepEqual(
        (await store.calls("s")).map(({ target, decision, outcome, argsJson }) => [
          target,
          decision,
          outcome,
          argsJson,
        ]),
        [
          ["ann", "approved", "ok", '[{"to":"ann"}]'],
          ["bob", "denied", "refused", '[{"to":"bob"}]'],
          ["dan", "changed", "ok", '[{"to":"dan"}]'],
        ],
      );
    },
  );

  behaviour(
    "calls beyond what the run may make are not made, and the run ends on the limit",
    async () => {
      const { done, weather } = workshop();
      const cities = ["Oslo", "Rome", "Bonn"].map((city) => call("weather", { city }));
      const { result } = await run({
        tools: [weather],
        replies: [driver.reply(...cities)],
        config: { limits: { hostCalls: 2 } },
      });
      assert.deepEqual([result.status, result.reason], ["limit", "host_calls"]);
      assert.deepEqual(done, ["weather Oslo 1", "weather Rome 1"]);
    },
  );

  behaviour("a tool that the model has found can be called from the next turn on", async () => {
    const { done, weather, send } = workshop();
    const { result, requests } = await run({
      tools: [send],
      replies: [
        driver.reply(call("discover_tools", { query: "weather" })),
        driver.reply(call("weather", { city: "Oslo" })),
        "done",
      ],
      config: { toolExpander: createToolExpander([weather]) },
    });
    assert.equal(result.finalText, "done");
    assert.ok(!JSON.stringify(requests[0]).includes("The weather in a city"));
    assert.match(driver.results(requests[1])[0]!, /weather/);
    assert.ok(JSON.stringify(requests[1]).includes("The weather in a city"));
    assert.deepEqual(driver.results(requests[2]), ['{"city":"Oslo","degrees":7}']);
    assert.deepEqual(done, ["weather Oslo 1"]);
  });

  behaviour("the log of calls has one row a call, the same under each protocol", async () => {
    const { weather, send, broken } = workshop();
    const { store } = await run({
      tools: [weather, send, broken],
      replies: [
        driver.reply(
          call("weather", { city: "Oslo" }),
          call("send-mail", { to: "ann" }),
          call("broken"),
        ),
        driver.reply(call("weather", { city: 1 })),
        "done",
      ],
      config: { policy: new DefaultPolicy(), approve: () => ({ decision: "approve" }) },
    });
    const first = driver.prelude.length + 1;
    assert.deepEqual(
      (await store.calls("s")).map((row) => [
        row.name,
        row.argsJson,
        row.target,
        row.turn,
        row.sequence,
        row.decision,
        row.outcome,
        row.error,
      ]),
      [
        ["weather", '[{"city":"Oslo"}]', undefined, first, 0, "allowed", "ok", undefined],
        ["send_mail", '[{"to":"ann"}]', "ann", first, 1, "approved", "ok", undefined],
        ["broken", "[{}]", undefined, first, 2, "allowed", "error", "no such row"],
        [
          "weather",
          '[{"city":1}]',
          undefined,
          first + 1,
          0,
          "allowed",
          "error",
          "the arguments of weather do not fit: $.city: expected string, got 1 (number)",
        ],
      ],
    );
  });

  behaviour("events come in order, each after the step that it tells", async () => {
    const { weather } = workshop();
    const store = new MemoryStore();
    const seen: string[] = [];
    let lastStored = "";
    const steps = {
      lastN: (id: string, n: number) => store.lastN(id, n),
      append: async (...args: Parameters<MemoryStore["append"]>) => {
        const step = await store.append(...args);
        lastStored = step.stepType;
        return step;
      },
    };
    const unstored: string[] = [];
    await run({
      tools: [weather],
      store,
      replies: [driver.reply(call("weather", { city: "Oslo" })), "done"],
      config: { steps },
      request: {
        onEvent: ({ type }) => {
          if (STREAMED.has(type)) return;
          seen.push(type);
          const isStep = type === "user" || type === "response" ||
            driver.callSteps.includes(type);
          if (isStep && lastStored !== type) unstored.push(`${type} after ${lastStored}`);
        },
      },
    });
    const prelude = driver.prelude.flatMap((_, at) =>
      at === 0 ? ["turn_start", "warning"] : ["turn_start", "warning", "warning"]
    );
    assert.deepEqual(seen, [
      "user",
      ...prelude,
      "turn_start",
      ...driver.callEvents,
      "turn_start",
      "response",
      "done",
    ]);
    assert.deepEqual(unstored, []);
  });

  behaviour("a run that is ended in the middle of a call ends it, and makes no other", async () => {
    const { done, weather } = workshop();
    const ending = new AbortController();
    let signal: AbortSignal | undefined;
    const tool = plain("wait", (_args, context) => {
      signal = context.signal;
      ending.abort();
      return new Promise(() => {});
    });
    const { result, events, store } = await run({
      tools: [tool, weather],
      replies: [driver.reply(call("wait"), call("weather", { city: "Oslo" }))],
      request: { signal: ending.signal },
    });
    assert.deepEqual([result.status, result.reason], ["error", "aborted"]);
    assert.equal(signal?.aborted, true);
    assert.deepEqual(done, []);
    assert.equal(events.at(-1)?.type, "done");
    const rows = await store.calls("s");
    assert.deepEqual(rows.map(({ name }) => name), ["wait"]);
    assert.ok(rows[0]?.outcome === "cancelled" || rows[0]?.outcome === undefined);
  });

  behaviour("secrets stand in nothing that is told or kept, and reach the tool whole", async () => {
    const secret = "sk-test-ABCDEFGH12345678";
    const got: unknown[] = [];
    const tool = defineTool({
      name: "login",
      description: "Logs in",
      parameters: { type: "object", properties: { key: { type: "string" } } },
      target: ({ key }) => `with ${key}`,
      execute: ({ key }) => {
        got.push(key);
        if (got.length === 2) throw new Error(`refused ${key}`);
        return { token: secret };
      },
    });
    const { events, requests, store, result } = await run({
      tools: [tool],
      replies: [
        driver.reply(call("login", { key: secret }), call("login", { key: secret })),
        `It is ${secret}.`,
      ],
      config: { redactor: Redactor.fromSecrets({ KEY: secret }) },
    });
    assert.deepEqual(got, [secret, secret]);
    const kept = {
      events,
      result,
      steps: await store.lastN("s", 50),
      calls: await store.calls("s"),
    };
    for (const [name, value] of Object.entries(kept)) {
      assert.ok(!JSON.stringify(value).includes("ABCDEFGH"), name);
    }
    const told = driver.results(requests[1]);
    assert.equal(told.length, 2);
    for (const text of told) assert.ok(!text.includes("ABCDEFGH"), text);
    assert.equal((await store.calls("s")).length, 2);
  });

  behaviour(
    "results stand in the order of the calls; tools that are safe may run at once where calls are named",
    async () => {
      const order: string[] = [];
      const open = Promise.withResolvers<void>();
      const work = (name: string) =>
        defineTool({
          name,
          description: `Does ${name}`,
          parameters: { type: "object" },
          safe: true,
          execute: async () => {
            order.push(`${name} begins`);
            // In scripts nobody else would open it.
            if (name === "slow" && !inScripts) await open.promise;
            if (name === "fast") open.resolve();
            order.push(`${name} ends`);
            return name;
          },
        });
      const { requests } = await run({
        tools: [work("slow"), work("fast")],
        replies: [driver.reply(call("slow"), call("fast")), "done"],
      });
      assert.deepEqual(driver.results(requests[1]), ["slow", "fast"]);
      assert.deepEqual(
        order,
        inScripts
          ? ["slow begins", "slow ends", "fast begins", "fast ends"]
          : ["slow begins", "fast begins", "fast ends", "slow ends"],
      );
    },
  );

  for (const other of others) {
    behaviour(
      `a later run under ${other.protocol} is told what was called and what came of it`,
      async () => {
        const { done, weather } = workshop();
        await using store = openSqliteStore(":memory:");
        await run({
          tools: [weather],
          store,
          replies: [driver.reply(call("weather", { city: "Oslo" })), "It is 7 degrees."],
        });
        const { result, requests } = await runTools(other, {
          tools: [weather],
          store,
          replies: [other.reply(call("weather", { city: "Rome" })), "Warmer."],
          request: { message: "and in Rome?" },
        });
        assert.equal(result.finalText, "Warmer.");
        const past = JSON.stringify(requests[0]?.messages);
        for (const part of ["Oslo", "degrees", "It is 7 degrees.", "and in Rome?"]) {
          assert.ok(past.includes(part), part);
        }
        assert.deepEqual(other.results(requests[1]), ['{"city":"Rome","degrees":7}']);
        assert.deepEqual(done, ["weather Oslo 1", "weather Rome 1"]);
      },
    );
  }

  behaviour(
    "a call that a program died in is not made again, and the next run says that its result was not kept",
    async () => {
      const { store, dying, kill } = mortalStore();
      let done = 0;
      const tool = plain("pay", () => {
        done++;
        kill();
        return "paid";
      });
      const first = await run({
        tools: [tool],
        store,
        replies: [driver.reply(call("pay"))],
        config: dying,
      });
      assert.equal(first.result.status, "error");
      const [row] = await store.calls("s");
      assert.deepEqual([row?.name, row?.outcome], ["pay", undefined]);
      const second = await run({ tools: [tool], store, replies: ["I will look."] });
      assert.equal(second.result.finalText, "I will look.");
      assert.equal(done, 1);
      assert.match(
        JSON.stringify(second.requests[0]?.messages),
        /\[The run ended before this (?:call|script)'s result was kept\.\]/,
      );
    },
  );

  behaviour("a model that goes on calling is stopped at the last turn", async () => {
    const { done, weather } = workshop();
    const again = driver.reply(call("weather", { city: "Oslo" }));
    const { result, requests } = await run({
      tools: [weather],
      replies: inScripts ? [again, again] : [again, "What I have."],
      config: { maxIterations: driver.prelude.length + 2 },
    });
    if (inScripts) {
      assert.deepEqual([result.status, result.finalText], ["max_iterations", ""]);
      assert.equal(done.length, 2);
    } else {
      assert.deepEqual([result.status, result.finalText, result.forced], [
        "completed",
        "What I have.",
        true,
      ]);
      assert.equal(requests[1]?.toolChoice, "none");
      assert.equal(done.length, 1);
    }
  });

  behaviour(
    "a call that nobody decides over yet ends the run, and is made once with what the word changes, in another loop",
    async () => {
      const { done, send } = workshop();
      const store = new MemoryStore();
      const config = { policy: new DefaultPolicy() };
      const waiting = await run({
        tools: [send],
        store,
        replies: [driver.reply(call("send-mail", { to: "ann" }))],
        config: { ...config, approve: () => ({ decision: "wait" }) },
      });
      assert.deepEqual([waiting.result.status, done], ["waiting", []]);
      const types = (await store.lastN("s", 20)).map(({ stepType }) => stepType);
      assert.equal(types.at(-1), "approval");
      const { result, requests } = await run({
        tools: [send],
        store,
        replies: ["done"],
        config,
        word: { decision: "approve", args: [{ to: "bob" }] },
      });
      assert.equal(result.finalText, "done");
      assert.deepEqual(done, ["mail to bob"]);
      const told = toldSince(requests[0]!).map(({ content }) => content).join("\n");
      assert.match(told, /changed|other arguments/i);
    },
  );

  function scripted(source: string) {
    return protocol === "code"
      ? `\`\`\`js\n${source}\n\`\`\``
      : { toolCalls: [{ name: "run_javascript", arguments: { code: source } }] };
  }
}
