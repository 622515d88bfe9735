import { deepEqual, equal } from "node:assert/strict";
import { extractDoneMarker, extractJsBlock } from "./extract.ts";

Deno.test("extract: the script that would run, without white space around it", () => {
  equal(extractJsBlock("Hi\n```js\n\n function run() {}\n\n```\nbye"), "function run() {}");
});

Deno.test("extract: nothing when nothing would run", () => {
  for (
    const text of [
      "",
      "The answer is 4.",
      "```js\nconsole.log(1)\n```",
      "```js\nfunction run() {}",
      "<think>\n```js\nfunction run() {}\n```\n</think>",
      "```python\ndef run(): pass\n```",
    ]
  ) equal(extractJsBlock(text), "", text);
});

Deno.test("extract: the DONE marker and the text after it", () => {
  deepEqual(extractDoneMarker("work\nDONE\n\nAll is well.\n"), {
    done: true,
    final: "All is well.",
  });
  deepEqual(extractDoneMarker("All is well.\nDONE"), { done: true, final: "" });
  deepEqual(extractDoneMarker("I am DONE"), { done: false, final: "" });
});
