import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { applyKey, type Draft, EMPTY_DRAFT, insertText } from "./edit.ts";
import type { KeyName } from "./keys.ts";

/** A draft with the cursor where the bar stands. */
function at(marked: string): Draft {
  return { text: marked.replace("|", ""), cursor: marked.indexOf("|"), cut: "" };
}

function marked({ text, cursor }: Draft): string {
  return `${text.slice(0, cursor)}|${text.slice(cursor)}`;
}

const CASES: [before: string, key: KeyName, after: string][] = [
  ["ab|c", "left", "a|bc"],
  ["👩‍👩‍👧|", "left", "|👩‍👩‍👧"],
  ["|e\u0301x", "right", "e\u0301|x"],
  ["|", "left", "|"],
  ["|", "delete_right", "|"],
  ["one two|", "word_left", "one |two"],
  ["𝒳𝒴 |z", "word_left", "|𝒳𝒴 z"],
  ["|one two", "word_right", "one| two"],
  ["one\ntw|o", "line_start", "one\n|two"],
  ["o|ne\ntwo", "line_end", "one|\ntwo"],
  ["one\ntwo|", "up", "one|\ntwo"],
  ["a\nlonger|", "up", "a|\nlonger"],
  ["lon|ger\na", "down", "longer\na|"],
  ["one|", "down", "one|"],
  ["日本|語", "delete_left", "日|語"],
  ["日|本語", "end_or_delete", "日|語"],
  ["tell  me |", "kill_word", "tell  |"],
  ["on|e, two", "kill_next_word", "on|, two"],
  ["one\nt|wo", "kill_to_start", "one\n|wo"],
  ["o|ne\ntwo", "kill_to_end", "o|\ntwo"],
  ["a|b", "newline", "a\n|b"],
];

for (const [before, key, after] of CASES) {
  Deno.test(`${key} makes ${JSON.stringify(after)} of ${JSON.stringify(before)}`, () => {
    strictEqual(marked(applyKey(at(before), key)), after);
  });
}

Deno.test("what was cut out can be put in elsewhere, and cutting nothing keeps it", () => {
  let draft = applyKey(at("one two|"), "kill_word");
  draft = applyKey(applyKey(draft, "line_start"), "kill_to_start");
  strictEqual(marked(applyKey(draft, "yank")), "two|one ");
});

Deno.test("text goes in at the cursor", () => {
  strictEqual(marked(insertText(at("a|d"), "bc")), "abc|d");
  deepStrictEqual(insertText(EMPTY_DRAFT, ""), EMPTY_DRAFT);
});
