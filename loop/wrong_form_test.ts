import { deepEqual, equal } from "node:assert/strict";
import { elideScript } from "./elide.ts";
import { interpretReply } from "./reply.ts";
import type { WrongForm } from "./wrong_form.ts";

function formOf(text: string): WrongForm | "final" | string {
  const reply = interpretReply(text, "stop", { functions: ["fetch", "readFile"] });
  return reply.kind === "wrong_form" ? reply.form : reply.kind;
}

const MEANT: { readonly [text: string]: WrongForm } = {
  "```typescript\nfunction run(args: Args) { return 1; }\n```": "language",
  "```ts\nlog(args.length)\n```": "language",
  "```python\ndef run(args):\n    return 1\n```": "language",
  "Here:\n```python\nanswer(4)\n```": "language",
  "```py\ntext = readFile('a.txt')\n```": "language",
  "```\nanswer(4)\n```": "language",
  "function run(args) {\n  return 1;\n}": "bare_code",
  "Sure!\n\nasync function run(args) {\n  return 1;\n}": "bare_code",
  "const run = (args) => {\n  return 1;\n};": "bare_code",
  "def run(args):\n    print('hi')": "bare_code",
  "answer(42)": "bare_code",
  "So:\nanswer({ total: 4 });": "bare_code",
  'readFile("a.txt")': "bare_code",
  'await fetch("https://example.com");': "bare_code",
  'const text = readFile("a.txt"); answer(text);': "bare_code",
  '// look\nconst { body } = await fetch("https://example.com");\nlog(body);': "bare_code",
  '<tool_call>\n{"name": "fetch", "arguments": {"url": "https://x"}}\n</tool_call>': "tool_call",
  "I will call it.\n<function_calls>\n<invoke name='fetch'>": "tool_call",
  "[TOOL_CALLS] [{}]": "tool_call",
  '{"name": "fetch", "arguments": {"url": "https://x"}}': "tool_call",
  '```json\n{"tool": "readFile", "args": {"path": "a"}}\n```': "tool_call",
  '[{"name": "a", "parameters": {}}, {"name": "b", "parameters": {}}]': "tool_call",
  '{"name": "run", "arguments": {"code": "unfinished': "tool_call",
};
for (const [text, form] of Object.entries(MEANT)) {
  Deno.test(`wrong form: ${JSON.stringify(text)} is no answer`, () => {
    equal(formOf(text), form);
  });
}

const PROSE = [
  "The function run(args) returns the number of rows.",
  "Call answer(4) when you know it.",
  "Use `answer(4)`.",
  "readFile(path) reads a file.",
  "That is what fetch (the function) does:\nit asks a server (once)",
  "fetch(url)\nasks a server",
  "parseInt(text)",
  "f(x) = x + 1; fetch(y)",
  "```python\nprint(sorted(rows))\n```",
  "```python\nimport math\nmath.log(3)\nrequests.fetch(1)\n```",
  "```text\nanswer(4)\n```",
  "```markdown\nfunction run() {}\n```",
  "```\nfetch(url)\n```",
  '{"total": 4, "name": "x"}',
  "[1, 2, 3]",
  '```json\n{"name": "x"}\n```',
  "The tag <tool_call> is how other models do it.",
  "[script] is a word",
];
for (const text of PROSE) {
  Deno.test(`wrong form: ${JSON.stringify(text)} is prose`, () => {
    equal(formOf(text), "final");
  });
}

Deno.test("wrong form: the line that stands for an old script is no answer", () => {
  for (const source of ["function run() {}", "// load\nfunction run() {}\n"]) {
    equal(formOf(elideScript(source)), "elided");
    equal(formOf(`${elideScript(source)}\nI ran it.`), "elided");
  }
  deepEqual(formOf("It says [script of 3 lines, already run]."), "final");
});
