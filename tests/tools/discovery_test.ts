/** Tools that are found while a run goes on, with real parts: guests in processes, requests over loopback, many tools. */
import assert from "node:assert/strict";
import type { RunRequest } from "../../contracts/loop.ts";
import { createOpenAIClient } from "../../llm/openai.ts";
import { scriptedClient, type ScriptedStep } from "../../llm/scripted.ts";
import { createLoop } from "../../loop/create_loop.ts";
import { DefaultSandboxBuilder } from "../../sandbox/default_builder.ts";
import { createInlineHost } from "../../sandbox/inline_host.ts";
import { createProcessHost } from "../../sandbox/process_host.ts";
import { SandboxPool } from "../../sandbox/sandbox_pool.ts";
import { MemoryStore } from "../../stores/memory.ts";
import { createToolExpander, defineTool, toolCapability, ToolRegistry } from "../../tools/mod.ts";
import { type ServerStep, startOpenAIServer } from "../fixtures/openai_server.ts";

const AREAS = ["invoice", "customer", "weather", "calendar", "parcel"];

/** So many tools as a large program has them, each with a few arguments. */
function manyTools(count: number) {
  return Array.from({ length: count }, (_, n) => {
    const area = AREAS[n % AREAS.length]!;
    return defineTool({
      name: `${area}-action-${n}`,
      description: `Does the action number ${n} on a ${area}, and tells what became of it.`,
      parameters: {
        type: "object",
        properties: {
          id: { type: "string", description: `Which ${area} it is about` },
          amount: { type: "integer", minimum: 1, maximum: 100 + n },
          mode: { type: "string", enum: ["fast", "careful"] },
        },
        required: ["id"],
      },
      execute: ({ id, amount = 1 }) => `${area} ${n}: ${id} x ${amount}`,
    });
  });
}

function block(body: string): string {
  return `\`\`\`javascript\nfunction run(args) { ${body} }\n\`\`\``;
}

const FIND = block(`log(discover_tools({ query: "weather", names: ["parcel-action-9"] }))`);

