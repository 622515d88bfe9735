import { deepEqual, equal, match, ok } from "node:assert/strict";
import type { Message } from "../contracts/model.ts";
import { estimateTokens } from "./tokens.ts";
import { clipToTokens, joinTexts, packTexts, transcriptTexts } from "./transcript.ts";

const SCRIPT: Message = { role: "assistant", content: "```js\nfunction run() {}\n```" };

function options(capacity: number) {
  return { capacity, estimate: estimateTokens };
}

Deno.test("transcript: it says who speaks, and holds a script together with its result", () => {
  const history: Message[] = [
    { role: "user", content: "How many?" },
    SCRIPT,
    { role: "user", content: "returned (now args): 4" },
    { role: "assistant", content: "4" },
  ];
  deepEqual(transcriptTexts(history, options(1000)), [
    "USER:\nHow many?",
    "ASSISTANT, A SCRIPT:\n```js\nfunction run() {}\n```\n\nRESULT OF THE SCRIPT:\nreturned (now args): 4",
    "ASSISTANT:\n4",
  ]);
  equal(transcriptTexts(history, options(10)).length, 4);
});

Deno.test("transcript: parts fit, and together hold every text in order", () => {
  const texts = Array.from({ length: 200 }, (_, n) => `${n}: ${"x".repeat(n * 7 % 300)}`);
  for (const capacity of [80, 100, 333, 10_000]) {
    const parts = packTexts(texts, options(capacity));
    deepEqual(parts.flat(), texts);
    for (const part of parts) ok(estimateTokens(joinTexts(part)) <= capacity, `${capacity}`);
  }
});

Deno.test("transcript: only a text larger than a part is shortened, and says by how much", () => {
  const [part] = packTexts([`${"a".repeat(5000)}${"z".repeat(5000)}`], options(100));
  match(part?.[0] ?? "", /^a+\n… \d+ bytes left out …\nz+$/);
  ok(estimateTokens(part?.[0] ?? "") <= 100);
});

Deno.test("HIS-09: a text is shortened at whole characters, by any estimator", () => {
  const text = "🎉".repeat(4000);
  for (const perToken of [1, 2, 3, 7]) {
    const estimate = (one: string) => Math.ceil(one.length / perToken);
    const clipped = clipToTokens(text, { capacity: 101, estimate });
    ok(clipped.isWellFormed() && estimate(clipped) <= 101, `${perToken}`);
    ok(estimate(clipped) > 60, `${estimate(clipped)} is less than it could be`);
  }
});
