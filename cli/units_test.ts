import { strictEqual } from "node:assert/strict";
import { formatBytes, formatCount, formatDuration, parseDuration } from "./units.ts";

Deno.test("durations are read in every documented form", () => {
  const cases: [string, number | undefined][] = [
    ["30m", 1_800_000],
    ["90s", 90_000],
    ["500ms", 500],
    ["90", 90_000],
    ["1.5", 1_500],
    ["1.5h", 5_400_000],
    ["1h30m", 5_400_000],
    ["0", 0],
    ["", undefined],
    ["-5", undefined],
    ["5 m", undefined],
    ["5d", undefined],
    ["1e3", undefined],
    ["m", undefined],
    ["5m5", undefined],
  ];
  for (const [text, ms] of cases) strictEqual(parseDuration(text), ms, text);
});

Deno.test("durations are written without jumps in the form", () => {
  strictEqual(formatDuration(0), "0 ms");
  strictEqual(formatDuration(99.4), "99 ms");
  strictEqual(formatDuration(100), "0.1 s");
  strictEqual(formatDuration(59_949), "59.9 s");
  strictEqual(formatDuration(59_950), "1 min 00 s");
  strictEqual(formatDuration(125_000), "2 min 05 s");
});

Deno.test("counts and sizes are written for people", () => {
  strictEqual(formatCount(999), "999");
  strictEqual(formatCount(1_234_567), "1,234,567");
  strictEqual(formatBytes(1023), "1023 B");
  strictEqual(formatBytes(1024), "1.0 KiB");
  strictEqual(formatBytes(810_283), "791.3 KiB");
});
