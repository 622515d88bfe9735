import { equal } from "node:assert/strict";
import type { CallableTool } from "../contracts/tool.ts";
import { AgentLoopError } from "../contracts/errors.ts";
import { scriptedClient, type ScriptedStep } from "../llm/scripted.ts";
import { createLoop } from "../loop/create_loop.ts";
import { openSqliteStore } from "../stores/sqlite/mod.ts";
import { findListing } from "./store_access.ts";
import { putOffWhileWaiting, sessionWait } from "./waiting_session.ts";

Deno.test("waiting session: one whose call was made waits no more, whatever became of its run after that", async () => {
  await using store = openSqliteStore(":memory:");
  const send: CallableTool = {
    declaration: { name: "send", description: "Sends", parameters: { type: "object" } },
    hostFunction: { name: "send", sideEffect: true, execute: () => "sent" },
    safe: false,
  };
  const open = (replies: readonly ScriptedStep[]) =>
    createLoop({
      llm: scriptedClient(replies),
      sessions: store,
      steps: store,
      calls: store,
      protocol: "tools",
      tools: { callable: () => [send] },
      approve: () => ({ decision: "wait" }),
    });
  await open([{ toolCalls: [{ name: "send" }] }]).run({ sessionId: "s", message: "go" });
  const waits = async () => {
    const listing = await findListing(store, "s");
    return (await sessionWait(store, listing!))?.pending.name;
  };
  equal(await waits(), "send");
  equal((await putOffWhileWaiting(store, "s"))?.retry, true);
  const word = { sessionId: "s", decision: { decision: "approve" } } as const;
  equal((await open([]).resume({ ...word, limits: { hostCalls: 0 } })).status, "limit");
  equal(await waits(), "send");
  const fails = { error: new AgentLoopError("later", { code: "model_overloaded" }) };
  equal((await open([fails]).resume(word)).status, "error");
  equal(await waits(), undefined);
  equal(await putOffWhileWaiting(store, "s"), undefined);
});
