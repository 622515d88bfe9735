/**
 * Precision and recall of the check on claims, on the half of the labelled sentences that was kept from its tuning, and what the check of one answer costs.
 *
 *     deno run -A bench/claims_bench.ts
 */
import { findClaims } from "../ext/assistant/mod.ts";
import {
  type ClaimFigures,
  LANGUAGES,
  measureAddresses,
  measureClaims,
  PRECISION_BAR,
  precisionOf,
  readSentencesOf,
  RECALL_BAR,
  recallOf,
  sumFigures,
} from "./claims/measure_claims.ts";
import { report, timed } from "./figures.ts";

const kept = LANGUAGES.map((language) => readSentencesOf("kept", language));
const figures = kept.map(measureClaims);
LANGUAGES.forEach((language, at) => print(`kept half, ${language}`, figures[at]!));
print("kept half, all", sumFigures(figures), true);
LANGUAGES.forEach((language) =>
  print(`tuning half, ${language}`, measureClaims(readSentencesOf("tuning", language)))
);
const all = kept.flat();
console.log(`addresses, kept half: ${measureAddresses(all)} of ${all.length} sentences right`);

const answer = all.map(({ text }) => text).join(" ").slice(0, 4096);
for (let round = 0; round < 200; round++) findClaims(answer);
const times: number[] = [];
for (let round = 0; round < 21; round++) times.push(await timed(() => findClaims(answer)));
report({ name: "claims of an answer of 4 KiB", unit: "ms", values: times });

function print(name: string, found: ClaimFigures, isHeld = false): void {
  const precision = precisionOf(found);
  const recall = recallOf(found);
  const verdict = (value: number, bar: number) => value >= bar ? "held" : "MISSED";
  console.log(
    [
      name.padEnd(20),
      `precision ${precision.toFixed(3)}`,
      ...(isHeld ? [`(bar ${PRECISION_BAR}: ${verdict(precision, PRECISION_BAR)})`] : []),
      ` recall ${recall.toFixed(3)}`,
      ...(isHeld ? [`(bar ${RECALL_BAR}: ${verdict(recall, RECALL_BAR)})`] : []),
      ` ${found.sentences} sentences, ${
        found.right + found.missed
      } claims, ${found.wrong} wrong, ${found.missed} missed`,
    ].join(" "),
  );
}
