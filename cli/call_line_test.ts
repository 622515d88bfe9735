import { deepStrictEqual, doesNotMatch, strictEqual } from "node:assert/strict";
import type { CallRow } from "../contracts/call_log.ts";
import { Redactor } from "../redact/redactor.ts";
import { argumentsText, callLine, callText, redactCall } from "./call_line.ts";
import { displayWidth } from "./terminal_text.ts";

function call(more: Partial<CallRow> = {}): CallRow {
  return {
    id: 7,
    sessionId: "s",
    runId: "r1",
    turn: 2,
    sequence: 0,
    name: "fetch",
    argsJson: '["https://a.example/"]',
    decision: "allowed",
    startedAt: new Date(0),
    ...more,
  };
}

const HIDDEN = "\x1b[2J\x07\r\x9b\u202e\u2066\u200b\u200e\u061c\ufeff\u{e0041}\u2028\u3164";

Deno.test("a call as text says what was called, decided, and came of it", () => {
  strictEqual(
    callText(call({
      target: "a.example",
      decision: "changed",
      outcome: "error",
      durationMs: 1200,
      resultBytes: 0,
      error: "no\nroute",
    })),
    "fetch a.example: changed, error, 1.2 s, no route",
  );
  strictEqual(callText(call()), "fetch: allowed, never ended");
});

Deno.test("nothing that a terminal would obey or hide is in a call's text, and all of it can be seen", () => {
  const hostile = call({
    name: `f${HIDDEN}`,
    target: `a${HIDDEN}.example`,
    error: `e${HIDDEN}`,
    outcome: "error",
    argsJson: JSON.stringify([HIDDEN]),
  });
  for (const text of [callText(hostile), argumentsText(hostile, 200)]) {
    doesNotMatch(text, /[\p{Cc}\p{Cf}\u2028\u2029\u3164]/u);
    for (const seen of ["\\u202e", "\\u200b", "\\u061c", "\\udb40\\udc41", "\\u3164"]) {
      strictEqual(text.includes(seen), true, `${seen} in ${text}`);
    }
  }
});

Deno.test("arguments are cut at a width and marked, however long and wide they are", () => {
  for (const text of ["x", "日本", "\u202e", "\\", "🎉", "e\u0301"]) {
    const long = call({ argsJson: JSON.stringify([text.repeat(100_000)]) });
    for (const width of [10, 35, 75]) {
      const line = argumentsText(long, width);
      strictEqual(displayWidth(line) <= width, true, line);
      strictEqual(line.endsWith("…"), true, line);
    }
  }
  strictEqual(argumentsText(call(), 40), '["https://a.example/"]');
});

Deno.test("a secret is taken out before anything is cut, wherever it stands", () => {
  const secret = "hunter2-hunter2-hunter2";
  const redactor = Redactor.fromSecrets({ key: secret });
  const filled = "x".repeat(90) + secret;
  const clean = redactCall(
    call({
      name: filled,
      target: filled,
      error: filled,
      argsJson: JSON.stringify([filled, { [secret]: 1 }]),
    }),
    redactor,
  );
  const texts = [callText(clean), argumentsText(clean, 100), JSON.stringify(callLine(clean))];
  for (const text of texts) doesNotMatch(text, /hunter/);
  deepStrictEqual(Object.keys(clean), Object.keys(call({ target: "", error: "" })));
});

Deno.test("arguments that are no JSON, or nested without end, stay readable as text", () => {
  deepStrictEqual(callLine(call({ argsJson: '[{"a":1}]' })).args, [{ a: 1 }]);
  strictEqual(callLine(call({ argsJson: "[1," })).args, "[1,");
  const deep = "[".repeat(2_000_000) + "]".repeat(2_000_000);
  JSON.stringify(callLine(call({ argsJson: deep })));
});
