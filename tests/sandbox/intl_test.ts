import assert from "node:assert/strict";
import { createProcessHost } from "../../sandbox/process_host.ts";
import { evaluate, evaluateValue, takeLease } from "./evaluation.ts";

Deno.test("dates and numbers are put into words as the locale and its options say, in UTC", async () => {
  await using host = createProcessHost();
  await using lease = takeLease(host);
  const value = await evaluateValue(
    lease,
    `function run() {
      const leap = new Date("2000-02-29T23:30:00Z");
      return [
        leap.toLocaleDateString("en-US", { weekday: "long" }),
        leap.toLocaleDateString("de-DE", { day: "numeric", month: "long", year: "numeric" }),
        leap.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" }),
        leap.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit", timeZone: "Asia/Tokyo" }),
        (1234567.891).toLocaleString("en-US"),
        (1234.5).toLocaleString("en-US", { style: "currency", currency: "EUR" }),
        new Intl.NumberFormat("de-DE", { minimumFractionDigits: 2 }).format(1234.5),
        new Intl.DateTimeFormat("en-US", { month: "short", timeZone: "UTC" }).format(leap),
        Intl.NumberFormat("en-US").format(1234.5),
        Intl.DateTimeFormat("en-US", { year: "numeric" }).format(leap),
        [1000, 2000].map(Intl.NumberFormat("en-US").format).join(" "),
        Intl.NumberFormat() instanceof Intl.NumberFormat && new Intl.NumberFormat() instanceof Intl.NumberFormat,
        new Date(NaN).toLocaleDateString(),
        (NaN).toLocaleString(),
      ];
    }`,
  );
  assert.deepEqual(value, [
    "Tuesday",
    "29. Februar 2000",
    "23:30",
    "08:30",
    "1,234,567.891",
    "€1,234.50",
    "1.234,50",
    "Feb",
    "1,234.5",
    "2000",
    "1,000 2,000",
    true,
    "Invalid Date",
    "NaN",
  ]);
});

Deno.test("a format that is not there says so, and nonsense is an error that can be caught", async () => {
  await using host = createProcessHost();
  await using lease = takeLease(host);
  const { failure } = await evaluate(lease, "function run() { return new Intl.Collator(); }");
  assert.match(
    failure!.message,
    /Intl\.Collator is not here; there are DateTimeFormat and NumberFormat/,
  );
  const value = await evaluateValue(
    lease,
    `function run() {
      const ends = [];
      for (const [locale, options] of [["no such locale!", {}], ["en", { style: "currency", currency: "?" }], ["en", { pad: "x".repeat(5000) }]]) {
        try { ends.push((1).toLocaleString(locale, options)); } catch (error) { ends.push(error.name); }
      }
      return ends;
    }`,
  );
  assert.deepEqual(value, ["RangeError", "RangeError", "RangeError"]);
});
