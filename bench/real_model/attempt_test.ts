/** An attempt goes the same way under each protocol, here with a strict double in the model's place. */
import assert from "node:assert/strict";
import { startOpenAIServer } from "../../tests/fixtures/openai_server.ts";
import { attemptTask } from "./attempt.ts";
import { toolsOf } from "./task_tools.ts";
import { TASKS } from "./tasks.ts";
import { TUNING_TASKS } from "./tuning_tasks.ts";

const LOOKUP = TASKS.find(({ name }) => name === "two-step-lookup")!;

function calling(id: string, name: string, args: object): { toolCalls: object[] } {
  const called = { name, arguments: JSON.stringify(args) };
  return { toolCalls: [{ id, type: "function", function: called }] };
}

Deno.test("a task is solved by calls of its functions as tools", async () => {
  await using server = await startOpenAIServer({
    replies: [
      calling("call_1", "findPart", { name: "hinge-40" }),
      calling("call_2", "getSupplier", { id: "s-9" }),
      { text: "They cost 141.64." },
    ],
  });
  const under = { baseUrl: server.baseUrl, model: "m", protocol: "tools" } as const;
  const { problem, calls, finalText } = await attemptTask(LOOKUP, { under, seed: 1 });
  assert.equal(problem, undefined, finalText);
  assert.deepEqual(calls.map(({ messages }) => messages.at(-1)?.content), [
    LOOKUP.message,
    '{"id":12,"name":"hinge-40","price":4.35,"supplierId":"s-9"}',
    '{"id":"s-9","city":"Turku","discountPercent":12}',
  ]);
  const [first] = server.requests;
  assert.equal(calls[0]?.requestBytes, first && requestBytes(first.body));
  assert.deepEqual(
    first?.body.tools.map((tool: { function: { name: string } }) => tool.function.name),
    ["findPart", "getSupplier"],
  );
});

/** The model's name, temperature and seed come from the client and are left out of the figure. */
function requestBytes({ temperature: _, seed: __, ...body }: Record<string, unknown>): number {
  return new TextEncoder().encode(JSON.stringify({ ...body, model: "" })).length;
}

Deno.test("every task's functions can be called by name", async () => {
  for (const { name, capability } of [...TASKS, ...TUNING_TASKS]) {
    const tools = await toolsOf(capability);
    assert.equal(tools.length > 0, capability !== undefined, name);
    for (const { description } of tools) assert.match(description, /Gives \S/, name);
  }
});
