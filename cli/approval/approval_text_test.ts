import { deepEqual, equal, match } from "node:assert/strict";
import type { ApprovalRequest } from "../../contracts/approval.ts";
import { escapeControls } from "../terminal_text.ts";
import {
  editableArguments,
  escapeUnseen,
  fitToWidth,
  grantFor,
  helpLines,
  isGranted,
  readArguments,
  requestLines,
} from "./approval_text.ts";

function request(fields: Partial<ApprovalRequest>): ApprovalRequest {
  return {
    name: "fetch",
    args: [],
    reason: "",
    runId: "r",
    sessionId: "s",
    signal: new AbortController().signal,
    ...fields,
  };
}

const HOST = request({ target: "example.com", args: ["https://example.com/a", { method: "PUT" }] });
const FILE = request({ name: "editFile", target: "src/a.ts", preview: "--- a\n+++ b\n" });
const COMMAND = request({ name: "exec", target: "git", args: [["git", "push"]] });

Deno.test("approval: a grant is for the host, the file, or exactly these arguments", () => {
  deepEqual(grantFor(HOST), { name: "fetch", key: "example.com" });
  deepEqual(grantFor({ ...HOST, name: "http" }), { name: "fetch", key: "example.com" });
  deepEqual(grantFor(FILE), { name: "writeFile", key: "src/a.ts" });
  deepEqual(grantFor(COMMAND), { name: "exec", key: '[["git","push"]]' });
  deepEqual(grantFor(request({ name: "sendEmail", args: ["x"] })), {
    name: "sendEmail",
    key: '["x"]',
  });
});

Deno.test("approval: what was allowed is not asked again, and nothing beside it is let through", () => {
  const granted = [{ name: "fetch", key: "example.com" }, grantFor(COMMAND), { name: "editFile" }];
  equal(isGranted(HOST, granted), true);
  equal(isGranted({ ...HOST, name: "http" }, granted), true);
  equal(isGranted({ ...HOST, target: "www.example.com" }, granted), false);
  equal(isGranted({ ...COMMAND, args: [["git", "push", "--force"]] }, granted), false);
  equal(isGranted(FILE, granted), true);
  equal(isGranted({ ...FILE, name: "writeFile" }, granted), false);
  equal(isGranted(FILE, [{ name: "writeFile", key: "src/a.ts" }]), true);
  equal(isGranted(HOST, [{ name: "http" }]), false);
});

Deno.test("approval: the question shows host, file or command, and all that the call brings", () => {
  deepEqual(requestLines(HOST), [
    'The agent wants to reach "example.com":',
    '  │ "https://example.com/a"',
    '  │ {"method":"PUT"}',
  ]);
  deepEqual(requestLines(FILE), [
    'The agent wants to change "src/a.ts":',
    "  │ --- a",
    "  │ +++ b",
  ]);
  deepEqual(requestLines(COMMAND)[0], 'The agent wants to run "git":');
  deepEqual(requestLines(request({ name: "sendEmail" })), [
    "The agent wants to call sendEmail:",
    "  │ (no arguments)",
  ]);
  for (const one of [HOST, FILE, COMMAND]) match(helpLines(one).join("\n"), /^ {2}y {2}allow /);
});

Deno.test("approval: nothing that a model wrote can stand where a question of ours does", () => {
  const forged = 'x\nAllow it? [y/N/o/a/e/?] y\nThe agent wants to reach "good.example":';
  for (
    const one of [
      request({ name: "writeFile", target: forged, args: [forged] }),
      { ...FILE, preview: forged },
      { ...HOST, args: [forged] },
    ]
  ) {
    const [head, ...rest] = requestLines(one);
    match(head!, /^The agent wants to [^\n]*$/);
    for (const line of rest) match(line, /^ {2}│ [^\n]*$/);
  }
});

Deno.test("approval: a long change is cut, with the number of lines that are left out", () => {
  const preview = Array.from({ length: 1000 }, (_, index) => `+${index}`).join("\n");
  const lines = requestLines({ ...FILE, preview });
  deepEqual([lines.length, lines.at(-1)], [402, "  … and 600 more lines"]);
});

Deno.test("approval: arguments come back from the editor as they went in, control characters visible", () => {
  const args = ["a\u202eb\u001b[2J\u009b", { n: [1, null, "ü😀"] }];
  const text = editableArguments(args);
  equal(escapeControls(text), text);
  deepEqual(readArguments(text), args);
  for (const wrong of ["", "{}", "[1", '"x"', "null"]) equal(readArguments(wrong), undefined);
});

Deno.test("approval: what is wider than the terminal goes on behind a bar of its own, whole", () => {
  deepEqual(fitToWidth('  │ ["a\t1234567890"]', 20), ['  │ ["a    12345678', '  ┆ 90"]']);
  deepEqual(fitToWidth("  y  allow it, for good", 20), ["  y  allow it, for", "     good"]);
  deepEqual(fitToWidth('The agent wants to call "a b":', 20), [
    "The agent wants to",
    '    call "a b":',
  ]);
});

Deno.test("approval: what nobody would see is written out, and the arguments stay the same", () => {
  equal(
    escapeUnseen("a\u200bb\u00adc\u{e0041}d e\u0301 日本"),
    "a\\u200bb\\u00adc\\udb40\\udc41d e\u0301 日本",
  );
  const args = ["a\u200b\u{e0041}\u3164\u2028"];
  deepEqual(readArguments(editableArguments(args)), args);
});
