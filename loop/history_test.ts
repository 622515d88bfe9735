import { deepEqual, equal, ok } from "node:assert/strict";
import type { StepType } from "../contracts/step.ts";
import { Conversation } from "./history.ts";

type Step = readonly [StepType, string];

function conversationOf(steps: readonly Step[]): Conversation {
  const conversation = new Conversation();
  for (const [stepType, content] of steps) conversation.add({ stepType, content });
  return conversation;
}

function messagesOf(steps: readonly Step[]): [string, string][] {
  return conversationOf(steps).messages().map(({ role, content }) => [role, content]);
}

const EXCHANGE: readonly Step[] = [
  ["user", "How many?"],
  ["execute_js", "// count\nfunction run() { return 1; }"],
  ["execute_js_result", "returned (now args): 1"],
  ["execute_js", "function run(args) { answer(args); }"],
  ["execute_js_result", "answered"],
  ["response", "1"],
];

Deno.test("history: an exchange is replayed, only its newest script verbatim", () => {
  deepEqual(messagesOf(EXCHANGE), [
    ["user", "How many?"],
    ["assistant", "[script of 2 lines, already run: count]"],
    ["user", "returned (now args): 1"],
    ["assistant", "```javascript\nfunction run(args) { answer(args); }\n```"],
    ["user", "answered"],
    ["assistant", "1"],
  ]);
});

Deno.test("history: the newest script stays verbatim until another comes, also in a later exchange", () => {
  const later: Step[] = [["user", "And now?"], ["response", "Still 1."], ["user", "Sure?"]];
  const before = messagesOf([...EXCHANGE, ...later]);
  deepEqual(before[3], ["assistant", "```javascript\nfunction run(args) { answer(args); }\n```"]);
  const after = messagesOf([...EXCHANGE, ...later, ["execute_js", "function run() {}"]]);
  deepEqual(after[3], ["assistant", "[script of 1 line, already run]"]);
});

Deno.test("history: errors are not replayed", () => {
  deepEqual(messagesOf([["error", "timeout"], ...EXCHANGE, ["error", "x"]]), messagesOf(EXCHANGE));
});

Deno.test("history: a summary stands first, joined to the message that follows it", () => {
  deepEqual(messagesOf([["summary", "They counted."], ["user", "Go on."]]), [
    ["user", "[Summary of the conversation so far]\nThey counted.\n\nGo on."],
  ]);
});

Deno.test("history: a run that broke off is told as such, and roles still alternate", () => {
  const [script, result] = [EXCHANGE[1], EXCHANGE[2]] as [Step, Step];
  const broken: { readonly [what: string]: readonly Step[] } = {
    "no answer": [["user", "a"], ["user", "b"]],
    "no result": [["user", "a"], script, ["user", "b"]],
    "no answer after a result": [["user", "a"], script, result, ["user", "b"]],
    "no result before the next script": [["user", "a"], script, script, result],
    "an answer without a result": [["user", "a"], script, ["response", "x"], ["user", "b"]],
  };
  for (const [what, steps] of Object.entries(broken)) {
    const messages = messagesOf(steps);
    messages.forEach(([role], at) => equal(role, at % 2 === 0 ? "user" : "assistant", what));
    ok(/\[The run ended /.test(messages.map(([, content]) => content).join()), what);
  }
});

Deno.test("history: what is appended to the user's message is not part of the step", () => {
  const conversation = new Conversation();
  conversation.addUser({ message: "How many?", appendix: "It is noon." });
  deepEqual(conversation.messages(), [{ role: "user", content: "How many?\n\nIt is noon." }]);
});

Deno.test("history: unsettled messages follow in one request and leave no trace", () => {
  const conversation = conversationOf(EXCHANGE.slice(0, 3));
  const settled = conversation.messages();
  const unsettled = [{ role: "user" as const, content: "reminder" }];
  deepEqual(conversation.messages(unsettled).at(-1), {
    role: "user",
    content: "returned (now args): 1\n\nreminder",
  });
  deepEqual(conversation.messages(), settled);
});

Deno.test("history: messages handed out do not change when steps are added", () => {
  const conversation = conversationOf(EXCHANGE.slice(0, 3));
  const handedOut = conversation.messages();
  const copy = structuredClone(handedOut);
  for (const [stepType, content] of EXCHANGE.slice(3)) conversation.add({ stepType, content });
  deepEqual(handedOut, copy);
});

Deno.test("history: a script that holds fences stands in a longer one", () => {
  const source = "const s = `\n```js\n  ````\n`;\nfunction run() {}";
  deepEqual(messagesOf([["user", "a"], ["execute_js", source]])[1], [
    "assistant",
    `\`\`\`\`\`javascript\n${source}\n\`\`\`\`\``,
  ]);
});

Deno.test("PRV-04: a session that holds lone surrogates is replayed as well-formed text", () => {
  const steps: Step[] = [
    ["user", "a \ud83d"],
    ["execute_js", "// \udc00\nfunction run() { return '\ud83d'; }"],
    ["execute_js_result", "log:\n\ud83d"],
    ["execute_js", "// \udc00\nfunction run() {}"],
    ["execute_js_result", "answered"],
    ["response", "\udc00"],
  ];
  for (const [, content] of messagesOf(steps)) ok(content.isWellFormed(), content);
});
