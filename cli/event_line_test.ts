import { deepStrictEqual } from "node:assert/strict";
import type { RunEventBody } from "../contracts/event.ts";
import { eventLine } from "./event_line.ts";

function line(event: RunEventBody) {
  return eventLine({ ...event, runId: "r", sessionId: "s" });
}

const IDS = { run_id: "r", session_id: "s" };

Deno.test("names of our own leave in snake_case, what is in args stays", () => {
  deepStrictEqual(line({ type: "turn_start", turn: 2 }), { type: "turn_start", turn: 2, ...IDS });
  deepStrictEqual(line({ type: "response_discarded" }), { type: "response_discarded", ...IDS });
  deepStrictEqual(
    eventLine({ type: "user", content: "a", runId: "r", sessionId: "s", agent: "scout" }),
    { type: "user", content: "a", agent: "scout", ...IDS },
  );
  deepStrictEqual(line({ type: "data_update", args: { runId: 1, someKey: [] } }), {
    type: "data_update",
    args: { runId: 1, someKey: [] },
    ...IDS,
  });
  deepStrictEqual(
    line({
      type: "execute_js_result",
      content: "answered",
      ok: true,
      durationMs: 5,
      tokens: { prompt: 1, completion: 2, cached: 1 },
    }),
    {
      type: "execute_js_result",
      content: "answered",
      ok: true,
      duration_ms: 5,
      tokens: { prompt: 1, completion: 2, cached: 1 },
      ...IDS,
    },
  );
  deepStrictEqual(
    line({
      type: "done",
      summary: {
        runId: "r",
        sessionId: "s",
        status: "error",
        reason: "timeout",
        steps: 2,
        toolCalls: 3,
        durationMs: 40,
        tokens: { prompt: 1, completion: 2 },
        dataBytesCarried: 7,
      },
    }),
    {
      type: "done",
      summary: {
        session_id: "s",
        run_id: "r",
        status: "error",
        reason: "timeout",
        steps: 2,
        tool_calls: 3,
        duration_ms: 40,
        tokens: { prompt: 1, completion: 2 },
        data_bytes_carried: 7,
      },
      ...IDS,
    },
  );
});

Deno.test("an answer that was forced says so", () => {
  const tokens = { prompt: 1, completion: 1 };
  deepStrictEqual(line({ type: "response", content: "x", tokens, forced: true }), {
    type: "response",
    content: "x",
    tokens,
    forced: true,
    ...IDS,
  });
});
