/** Tools called by name through all real parts: requests over loopback, a SQLite file, tools that are defined once. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { createOpenAIClient } from "../../llm/openai.ts";
import { createLoop } from "../../loop/create_loop.ts";
import { DefaultPolicy } from "../../loop/policy.ts";
import { openSqliteStore } from "../../stores/sqlite/mod.ts";
import { defineTool, ToolRegistry } from "../../tools/mod.ts";
import { startOpenAIServer } from "../fixtures/openai_server.ts";

function shop(sold: string[]) {
  const find = defineTool({
    name: "find-lamp",
    description: "Looks a lamp up",
    parameters: {
      type: "object",
      properties: { colour: { type: "string", enum: ["red", "blue"] } },
      required: ["colour"],
    },
    safe: true,
    execute: ({ colour }) => ({ id: `lamp-${colour}`, price: 12 }),
  });
  const sell = defineTool({
    name: "sell",
    description: "Sells one",
    parameters: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
    sideEffect: true,
    target: ({ id }) => String(id),
    execute: ({ id }) => {
      sold.push(id);
      return "sold";
    },
  });
  return new ToolRegistry([find, sell]);
}

function wireCall(id: string, name: string, args: unknown) {
  return { id, type: "function", function: { name, arguments: JSON.stringify(args) } };
}

Deno.test("tools by name: checked arguments, one gate, a trace in SQLite, and a second process's run that goes on with it", async () => {
  const folder = await Deno.makeTempDir();
  const sold: string[] = [];
  try {
    await using server = await startOpenAIServer({
      replies: [
        {
          toolCalls: [
            wireCall("a", "find-lamp", { colour: "red" }),
            wireCall("b", "find-lamp", { colour: "green" }),
          ],
        },
        { text: "I sell it.", toolCalls: [wireCall("c", "sell", { id: "lamp-red" })] },
        "Sold for 12.",
        "You bought lamp-red.",
      ],
    });
    const llm = createOpenAIClient({ apiKey: "k", baseUrl: server.baseUrl, model: "m" });
    const path = join(folder, "agent.db");
    {
      await using store = openSqliteStore(path);
      const loop = createLoop({
        protocol: "tools",
        tools: shop(sold),
        llm,
        sessions: store,
        steps: store,
        calls: store,
        policy: new DefaultPolicy(),
        approve: ({ target }) =>
          target === "lamp-red" ? { decision: "approve" } : { decision: "deny", reason: "no" },
      });
      const result = await loop.run({ sessionId: "s", message: "One red lamp, please." });
      assert.equal(result.error, undefined);
      assert.equal(result.finalText, "Sold for 12.");
    }
    assert.deepEqual(sold, ["lamp-red"]);
    await using store = openSqliteStore(path);
    const loop = createLoop({
      protocol: "tools",
      tools: shop(sold),
      llm,
      sessions: store,
      steps: store,
    });
    const again = await loop.run({ sessionId: "s", message: "What did I buy?" });
    assert.equal(again.finalText, "You bought lamp-red.");
    assert.deepEqual(sold, ["lamp-red"]);
    const bodies = server.requests.map(({ body }) =>
      body as { messages: unknown[]; tools: unknown[] }
    );
    assert.deepEqual(bodies[3]?.tools, bodies[0]?.tools);
    assert.deepEqual(bodies[3]?.messages.slice(0, bodies[2]?.messages.length), bodies[2]?.messages);
    const wrong = JSON.stringify(bodies[1]?.messages.at(-1));
    assert.match(wrong, /\$\.colour: expected/);
    const rows = await store.calls("s");
    assert.deepEqual(
      rows.map(({ name, target, decision, outcome }) => [name, target, decision, outcome]),
      [
        ["find_lamp", undefined, "allowed", "ok"],
        ["find_lamp", undefined, "allowed", "error"],
        ["sell", "lamp-red", "approved", "ok"],
      ],
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
