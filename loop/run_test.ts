import { deepEqual, equal, match, ok } from "node:assert/strict";
import { scriptedClient } from "../llm/scripted.ts";
import { MemoryStore } from "../stores/memory.ts";
import { fakeSandboxBuilder } from "./_fake_sandbox.ts";
import { createLoop } from "./create_loop.ts";

Deno.test("run: one script that answers", async () => {
  using llm = scriptedClient(["```javascript\nfunction run() { answer(6 * 7); }\n```"]);
  const store = new MemoryStore();
  const sandboxBuilder = fakeSandboxBuilder();
  const loop = createLoop({ llm, sessions: store, steps: store, sandboxBuilder });
  const result = await loop.run({ sessionId: "s", message: "6 * 7?" });
  equal(result.status, "completed");
  equal(result.finalText, "42");
  const steps = await store.lastN("s", Infinity);
  deepEqual(steps.map((step) => step.stepType), [
    "user",
    "execute_js",
    "execute_js_result",
    "response",
  ]);
});
