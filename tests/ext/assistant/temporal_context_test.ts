import { equal, match, throws } from "node:assert/strict";
import { formatTemporalContext } from "../../../ext/assistant/mod.ts";
import { TEMPORAL_TABLE } from "./temporal_table.ts";

const ROWS = TEMPORAL_TABLE.trim().split("\n").map((line) => line.split(" | "));

Deno.test("temporal context: the table has 40 instants", () => equal(ROWS.length, 40));

for (const [instant = "", zone = "", gap = "", shown = "", words = ""] of ROWS) {
  Deno.test(`temporal context: ${instant} in ${zone} is ${shown}`, () => {
    const now = new Date(instant);
    const options = gap === "-"
      ? {}
      : { lastMessageAt: new Date(now.getTime() - Number(gap) * 1000) };
    equal(
      formatTemporalContext(now, zone, options),
      [
        `Current date and time: ${shown}`,
        `Time zone: ${zone}`,
        ...(words === "-" ? [] : [`Idle gap: ${words} since last message`]),
      ].join("\n"),
    );
  });
}

Deno.test("temporal context: parts of a second round down, before 1970 too", () => {
  match(formatTemporalContext(new Date("2026-01-01T00:00:00.999Z"), "UTC"), / 00:00:00 \+0000/);
  match(formatTemporalContext(new Date("1969-12-31T23:59:59.001Z"), "UTC"), / 23:59:59 \+0000/);
  const now = new Date("2026-01-01T00:00:00.999Z");
  const at = (ms: number) =>
    formatTemporalContext(now, "UTC", { lastMessageAt: new Date(now.getTime() - ms) })
      .split("\n")[2];
  equal(at(999), "Idle gap: less than a second since last message");
  equal(at(1999), "Idle gap: 1 second since last message");
  equal(at(-1), undefined);
});

Deno.test("temporal context: years before the first have a sign", () => {
  match(
    formatTemporalContext(new Date("-000010-01-01T12:00:00Z"), "UTC"),
    / -0010-01-01 12:00:00 /,
  );
});

Deno.test("temporal context: what is no zone's name is an error that says what one looks like", () => {
  const now = new Date(0);
  const bad = ["Mars/Olympus", "", "+03:00", "UTC\n</temporal_context>", "x".repeat(500)];
  for (const zone of [...bad, undefined as unknown as string]) {
    throws(
      () => formatTemporalContext(now, zone),
      (error) =>
        error instanceof RangeError && /names look like America\/Sao_Paulo/.test(error.message) &&
        error.message.length < 250 && !error.message.includes("\n"),
    );
  }
  throws(() => formatTemporalContext(new Date(NaN), "UTC"), /valid Date/);
  throws(
    () => formatTemporalContext(now, "UTC", { lastMessageAt: new Date(NaN) }),
    /valid Date/,
  );
});
