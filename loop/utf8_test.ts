import { deepEqual, equal, ok } from "node:assert/strict";
import { randomText, seededRandom } from "./_random_text.ts";
import { estimateTokens } from "./tokens.ts";
import { clipLine, clipMiddle, headBytes, tailBytes, utf8Bytes } from "./utf8.ts";

Deno.test("utf8: sizes are those of the encoder, short texts and long ones alike", () => {
  for (const text of ["", "a", "é", "€", "🎉", "\ud83d", "\udc00\ud83d", "aé€🎉".repeat(200)]) {
    equal(utf8Bytes(text), new TextEncoder().encode(text).length);
  }
});

Deno.test("HIS-09: a cut never splits a character and never exceeds the cap", () => {
  const text = `${"x".repeat(7999)}🎉🎉🎉`;
  equal(headBytes(text, 8000), "x".repeat(7999));
  equal(headBytes(text, 8003), `${"x".repeat(7999)}🎉`);
  equal(tailBytes(text, 8), "🎉🎉");
  equal(tailBytes(text, 7), "🎉");
  for (const cap of [8000, 8001, 8002, 8003, 8004]) {
    const clipped = clipMiddle(text, cap);
    ok(clipped.isWellFormed());
    const [head = "", note = "", tail = ""] = clipped.split("\n");
    ok(utf8Bytes(head) + utf8Bytes(tail) <= cap);
    equal(note, `… ${8011 - utf8Bytes(head) - utf8Bytes(tail)} bytes left out …`);
  }
});

Deno.test("HIS-09: head and tail keep whole characters where both cuts fall within one", () => {
  const text = "🎉".repeat(100);
  for (let cap = 0; cap < 40; cap++) {
    const [head = "", , tail = ""] = clipMiddle(text, cap).split("\n");
    ok(head.isWellFormed() && tail.isWellFormed());
    ok(utf8Bytes(head) + utf8Bytes(tail) <= cap);
  }
});

Deno.test("utf8: what fits stays as it is, lone surrogates replaced", () => {
  equal(clipMiddle("abc", 3), "abc");
  equal(clipMiddle("a\ud83d", 10), "a\ufffd");
});

Deno.test("utf8: cuts of random texts are well-formed and within their caps", () => {
  const random = seededRandom(7);
  for (let run = 0; run < 2000; run++) {
    const text = randomText(random);
    const cap = 3 + Math.floor(random() * 60);
    const [head, tail, line] = [headBytes(text, cap), tailBytes(text, cap), clipLine(text, cap)];
    for (const cut of [head, tail, line]) {
      ok(cut.isWellFormed(), JSON.stringify(text));
      ok(utf8Bytes(cut) <= cap, JSON.stringify(text));
    }
    ok(text.toWellFormed().startsWith(head) && text.toWellFormed().endsWith(tail));
    ok(!/[\p{Cc}]/u.test(line));
  }
});

Deno.test("tokens: bytes over four, rounded up", () => {
  deepEqual(["", "a", "abcd", "abcde", "é", "🎉🎉"].map(estimateTokens), [0, 1, 1, 2, 1, 2]);
});
