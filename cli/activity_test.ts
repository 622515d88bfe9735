import { deepStrictEqual } from "node:assert/strict";
import type { RunEventBody } from "../contracts/event.ts";
import { followRun, tokensTexts } from "./activity.ts";
import { openStatus, type StatusLevel } from "./status.ts";

function linesOf(events: readonly RunEventBody[], level: StatusLevel = "normal"): string[] {
  let written = "";
  const stream = {
    writeSync(bytes: Uint8Array) {
      written += new TextDecoder().decode(bytes);
      return bytes.length;
    },
  };
  using activity = followRun(openStatus(stream, { level }), {
    now: () => 0,
    whyRefused: (name, target) =>
      name === "fetch" ? `--allow-net ${target ?? "NONE"} lets it pass` : undefined,
  });
  for (const event of events) activity.onEvent({ ...event, runId: "r", sessionId: "s" });
  return written.split("\n").filter((line) => line !== "");
}

function call(name: string): RunEventBody {
  return {
    type: "sandbox_event",
    args: { kind: "host_call", name, outcome: "ok", duration_ms: 12, target: "example.com" },
  };
}

const TOKENS = { prompt: 1000, completion: 20 };
const SCRIPT: RunEventBody = { type: "execute_js", content: "function run() {\n  fetch();\n}\n" };
const ENDED: RunEventBody = {
  type: "execute_js_result",
  content: "log:\nfirst\nsecond\nreturned nothing; args is unchanged",
  ok: true,
  durationMs: 30,
  tokens: TOKENS,
};

Deno.test("a turn is one line, with a line for each of the first calls and a count of all of them", () => {
  const events: RunEventBody[] = [
    { type: "turn_start", turn: 1 },
    SCRIPT,
    ...Array.from({ length: 12 }, () => call("fetch")),
    ENDED,
  ];
  deepStrictEqual(linesOf(events), [
    ...Array.from({ length: 5 }, () => "turn 1  fetch example.com, ok, 12 ms"),
    "turn 1  script of 3 lines: ok, 12 calls, 30 ms, 1,000 + 20 tokens | first second returned nothing; args is unchanged",
  ]);
});

Deno.test("an answer that is flagged is a warning that says what nothing shows, once", () => {
  const content = "[Warning: this answer says that something was saved.]";
  deepStrictEqual(linesOf([{ type: "answer_flagged", content, claims: ["saved", "sent"] }]), [
    "warning: the answer is flagged, nothing shows: saved, sent",
  ]);
});

Deno.test("what fails shows the failure and not the log before it", () => {
  const failed: RunEventBody = {
    ...ENDED,
    ok: false,
    content: "log:\nfirst\nfailed at line 2: Error: no\nargs is unchanged",
  };
  deepStrictEqual(linesOf([{ type: "turn_start", turn: 3 }, SCRIPT, failed]), [
    "turn 3  script of 3 lines: failed, 30 ms, 1,000 + 20 tokens | failed at line 2: Error: no",
  ]);
});

Deno.test("named calls are a line a turn with its tokens, and one for each that gave no result; with --verbose all results show", () => {
  const result = (name: string, ok: boolean): RunEventBody => ({
    type: "tool_result",
    args: { id: "c", name },
    content: ok ? "21" : "Error: there is no tool\nby this name",
    ok,
    durationMs: 5,
  });
  const events: RunEventBody[] = [
    { type: "turn_start", turn: 1 },
    { type: "llm_call", content: "I look.", calls: 2, tokens: TOKENS },
    call("weather"),
    result("weather", true),
    result("wether\u001b[31m", false),
    { type: "turn_start", turn: 2 },
    { type: "response", content: "21", tokens: TOKENS },
    { type: "sandbox_event", args: { kind: "facts_distilled", facts: 2 } },
  ];
  deepStrictEqual(linesOf(events), [
    "turn 1  2 calls, 1,000 + 20 tokens",
    "turn 1  weather example.com, ok, 12 ms",
    "turn 1  wether\\x1b[31m: Error: there is no tool by this name",
    "turn 2  answer, 1,000 + 20 tokens",
    "turn 2  2 facts remembered",
  ]);
  deepStrictEqual(linesOf(events, "verbose").slice(2, 6), [
    "turn 1  weather",
    "    21",
    "turn 1  wether\\x1b[31m",
    "    Error: there is no tool",
  ]);
});

