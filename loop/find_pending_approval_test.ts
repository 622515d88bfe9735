import { deepEqual, equal, rejects } from "node:assert/strict";
import type { CallableTool } from "../contracts/tool.ts";
import { WAIT, Waiting, YES } from "./_waiting_fixture.ts";
import { fixture } from "./_run_fixture.ts";
import { findPendingApproval } from "./find_pending_approval.ts";
import { DefaultPolicy } from "./policy.ts";

Deno.test("findPendingApproval: what a script waits at, until the word is given", async () => {
  const waiting = new Waiting();
  const { store } = waiting;
  equal(await findPendingApproval({ steps: store, sessionId: "s" }), undefined);
  const { pending } = await waiting.wait("async function run() { return await send('a'); }");
  equal(pending?.name, "send");
  deepEqual(await findPendingApproval({ steps: store, sessionId: "s" }), pending);
  equal(await findPendingApproval({ steps: store, sessionId: "other" }), undefined);
  using run = waiting.open(["Sent."]);
  await run.loop.resume(YES);
  equal(await findPendingApproval({ steps: store, sessionId: "s" }), undefined);
});

Deno.test("findPendingApproval: what a call by name waits at, until another message comes", async () => {
  const hostFunction = { name: "send", sideEffect: true, execute: () => "sent" };
  const tool: CallableTool = {
    declaration: { name: "send", description: "sends", parameters: { type: "object" } },
    hostFunction,
    safe: false,
  };
  using run = fixture([{ toolCalls: [{ name: "send", arguments: { to: "a" } }] }, "Never mind."], {
    config: {
      protocol: "tools",
      tools: { callable: () => [tool] },
      policy: new DefaultPolicy(),
      approve: WAIT,
    },
  });
  const { store } = run;
  const { pending } = await run.loop.run({ sessionId: "s", message: "go" });
  deepEqual([pending?.name, pending?.args], ["send", [{ to: "a" }]]);
  deepEqual(await findPendingApproval({ steps: store, sessionId: "s" }), pending);
  await run.loop.run({ sessionId: "s", message: "forget it" });
  equal(await findPendingApproval({ steps: store, sessionId: "s" }), undefined);
});

Deno.test("findPendingApproval: what callers may not hand in", async () => {
  const { store } = new Waiting();
  await rejects(findPendingApproval({ steps: {} as never, sessionId: "s" }), {
    name: "TypeError",
    message: "findPendingApproval: steps lacks the method lastN",
  });
  await rejects(findPendingApproval({ steps: store, sessionId: "" }), TypeError);
});
