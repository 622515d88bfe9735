import { deepEqual } from "node:assert/strict";
import { documentedSymbols, type DocumentedType, unionMembers } from "./documented.ts";

// Programs switch on these words: a new one is a decision, a lost one breaks them.
const WORDS = [
  ["contracts/errors.ts", "ErrorCode", [
    "aborted",
    "timeout",
    "config",
    "internal",
    "not_waiting",
    "model_auth",
    "model_connection",
    "model_context_overflow",
    "model_empty",
    "model_incomplete",
    "model_not_found",
    "model_overloaded",
    "model_rate_limited",
    "model_rejected",
    "model_tools_unsupported",
    "sandbox_busy",
    "sandbox_lost",
    "sandbox_permission",
    "sandbox_start",
    "store_conflict",
    "store_corrupt",
    "store_failed",
    "store_foreign",
    "store_locked",
    "store_missing",
    "store_newer",
  ]],
  ["contracts/session.ts", "RunStatus", [
    "completed",
    "max_iterations",
    "limit",
    "waiting",
    "error",
  ]],
  ["contracts/step.ts", "StepType", [
    "user",
    "execute_js",
    "execute_js_result",
    "llm_call",
    "tool_call",
    "tool_result",
    "approval",
    "response",
    "error",
    "summary",
  ]],
  ["contracts/sandbox.ts", "FailureKind", [
    "time",
    "memory",
    "stack",
    "syntax",
    "threw",
    "result",
    "limit",
    "cancelled",
    "lost",
  ]],
  ["contracts/model.ts", "FinishReason", [
    "stop",
    "length",
    "tool_calls",
    "content_filter",
    "unknown",
  ]],
] as const;

for (const [file, name, expected] of WORDS) {
  Deno.test(`surface: the words of ${name} are pinned`, async () => {
    const members = await unionMembers(file, name);
    deepEqual(members.map((member) => member.repr), [...expected]);
  });
}

Deno.test("surface: the events of a run and their fields are pinned", async () => {
  const members = await unionMembers("contracts/event.ts", "RunEventBody");
  deepEqual(Object.fromEntries(members.map(describeEvent)), {
    user: ["content"],
    turn_start: ["turn"],
    response_chunk: ["content"],
    response_discarded: [],
    execute_js: ["content"],
    execute_js_result: ["content", "ok", "durationMs", "tokens"],
    llm_call: ["content", "calls", "tokens"],
    tool_call: ["args"],
    tool_result: ["args", "content", "ok", "durationMs"],
    approval_pending: ["approval"],
    tools_discovered: ["args"],
    sandbox_event: ["args"],
    data_update: ["args"],
    compacted: ["args"],
    budget_trimmed: ["args"],
    response: ["content", "tokens", "forced", "flagged"],
    answer_held_back: ["content", "claims"],
    answer_flagged: ["content", "claims"],
    warning: ["content"],
    error: ["content", "code"],
    done: ["summary"],
  });
});

Deno.test("surface: what every event carries is pinned", async () => {
  const base = (await documentedSymbols("contracts/event.ts"))
    .find(({ name }) => name === "RunEventBase");
  const { properties = [] } = base?.declarations?.[0]?.def ?? {};
  deepEqual(properties.map(({ name }) => name), ["runId", "sessionId", "agent"]);
});

function describeEvent(member: DocumentedType): [string, string[]] {
  const { properties } = member.value as {
    properties: { name: string; tsType: DocumentedType }[];
  };
  const type = properties.find((property) => property.name === "type")?.tsType.repr ?? "?";
  return [type, properties.map((property) => property.name).filter((name) => name !== "type")];
}
