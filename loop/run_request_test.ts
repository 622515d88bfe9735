import { deepEqual, equal, match, ok } from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type { Client, CompletionRequest } from "../contracts/model.ts";
import { MemoryStore } from "../stores/memory.ts";
import { block, fixture, returning } from "./_run_fixture.ts";
import { composeSystemPrompt } from "./prompt.ts";

const REQUEST = { sessionId: "s", message: "How many?" };

function contents(request: CompletionRequest | undefined): string[] {
  return (request?.messages ?? []).map(({ role, content }) => `${role}: ${content}`);
}

Deno.test("run request: the system prompt is composed of persona, sandbox API and context, and reported", async () => {
  const store = new MemoryStore();
  await store.configure("s", { systemPrompt: "You are Ada." });
  using made = fixture(["4"], { store, sandbox: { prompt: "declare function now(): string;" } });
  const result = await made.loop.run({ ...REQUEST, context: "Project: x" });
  const prompt = composeSystemPrompt(
    "You are Ada.",
    "declare function now(): string;",
    "Project: x",
  );
  equal(result.systemPrompt, prompt);
  deepEqual(contents(made.llm.requests[0]), [`system: ${prompt}`, "user: How many?"]);
});

Deno.test("run request: the context of one run is not stored and not sent by the next", async () => {
  using made = fixture(["4", "5"]);
  await made.loop.run({ ...REQUEST, context: "Project: x" });
  const { systemPrompt } = await made.loop.run(REQUEST);
  equal(systemPrompt, composeSystemPrompt("", ""));
});

Deno.test("run request: the request's model beats the session's, the session's the loop's", async () => {
  const store = new MemoryStore();
  await store.configure("pinned", { model: "m-session" });
  using made = fixture(["1", "2", "3"], { store, config: { model: "m-loop" } });
  await made.loop.run({ sessionId: "free", message: "x" });
  await made.loop.run({ sessionId: "pinned", message: "x" });
  await made.loop.run({ sessionId: "pinned", message: "x", model: "m-request", maxTokens: 9 });
  deepEqual(made.llm.requests.map(({ model, maxTokens }) => [model, maxTokens]), [
    ["m-loop", undefined],
    ["m-session", undefined],
    ["m-request", 9],
  ]);
});

Deno.test("run request: turnContext stands with the message in its run only, the same in every turn", async () => {
  using made = fixture([returning(1), "4", "5"]);
  await made.loop.run({ ...REQUEST, turnContext: "It is noon." });
  await made.loop.run({ sessionId: "s", message: "And now?" });
  const [first, second, third] = made.llm.requests.map(contents);
  equal(first?.[1], "user: How many?\n\nIt is noon.");
  equal(second?.[1], first?.[1]);
  equal(third?.[1], "user: How many?");
  equal((await made.store.lastN("s", Infinity))[0]?.content, "How many?");
});

Deno.test("run request: a session's data is the first script's args, byte for byte", async () => {
  const store = new MemoryStore();
  const json = '{"b":1.0,"a":[ ],"__proto__":1}';
  await store.updateData("s", json);
  using made = fixture([block("function run(args) { answer(args.b); }")], { store });
  await made.loop.run(REQUEST);
  equal(made.sandboxBuilder.evaluated[0]?.argsJson, json);
});

