import { deepEqual, equal, match } from "node:assert/strict";
import type { RunEvent } from "../contracts/event.ts";
import { scriptedClient } from "../llm/scripted.ts";
import { MemoryStore } from "../stores/memory.ts";
import { fakeSandboxBuilder } from "./_fake_sandbox.ts";
import { createLoop } from "./create_loop.ts";

/** A store that takes nothing any more once it was told to hang. */
class HangingStore extends MemoryStore {
  hangs = false;

  override append(step: Parameters<MemoryStore["append"]>[0]): ReturnType<MemoryStore["append"]> {
    return this.hangs ? new Promise(() => {}) : super.append(step);
  }
}

Deno.test("a store that hangs keeps neither the wall time nor the caller from ending a run", async () => {
  using llm = scriptedClient([]);
  const store = new HangingStore();
  store.hangs = true;
  const events: RunEvent[] = [];
  const loop = createLoop({
    llm,
    sessions: store,
    steps: store,
    sandboxBuilder: fakeSandboxBuilder(),
  });
  const result = await loop.run({
    sessionId: "s",
    message: "hi",
    timeoutMs: 50,
    onEvent(event) {
      events.push(event);
      // The store answers again, so that the end of the run can be kept.
      if (event.type === "warning") store.hangs = false;
    },
  });
  equal(result.status, "error");
  equal(result.reason, "timeout");
  const warnings = events.flatMap((event) => event.type === "warning" ? [event.content] : []);
  equal(warnings.length, 1);
  match(warnings[0]!, /The store has not taken the end of the run within 5 s/);
  deepEqual((await store.list()).map((session) => session.status), ["error"]);
});
