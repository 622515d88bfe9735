import { deepStrictEqual } from "node:assert/strict";
import { type Key, readKeys } from "./keys.ts";

function keysOf(...pieces: string[]): Key[] {
  const reader = readKeys();
  return joined(pieces.flatMap((piece) => reader.push(piece)));
}

/** Text that came in several pieces as one. */
function joined(keys: readonly Key[]): Key[] {
  const result: Key[] = [];
  for (const key of keys) {
    const last = result.at(-1);
    if (last !== undefined && "text" in last && "text" in key) {
      result[result.length - 1] = { text: last.text + key.text };
    } else {
      result.push(key);
    }
  }
  return result;
}

Deno.test("keys and text are told apart, Enter in each of its forms", () => {
  deepStrictEqual(keysOf("naïve\t日本\r"), [{ text: "naïve\t日本" }, { key: "submit" }]);
  for (const enter of ["\r", "\n", "\r\n"]) {
    deepStrictEqual(keysOf(`a${enter}`), [{ text: "a" }, { key: "submit" }]);
  }
  deepStrictEqual(keysOf("\x1b[A\x1bOB\x1b[3~\x1b[1;5D\x7f\x03\x1b\r"), [
    { key: "up" },
    { key: "down" },
    { key: "delete_right" },
    { key: "word_left" },
    { key: "delete_left" },
    { key: "interrupt" },
    { key: "newline" },
  ]);
  deepStrictEqual(keysOf("\x1b[13;2u\x1b[27;2;13~\x1bd\x1b[1;9C"), [
    { key: "newline" },
    { key: "newline" },
    { key: "kill_next_word" },
    { key: "word_right" },
  ]);
});

Deno.test("sequences that mean nothing here leave no trace in the text", () => {
  deepStrictEqual(keysOf("a\x1b[15~\x1b[200;1Rb\x1bOPc\x1bxd\x00e"), [{ text: "abcde" }]);
});

Deno.test("lines in one piece are one text, and only a line break at the end is Enter", () => {
  deepStrictEqual(keysOf("one\ntwo\r\n\rthree\r"), [
    { text: "one\ntwo\n\nthree" },
    { key: "submit" },
  ]);
  deepStrictEqual(keysOf("one\r\x04"), [
    { text: "one" },
    { key: "submit" },
    { key: "end_or_delete" },
  ]);
});

Deno.test("a marked paste is one text wherever its pieces are cut", () => {
  const input = "a\x1b[200~one\r\ntwo\x03\n\x1b[31mred\x1b[20\rend\x1b[201~\rb";
  const expected = [
    { text: "aone\ntwo\x03\n\x1b[31mred\x1b[20\nend" },
    { key: "submit" },
    { text: "b" },
  ];
  for (let first = 1; first < input.length; first++) {
    for (let second = first; second < input.length; second += 5) {
      deepStrictEqual(
        keysOf(input.slice(0, first), input.slice(first, second), input.slice(second)),
        expected,
        `cut at ${first} and ${second}`,
      );
    }
  }
});

Deno.test("Ctrl-C is heard while a paste does not end", () => {
  deepStrictEqual(keysOf("\x1b[200~one", "\x03", "x"), [{ key: "interrupt" }, { text: "x" }]);
});
