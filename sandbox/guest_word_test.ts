import assert from "node:assert/strict";
import { DEFAULT_SANDBOX_LIMITS as LIMITS } from "../contracts/sandbox.ts";
import { readGuestWord } from "./guest_word.ts";

const GOOD = { logs: "l", notes: ["n"], guestMs: 3 };

Deno.test("what is in form is taken, and nothing beside it", () => {
  assert.deepEqual(
    readGuestWord({ ...GOOD, extra: 1, hostCalls: 9, clockMs: [1] }, "[1]", LIMITS),
    {
      ...GOOD,
      valueJson: "[1]",
    },
  );
  const failure = { kind: "threw", message: "x", line: 4, stack: "s" };
  assert.deepEqual(readGuestWord({ ...GOOD, failure }, undefined, LIMITS), {
    ...GOOD,
    failure: { kind: "threw", message: "x", line: 4 },
  });
  // A failure has no value.
  assert.equal(readGuestWord({ ...GOOD, failure }, "1", LIMITS)?.valueJson, undefined);
});

Deno.test("what is not in form is refused", () => {
  const wrong: readonly unknown[] = [
    null,
    5,
    "text",
    [],
    {},
    { ...GOOD, logs: undefined },
    { ...GOOD, logs: 5 },
    { ...GOOD, notes: "n" },
    { ...GOOD, notes: [5] },
    { ...GOOD, notes: Array(21).fill("n") },
    { ...GOOD, guestMs: "3" },
    { ...GOOD, guestMs: -1 },
    { ...GOOD, guestMs: Infinity },
    { ...GOOD, failure: null },
    { ...GOOD, failure: "x" },
    { ...GOOD, failure: { kind: "obey", message: "x" } },
    { ...GOOD, failure: { kind: "__proto__", message: "x" } },
    { ...GOOD, failure: { kind: "threw" } },
    { ...GOOD, failure: { kind: "threw", message: {} } },
  ];
  for (const said of wrong) {
    assert.equal(readGuestWord(said, undefined, LIMITS), undefined, JSON.stringify(said));
  }
  for (const json of ["", "{", "undefined", "NaN"]) {
    assert.equal(readGuestWord(GOOD, json, LIMITS), undefined, json);
  }
});

Deno.test("texts for people are bounded and printable", () => {
  const word = readGuestWord(
    {
      ...GOOD,
      notes: ["\u001b[2J" + "n".repeat(100_000)],
      failure: { kind: "threw", message: "\u001b[2J\n" + "m".repeat(100_000), line: 1.5 },
    },
    undefined,
    LIMITS,
  )!;
  for (const text of [word.failure!.message, word.notes[0]!]) {
    assert.ok(text.length < 6000);
    assert.match(text, /^\\u001b\[2J/);
  }
  assert.equal(word.failure!.line, undefined);
});