Deno.test("run request: data that the replayed history does not show is told with the message", async () => {
  const value = Array.from({ length: 100 }, (_, id) => ({ id }));
  const digest = "array(100) of {id: number}";
  const store = new MemoryStore();
  await store.updateData("s", JSON.stringify(value));
  using made = fixture(["4", returning(value), "5", "6", "7"], { store });
  await made.loop.run(REQUEST);
  equal(
    contents(made.llm.requests[0])[1],
    `user: How many?\n\n[args, carried over from before: ${digest}]`,
  );
  equal((await store.lastN("s", 2))[0]?.content, "How many?");
  // Now a result in the history shows it.
  await made.loop.run(REQUEST);
  await made.loop.run(REQUEST);
  equal(contents(made.llm.requests[3]).at(-1), "user: How many?");
  // And now it does not any more: somebody else has changed it.
  await store.updateData("s", JSON.stringify({ list: value }));
  await made.loop.run(REQUEST);
  match(contents(made.llm.requests[4]).at(-1) ?? "", /carried over from before: \{list: /);
});

Deno.test("run request: what a script returned never enters a prompt", async () => {
  const value = Array.from(
    { length: 30 },
    (_, i) => ({ token: `marker-${i}`, n: 741_852_963 + i }),
  );
  using made = fixture([
    returning(value),
    block("function run(args) { return { ...args, more: args }; }"),
    "4",
    "5",
  ]);
  await made.loop.run(REQUEST);
  await made.loop.run(REQUEST);
  // The model wrote the value itself in its first script; that is all that may show it, while it is the newest.
  for (const request of made.llm.requests.slice(2)) {
    ok(!/marker-|7418529/.test(JSON.stringify(request.messages)));
  }
});

Deno.test("run request: history is bounded by the loop's window", async () => {
  using made = fixture(["1", "2", "3", "4"], { config: { historyWindow: 2 } });
  for (const message of ["a", "b", "c", "d"]) await made.loop.run({ sessionId: "s", message });
  deepEqual(contents(made.llm.requests[3]).slice(1), ["user: c", "assistant: 3", "user: d"]);
});

Deno.test("run request: sessions do not see each other", async () => {
  using made = fixture(["1", "2"]);
  await made.loop.run({ sessionId: "a", message: "secret" });
  await made.loop.run({ sessionId: "b", message: "x" });
  ok(!JSON.stringify(made.llm.requests[1]).includes("secret"));
});

Deno.test("run request: the sandbox is told of the run, and its functions of the caller", async () => {
  const seen: unknown[] = [];
  const scope = { workspaceId: "w", projectId: "p" };
  using made = fixture([block("async function run() { answer(await whoami()); }")], {
    sandbox: {
      onBuild: ({ session, scope, userId, runId }) => {
        seen.push([session.id, scope, userId, typeof runId]);
      },
      functions: [{
        name: "whoami",
        execute: (_args, context) => `${context.userId} ${context.scope?.projectId}`,
      }],
    },
  });
  const { finalText } = await made.loop.run({ ...REQUEST, scope, userId: "u" });
  deepEqual([seen, finalText], [[["s", scope, "u", "string"]], "u p"]);
});

Deno.test("run request: sandbox and client are made ready while the steps are being read", async () => {
  const order: string[] = [];
  const store = new MemoryStore();
  const read = Promise.withResolvers<void>();
  const lastN = store.lastN.bind(store);
  store.lastN = async (id, n) => {
    order.push("read begins");
    await read.promise;
    order.push("read ends");
    return await lastN(id, n);
  };
  using made = fixture([() => (order.push("asked"), "4")], {
    store,
    sandbox: { onBuild: () => (order.push("built"), read.resolve()) },
  });
  await made.loop.run(REQUEST);
  deepEqual([order, made.llm.warmUps], [["read begins", "built", "read ends", "asked"], 1]);
});

Deno.test("run request: the sandbox is warmed up while the model is asked, once, and not before the client is loaded", async () => {
  const order: string[] = [];
  const warm = Promise.withResolvers<void>();
  const asked = async () => {
    order.push("asked");
    await warm.promise;
    return returning(1);
  };
  using made = fixture([asked, "4"], {
    sandbox: { onWarmUp: () => (order.push("sandbox"), warm.resolve()) },
  });
  const warmUp = async () => {
    await delay(20);
    order.push("client");
  };
  Object.assign(made.llm, { warmUp });
  equal((await made.loop.run(REQUEST)).finalText, "4");
  deepEqual(order, ["asked", "client", "sandbox"]);
});

Deno.test("run request: a run that is over warms nothing up, and a warm-up that fails changes nothing", async () => {
  let warmed = 0;
  const onWarmUp = () => {
    warmed++;
    throw new Error("no process");
  };
  using quick = fixture(["4"], { sandbox: { onWarmUp } });
  const loaded = Promise.withResolvers<void>();
  Object.assign(quick.llm, { warmUp: () => loaded.promise });
  equal((await quick.loop.run(REQUEST)).finalText, "4");
  loaded.resolve();
  await delay(50);
  equal(warmed, 0);
  const slow = async () => {
    await delay(50);
    return "5";
  };
  using made = fixture([slow], { sandbox: { onWarmUp } });
  equal((await made.loop.run(REQUEST)).finalText, "5");
  equal(warmed, 1);
});

Deno.test("run request: a client that cannot warm up is asked all the same", async () => {
  for (
    const warmUp of [
      () => Promise.reject(new Error("no package")),
      () => {
        throw new Error("no package");
      },
      () => new Promise<void>(() => {}),
    ]
  ) {
    using made = fixture(["4"]);
    Object.assign(made.llm, { warmUp });
    equal((await made.loop.run(REQUEST)).finalText, "4");
  }
});

Deno.test("PRV-04: a returned and logged lone surrogate leaves the next request well-formed", async () => {
  using made = fixture([
    block('function run() { log("log \\uD83D end"); return "ok \\uD83D end"; }'),
    "4",
    "5",
  ]);
  await made.loop.run(REQUEST);
  await made.loop.run(REQUEST);
  for (const request of made.llm.requests) {
    for (const { content } of request.messages) ok(content.isWellFormed(), content);
  }
  equal((await made.store.get("s")).data, '"ok \\ud83d end"');
});

Deno.test("run request: a client that writes on the tools which it is given writes on no other run's", async () => {
  for (const protocol of ["code-tool", "tools"] as const) {
    const offered: string[][] = [];
    const llm: Client = {
      complete({ tools = [], messages }) {
        offered.at(-1)?.push(JSON.stringify(tools));
        for (const tool of tools) {
          writeOn(tool);
          writeOn(tool.parameters);
          writeOn(tool.parameters.properties as object);
        }
        (tools as unknown[]).push("more");
        const isFirst = messages.at(-1)?.role === "user" && protocol === "tools";
        return Promise.resolve({
          text: isFirst ? "" : "done",
          toolCalls: isFirst
            ? [{ id: "c1", name: "discover_tools", argumentsJson: '{"names":["x"]}' }]
            : [],
          model: "m",
          finishReason: "stop",
          usage: { prompt: 1, completion: 1 },
        });
      },
    };
    const toolExpander = { expand: () => [] };
    using made = fixture([], { config: { llm, protocol, toolExpander } });
    for (const sessionId of ["a", "b"]) {
      offered.push([]);
      equal((await made.loop.run({ sessionId, message: "x" })).status, "completed");
    }
    equal(offered[0]?.length, protocol === "tools" ? 2 : 1);
    deepEqual(offered[1], offered[0]);
    ok(!offered.flat().some((tools) => tools.includes('"more"')));
  }
});

Deno.test("run request: a client that writes on what it is given of calls changes no later request", async () => {
  const sent: string[] = [];
  const llm: Client = {
    complete({ messages }) {
      const calls = messages.flatMap(({ toolCalls = [] }) => toolCalls);
      sent.push(JSON.stringify(calls));
      for (const { providerMetadata = {} } of calls) {
        writeOn(providerMetadata);
        writeOn(providerMetadata["google"] as object);
      }
      for (const { toolCalls } of messages) if (toolCalls) Reflect.set(toolCalls, "0", "none");
      const isLast = sent.length === 3;
      return Promise.resolve({
        text: isLast ? "done" : "",
        toolCalls: isLast ? [] : [{
          id: `c${sent.length}`,
          name: "look",
          argumentsJson: "{}",
          providerMetadata: { google: { signature: "s" } },
        }],
        model: "m",
        finishReason: "stop",
        usage: { prompt: 1, completion: 1 },
      });
    },
  };
  using made = fixture([], { config: { llm, protocol: "tools", tools: { callable: () => [] } } });
  equal((await made.loop.run({ sessionId: "s", message: "x" })).status, "completed");
  const call = (id: string) =>
    `{"id":"${id}","name":"look","argumentsJson":"{}","providerMetadata":{"google":{"signature":"s"}}}`;
  deepEqual(sent, ["[]", `[${call("c1")}]`, `[${call("c1")},${call("c2")}]`]);
});

/** As a client does that brings schemas into another form; what is frozen stays. */
function writeOn(given: object): void {
  Reflect.set(given, "strict", true);
  Reflect.set(given, "type", "OBJECT");
}
