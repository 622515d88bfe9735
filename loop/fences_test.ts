import { deepEqual, equal } from "node:assert/strict";
import { scanReply } from "./fences.ts";

function blocksOf(text: string) {
  return scanReply(text).blocks.map(({ language, source, closed }) => [language, source, closed]);
}

Deno.test("fences: a block has its language, its lines and whether it was closed", () => {
  deepEqual(blocksOf("before\n```js title=x\na\n\nb\n```\nafter"), [["js", "a\n\nb", true]]);
  deepEqual(blocksOf("```\na\n```"), [["", "a", true]]);
  deepEqual(blocksOf("```js\na"), [["js", "a", false]]);
});

Deno.test("fences: a fence is closed by the same mark, at least as long, with nothing behind it", () => {
  deepEqual(blocksOf("````js\n```\n````"), [["js", "```", true]]);
  deepEqual(blocksOf("```js\n`````"), [["js", "", true]]);
  deepEqual(blocksOf("~~~js\n```\n~~~~"), [["js", "```", true]]);
  deepEqual(blocksOf("```js\n~~~\n``` x\n```  \t"), [["js", "~~~\n``` x", true]]);
});

Deno.test("fences: up to three spaces of indentation are taken off, with four it is no fence", () => {
  deepEqual(blocksOf("   ```js\n    a\n b\n  ```"), [["js", " a\nb", true]]);
  deepEqual(blocksOf("    ```js\na\n    ```"), []);
  deepEqual(blocksOf("```js\na\n    ```\n```"), [["js", "a\n    ```", true]]);
});

Deno.test("fences: backticks in the info string make it code within a line", () => {
  deepEqual(blocksOf("``` a`b ```\ntext"), []);
  deepEqual(blocksOf("~~~ js `x`\na\n~~~"), [["js", "a", true]]);
});

Deno.test("fences: LF, CRLF and CR end lines, and the last line needs none", () => {
  for (const end of ["\n", "\r\n", "\r"]) {
    deepEqual(blocksOf(["```js", "a", "b", "```"].join(end)), [["js", "a\nb", true]]);
  }
});

Deno.test("fences: whatever stands beside each other, lines end at LF, CRLF and CR", () => {
  const texts = [""];
  for (const text of texts) {
    if (text.length < 6) texts.push(text + "a", text + "\r", text + "\n");
    equal(scanReply(text).prose, text);
    const lines = `.${text}.`.split(/\r\n|\n|\r/);
    const block = blocksOf(`~~~\n.${text}.\n~~~`);
    deepEqual(block, [["", lines.join("\n"), true]], JSON.stringify(text));
  }
  equal(texts.length, 1093);
});

Deno.test("fences: reasoning is left out of what is visible", () => {
  const { visible, prose, unfinishedReasoning } = scanReply("a <think>b\n```\nc</think> d");
  deepEqual([visible, prose, unfinishedReasoning], ["a  d", "a  d", false]);
  equal(scanReply("<REASONING>x</Reasoning>y").visible, "y");
  equal(scanReply("<thinking>x</think>y").visible, "y");
});

Deno.test("fences: a fence may follow the end of reasoning on the same line", () => {
  deepEqual(blocksOf("<think>x</think>```js\na\n```"), [["js", "a", true]]);
});

Deno.test("fences: what stands before a closing tag without its opening was reasoning", () => {
  const scanned = scanReply("let me see\n```js\ndraft\n```\nDONE\n</think>\nThe total is 4.");
  deepEqual([scanned.visible.trim(), scanned.blocks, scanned.done], [
    "The total is 4.",
    [],
    undefined,
  ]);
});

Deno.test("fences: reasoning that is not ended is told", () => {
  const scanned = scanReply("a\n<think>b\n```js\nc\n```");
  deepEqual([scanned.visible, scanned.blocks, scanned.unfinishedReasoning], ["a\n", [], true]);
});

Deno.test("fences: a tag inside a code block is code", () => {
  const source = 'const tag = "<think>";\n</think>';
  const scanned = scanReply(`a\n\`\`\`js\n${source}\n\`\`\`\nb`);
  deepEqual([scanned.blocks[0]?.source, scanned.unfinishedReasoning], [source, false]);
  equal(scanned.visible.startsWith("a\n"), true);
});

Deno.test("fences: a tag between backticks in a line is spoken of, not meant", () => {
  const text = "Use `<think>` and ``a ` </think>`` here, `a";
  deepEqual([scanReply(text).visible, scanReply(text).unfinishedReasoning], [text, false]);
  // A lone backtick opens nothing.
  equal(scanReply("a ` <think>b</think>c").visible, "a ` c");
});

Deno.test("fences: DONE counts alone on a line outside fences", () => {
  const scanned = scanReply("```\nDONE\n```\n DONE \nok");
  deepEqual(scanned.done && scanned.visible.slice(scanned.done.end), "ok");
  for (
    const text of ["I am DONE", "DONE.", "done", "`DONE`", "<think>\nDONE\n</think>", "~~~\nDONE"]
  ) {
    equal(scanReply(text).done, undefined, text);
  }
});