Deno.test("the rest of what happens is told in a line each", () => {
  const events: RunEventBody[] = [
    { type: "compacted", args: { messages_before: 60, messages_after: 21 } },
    {
      type: "budget_trimmed",
      args: { messages_dropped: 1, estimated_tokens: 9000, allowance: 8000 },
    },
    { type: "warning", content: "a capability was left out" },
    { type: "turn_start", turn: 1 },
    { type: "response_chunk", content: "Hel" },
    { type: "response", content: "Hello", tokens: TOKENS },
  ];
  deepStrictEqual(linesOf(events), [
    "history summarized: 60 messages became 21",
    "history trimmed: 1 old message left out",
    "warning: a capability was left out",
    "turn 1  answer, 1,000 + 20 tokens",
  ]);
  deepStrictEqual(linesOf(events, "quiet"), ["warning: a capability was left out"]);
});

Deno.test("tokens are told as far as they are known", () => {
  deepStrictEqual(tokensTexts({ prompt: 0, completion: 0 }), []);
  deepStrictEqual(tokensTexts({ prompt: 5000, completion: 7, cached: 4096 }), [
    "5,000 (4,096 cached) + 7 tokens",
  ]);
});

Deno.test("a refused call says what would let it pass", () => {
  const refused = (name: string): RunEventBody => ({
    type: "sandbox_event",
    args: { kind: "host_call", name, outcome: "refused", duration_ms: 1, target: "a.example" },
  });
  deepStrictEqual(linesOf([{ type: "turn_start", turn: 1 }, refused("fetch"), refused("other")]), [
    "turn 1  fetch a.example, refused, 1 ms, --allow-net a.example lets it pass",
    "turn 1  other a.example, refused, 1 ms",
  ]);
});

Deno.test("a refused call without a target says so too, and one that a person refused names no option", () => {
  const refused = (error?: string): RunEventBody => ({
    type: "sandbox_event",
    args: {
      kind: "host_call",
      name: "fetch",
      outcome: "refused",
      duration_ms: 1,
      ...(error === undefined ? {} : { error }),
    },
  });
  deepStrictEqual(
    linesOf([
      { type: "turn_start", turn: 1 },
      refused(),
      refused(
        "fetch is refused: nobody is here: --allow-net NONE lets it pass. Do not try it again.",
      ),
      refused("fetch is refused: the user said no. Do not try it again."),
    ]),
    [
      "turn 1  fetch, refused, 1 ms, --allow-net NONE lets it pass",
      "turn 1  fetch, refused, 1 ms, --allow-net NONE lets it pass",
      "turn 1  fetch, refused, 1 ms",
    ],
  );
});

Deno.test("a script that goes on after a wait is on a line of its own, before the first turn", () => {
  deepStrictEqual(linesOf([call("send"), ENDED, { type: "turn_start", turn: 1 }]), [
    "resumed  send example.com, ok, 12 ms",
    "resumed  script: ok, 30 ms, 1,000 + 20 tokens | first second returned nothing; args is unchanged",
  ]);
});

Deno.test("the result of a tool's call that waited is before the first turn too", () => {
  const result = {
    type: "tool_result",
    args: { id: "c1", name: "buy" },
    content: "PermissionError: the user said no",
    ok: false,
    durationMs: 2,
  } as const;
  deepStrictEqual(linesOf([result]), ["resumed  buy: PermissionError: the user said no"]);
});
