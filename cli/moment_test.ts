import { strictEqual } from "node:assert/strict";
import { parseMoment } from "./moment.ts";

const NOW = new Date("2026-03-15T12:00:00.000Z");

function read(text: string, endOfDay = false): string | undefined {
  return parseMoment(text, { now: NOW, endOfDay })?.toISOString();
}

Deno.test("moments: how long ago is counted back from now, in days too", () => {
  const cases: [string, string][] = [
    ["90s", "2026-03-15T11:58:30.000Z"],
    ["500ms", "2026-03-15T11:59:59.500Z"],
    ["2h", "2026-03-15T10:00:00.000Z"],
    ["1h30m", "2026-03-15T10:30:00.000Z"],
    ["3d", "2026-03-12T12:00:00.000Z"],
    ["1d12h", "2026-03-14T00:00:00.000Z"],
    ["0.5d", "2026-03-15T00:00:00.000Z"],
  ];
  for (const [text, expected] of cases) strictEqual(read(text), expected, text);
});

Deno.test("moments: a time with a zone is that instant, one without is in the zone of the machine", () => {
  strictEqual(read("2026-03-01T13:05Z"), "2026-03-01T13:05:00.000Z");
  strictEqual(read("2026-03-01t13:05:06z"), "2026-03-01T13:05:06.000Z");
  strictEqual(read("2026-03-01T13:05:06.1+02:00"), "2026-03-01T11:05:06.100Z");
  strictEqual(read("2026-03-01 13:05:06.123456-05:30"), "2026-03-01T18:35:06.123Z");
  const local = new Date(2026, 2, 1, 13, 5, 6).toISOString();
  strictEqual(read("2026-03-01T13:05:06"), local);
  strictEqual(read("2026-03-01 13:05:06"), local);
});

Deno.test("moments: a date is its first midnight, or the one behind it, in the zone of the machine", () => {
  strictEqual(read("2026-03-01"), new Date(2026, 2, 1).toISOString());
  strictEqual(read("2026-03-01", true), new Date(2026, 2, 2).toISOString());
  strictEqual(read("2026-12-31", true), new Date(2027, 0, 1).toISOString());
  // A time says which: it stays what it is.
  strictEqual(read("2026-03-01T00:00", true), new Date(2026, 2, 1).toISOString());
});

Deno.test("moments: what is none is not taken for another", () => {
  const none = [
    "",
    "d",
    "h",
    "2026",
    "90",
    "1.5",
    "-2h",
    "2 h",
    "3d5",
    "1h2d",
    "3w",
    "now",
    "1e3s",
    "99999999999999d",
    "2026-02-29",
    "2026-02-30T10:00",
    "2026-13-01",
    "2026-00-10",
    "2026-3-1",
    "0026-03-01",
    "2026-03-01T24:00",
    "2026-03-01T10:60",
    "2026-03-01T10:00:61",
    "2026-03-01T10",
    "2026-03-01T10:00+25:00",
    "2026-03-01T10:00+0200",
    "2026-03-01Z",
    "2026-03-01T10:00 Z",
    "Sun Mar 01 2026",
    "2026-03-01\n",
  ];
  for (const text of none) strictEqual(read(text), undefined, JSON.stringify(text));
});
