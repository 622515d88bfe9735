import assert from "node:assert/strict";
import { retryAfterMs } from "./retry_after.ts";

const NOW = new Date("2026-01-05T10:00:00Z");

function wait(value: string, more: Record<string, string> = {}): number | undefined {
  return retryAfterMs(new Headers({ "retry-after": value, ...more }), () => NOW);
}

Deno.test("RTY-01 Retry-After is read as seconds, with decimals and without", () => {
  assert.equal(wait("2"), 2000);
  assert.equal(wait("1.5"), 1500);
  assert.equal(wait(" 3 "), 3000);
  assert.equal(wait("0"), 0);
});

Deno.test("RTY-01 Retry-After is read as an HTTP date in each of its three forms", () => {
  assert.equal(wait("Mon, 05 Jan 2026 10:00:03 GMT"), 3000);
  assert.equal(wait("Monday, 05-Jan-26 10:00:03 GMT"), 3000);
  assert.equal(wait("Mon Jan  5 10:00:03 2026"), 3000);
});

Deno.test("RTY-01 a date in the past and a negative number mean no wait", () => {
  assert.equal(wait("Mon, 05 Jan 2026 09:59:00 GMT"), 0);
  assert.equal(wait("-5"), 0);
});

Deno.test("RTY-01 what is neither a number nor a date means nothing", () => {
  for (const value of ["soon", "", "2 s", "1e3", "0x10", "NaN", "Infinity", "Mon", "2026-01-05"]) {
    assert.equal(wait(value), undefined, value);
  }
  assert.equal(retryAfterMs(new Headers(), () => NOW), undefined);
});

Deno.test("RTY-02 an absurd date or number means nothing", () => {
  for (
    const value of [
      "Fri, 31 Dec 99999 23:59:59 GMT",
      "Fri, 31 Dec 999999 23:59:59 GMT",
      "99999999999999999999",
      "9".repeat(400),
      "90000",
    ]
  ) assert.equal(wait(value), undefined, value);
  assert.equal(wait("86400"), 86_400_000);
});

Deno.test("retry-after-ms goes before Retry-After where it is a number", () => {
  assert.equal(wait("9", { "retry-after-ms": "250" }), 250);
  assert.equal(wait("9", { "retry-after-ms": "-1" }), 0);
  assert.equal(wait("9", { "retry-after-ms": "later" }), 9000);
});