for (const kind of ["process", "inline"] as const) {
  Deno.test(`discovery in scripts (${kind}): a found tool is a typed function of the next turn, and of later runs that may find it`, async () => {
    await using host = kind === "inline" ? createInlineHost() : createProcessHost();
    await using builder = new DefaultSandboxBuilder({
      host,
      capabilities: [toolCapability([defineTool({
        name: "own",
        description: "Is always there",
        parameters: { type: "object" },
        execute: () => "own",
      })])],
    });
    await using pool = new SandboxPool(builder);
    const store = new MemoryStore();
    const replies: ScriptedStep[] = [
      FIND,
      block(
        `answer([own(), weather_action_2({ id: "a", amount: 3 }), parcel_action_9({ id: "b" })])`,
      ),
      block(`answer(typeof weather_action_2)`),
      block(`try { weather_action_2({ id: 5 }) } catch (error) { answer(error.message) }`),
    ];
    const llm = scriptedClient(replies);
    const loop = createLoop({
      llm,
      sessions: store,
      steps: store,
      calls: store,
      sandboxBuilder: pool,
      toolExpander: createToolExpander(manyTools(30)),
    });
    const run = async (message: string, more: Partial<RunRequest> = {}) => {
      const { finalText, error } = await loop.run({ sessionId: "s", message, ...more });
      assert.equal(error, undefined);
      return finalText;
    };
    assert.deepEqual(JSON.parse(await run("one")), ["own", "weather 2: a x 3", "parcel 9: b x 1"]);
    // The sandbox is the same, what the run may find is not.
    assert.equal(await run("two", { toolExpander: createToolExpander([]) }), "undefined");
    assert.match(await run("three"), /\$\.id: expected string, got 5 \(number\)/);
    llm.assertDone();

    const [first, second] = llm.requests;
    assert.match(
      first!.messages[0]!.content,
      /declare function own\(\): any;.*\ndeclare function discover_tools\(/,
    );
    assert.equal(second!.messages[0]!.content, first!.messages[0]!.content);
    const told = second!.messages.at(-1)!.content;
    assert.match(
      told,
      /note: functions that you can call from your next turn on:\ndeclare function parcel_action_9\(args: \{ id: string.*amount\?: number/,
    );
    assert.match(told, /\ndeclare function weather_action_2\(/);
    const calls = (await store.calls("s")).map(({ name }) => name);
    assert.deepEqual(calls, ["own", "weather_action_2", "parcel_action_9", "weather_action_2"]);
  });
}

Deno.test("discovery in scripts: what is added may take no name that is taken or that scripts need, and then changes nothing", async () => {
  await using host = createInlineHost();
  await using builder = new DefaultSandboxBuilder({
    host,
    capabilities: [toolCapability(manyTools(1))],
  });
  const signal = new AbortController().signal;
  await using sandbox = await builder.build({
    session: { id: "s" },
    runId: "r",
    signal,
    emit: () => {},
  });
  const fn = (name: string) => ({ name, execute: () => name });
  sandbox.extend!([fn("extra")]);
  for (const name of ["invoice_action_0", "answer", "run", "console", "a b", "x;y", ""]) {
    assert.throws(() => sandbox.extend!([fn("more"), fn(name)]), TypeError, name);
  }
  assert.deepEqual([...sandbox.functions.keys()], ["invoice_action_0", "extra"]);
  const evaluate = (source: string) =>
    sandbox.evaluate({
      source,
      seed: 1,
      now: () => new Date(0),
      onCall: ({ name }) => Promise.resolve({ ok: true, json: JSON.stringify(name) }),
    });
  const { valueJson } = await evaluate("function run() { return [extra(), typeof more] }");
  assert.equal(valueJson, '["extra","undefined"]');
  sandbox.extend!([]);
  assert.equal((await evaluate("function run() { return typeof extra }")).valueJson, '"undefined"');
});

/** Bytes of the bodies that one run sends. */
async function bodies(
  replies: readonly ServerStep[],
  parts: Partial<Parameters<typeof createLoop>[0]>,
): Promise<number[]> {
  await using server = await startOpenAIServer({ replies });
  const store = new MemoryStore();
  const llm = createOpenAIClient({ apiKey: "k", baseUrl: server.baseUrl, model: "m" });
  const loop = createLoop({ llm, sessions: store, steps: store, ...parts });
  const { finalText, error } = await loop.run({ sessionId: "s", message: "Pay it" });
  assert.equal(error, undefined);
  assert.equal(finalText, "done");
  return server.requests.map(({ body }) => new TextEncoder().encode(JSON.stringify(body)).length);
}

Deno.test("discovery: 2,000 tools behind an expander cost no more prompt than 20 that are declared, also when five were found", async () => {
  const toolExpander = createToolExpander(manyTools(2000));
  const discover = {
    id: "d",
    type: "function",
    function: {
      name: "discover_tools",
      arguments: JSON.stringify({ names: [0, 1, 2, 3, 4].map((n) => `${AREAS[n]}-action-${n}`) }),
    },
  };
  const [twenty] = await bodies(["done"], {
    protocol: "tools",
    tools: new ToolRegistry(manyTools(20)),
  });
  const [before, after] = await bodies([{ toolCalls: [discover] }, "done"], {
    protocol: "tools",
    toolExpander,
  });
  assert.ok(before! < twenty! / 5, `${before} against ${twenty}`);
  assert.ok(after! < twenty!, `${after} against ${twenty}`);

  await using host = createInlineHost();
  const sandbox = (count: number) =>
    new DefaultSandboxBuilder({ host, capabilities: [toolCapability(manyTools(count))] });
  const plain = new DefaultSandboxBuilder({ host });
  const done = block(`answer("done")`);
  const [scripts] = await bodies([done], { sandboxBuilder: sandbox(20) });
  const find = block(`discover_tools(${discover.function.arguments})`);
  const [start, found] = await bodies([find, done], { sandboxBuilder: plain, toolExpander });
  assert.ok(start! < scripts!, `${start} against ${scripts}`);
  assert.ok(found! < scripts!, `${found} against ${scripts}`);
});
