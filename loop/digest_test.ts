import { deepEqual, equal, ok } from "node:assert/strict";
import type { JsonValue } from "../contracts/json.ts";
import { randomText, seededRandom } from "./_random_text.ts";
import { digestJson, digestValue, MAX_DIGEST_BYTES } from "./digest.ts";
import { utf8Bytes } from "./utf8.ts";

const LONG = "y".repeat(300);

function many<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

Deno.test("digest: a small value is shown whole", () => {
  const values: JsonValue[] = [null, true, 4, "x", [], {}, [1, { a: "b" }], { n: 3, ok: false }];
  for (const value of values) equal(digestValue(value), JSON.stringify(value));
  equal(digestValue("y".repeat(198)), `"${"y".repeat(198)}"`);
  equal(digestValue("y".repeat(199)), "string");
});

Deno.test("digest: of a large value keys, kinds and lengths, the elements of an array as one", () => {
  const orders = many(400, (i) => ({
    id: i,
    note: i % 3 === 0 ? null : "x",
    ...(i % 2 === 0 ? { tags: many(i % 5, String) } : {}),
  }));
  equal(
    digestValue({ orders, count: 400, text: LONG, "odd key": [], empty: {} }),
    "{orders: array(400) of {id: number, note: string | null, tags?: array(0 to 4) of string}, " +
      'count: number, text: string(300), "odd key": array(0), empty: {}}',
  );
});

Deno.test("digest: kinds that stand in one place are all named", () => {
  equal(digestValue(many(300, (i) => i % 2 ? i : `${i}`)), "array(300) of (string | number)");
  equal(
    digestValue(many(100, (i) => i % 2 ? { a: i } : [i])),
    "array(100) of ({a: number} | array(1) of number)",
  );
});

Deno.test("digest: an object that is a table shows a few keys and one shape", () => {
  const table = Object.fromEntries(many(500, (i) => [`c${i}`, { name: LONG, total: i }]));
  equal(digestValue(table), "{500 keys such as c0, c1, c2: each {name: string, total: number}}");
});

Deno.test("digest: holds no value of a large one", () => {
  const value = {
    secret: "hunter2",
    pin: 74656,
    list: many(50, (i) => ({ v: `hunter${i}`, n: 74656 })),
  };
  const digest = digestValue(value);
  ok(!/hunter|74656/.test(digest), digest);
});

Deno.test("ATK-55: keys like __proto__ are data, and nothing of the host changes", () => {
  const json = `{"__proto__":{"polluted":1},"constructor":{"prototype":{"p2":"${LONG}"}}}`;
  equal(
    digestJson(json),
    "{__proto__: {polluted: number}, constructor: {prototype: {p2: string(300)}}}",
  );
  const list = `[${many(300, () => '{"__proto__":{"x":1},"hasOwnProperty":null}').join(",")}]`;
  equal(digestJson(list), "array(300) of {__proto__: {x: number}, hasOwnProperty: null}");
  equal(({} as { polluted?: number }).polluted, undefined);
});

Deno.test("HIS-09: the digest is well-formed and within its cap where its cuts fall within characters", () => {
  for (let pad = 0; pad < 8; pad++) {
    const key = `${"k".repeat(44 + pad)}🎉🎉🎉`;
    const value = Object.fromEntries(many(60, (i) => [`${i}${key}`, many(i, () => [LONG])]));
    const digest = digestValue(value);
    ok(digest.isWellFormed() && utf8Bytes(digest) <= MAX_DIGEST_BYTES, digest);
  }
});

Deno.test("digest: a lone surrogate in a value or a key is escaped or replaced", () => {
  equal(digestValue("ok \ud83d end"), '"ok \\ud83d end"');
  ok(digestValue({ [`\ud83d${LONG}`]: LONG, "\udc00": LONG }).isWellFormed());
});

Deno.test("digest: deep, wide and huge values are digested within bounds", () => {
  const deep = "[".repeat(100_000) + "]".repeat(100_000);
  const wide = Object.fromEntries(many(300_000, (i) => [`k${i}`, i % 2 ? i : "s"]));
  const matrix = many(2000, () => many(500, (i) => i));
  for (const value of [JSON.parse(deep), wide, matrix, LONG.repeat(30_000)]) {
    const digest = digestValue(value);
    ok(digest !== "" && utf8Bytes(digest) <= MAX_DIGEST_BYTES, digest.slice(0, 200));
  }
  equal(digestValue(matrix), "array(2000) of array(500) of number");
});

Deno.test("digest: what stands beside a large part is told, however large that is", () => {
  const row = (i: number) =>
    Object.fromEntries(many(12, (k) => [`f${k}`, k % 2 ? i : [{ deep: { id: i } }]]));
  const rows = `array(5000) of {${
    many(12, (k) => `f${k}: ${k % 2 ? "number" : "array(1) of {deep: {id: number}}"}`).join(", ")
  }}`;
  equal(
    digestValue({ rows: many(5000, row), total: 5, others: many(5000, row) }),
    `{rows: ${rows}, total: number, others: ${rows}}`,
  );
});

Deno.test("digest: a key that none lacks is never marked as one that some lack", () => {
  for (const width of [1, 3, 10, 60, 150]) {
    for (const count of [1, 7, 300, 4000]) {
      const part = (i: number) => Object.fromEntries(many(width, (k) => [`k${k}`, { n: i }]));
      const digest = digestValue({ a: many(count, part), b: many(count, part), text: LONG });
      ok(!digest.includes("?"), digest);
      ok(digest.endsWith("text: string(300)}"), digest);
    }
  }
});

Deno.test("digest: what is not looked at is not said to be empty", () => {
  let value: JsonValue = { end: LONG };
  for (let level = 0; level < 7; level++) {
    value = many(30, () => Object.fromEntries(many(30, (k) => [`k${k}`, value])));
    ok(!digestValue(value).includes("{}"), digestValue(value));
  }
});

Deno.test("digest: the work is bounded where every level is as wide as it is looked at", () => {
  // Shared parts make a value of 300^6 places out of a few arrays; one look at each would never end.
  let wide: JsonValue = "end";
  for (let level = 0; level < 6; level++) wide = Array(300).fill({ a: wide, b: wide });
  ok(digestValue(wide).startsWith("array(300) of {a: array(300) of {"));
});

Deno.test("digest: random values give one well-formed line within the cap", () => {
  const random = seededRandom(11);
  for (let run = 0; run < 300; run++) {
    const value = randomValue(random, 0);
    const digest = digestValue(value);
    ok(digest.isWellFormed() && !digest.includes("\n"), digest);
    ok(utf8Bytes(digest) <= MAX_DIGEST_BYTES, digest);
    equal(digestJson(JSON.stringify(value)), digestValue(JSON.parse(JSON.stringify(value))));
  }
});

Deno.test("digest: a text that is not JSON is said to be none", () => {
  equal(digestJson("{"), "a text of 1 bytes that is not JSON");
});

Deno.test("digest: two values of one shape have one digest", () => {
  const made = (word: string) => many(40, (i) => ({ word, i }));
  deepEqual(digestValue(made("a")), digestValue(made("b")));
});

function randomValue(random: () => number, depth: number): JsonValue {
  const kind = Math.floor(random() * (depth > 4 ? 4 : 6));
  const size = Math.floor(random() * random() * 40);
  if (kind === 0) return null;
  if (kind === 1) return random() < 0.5;
  if (kind === 2) return Math.floor(random() * 1e6) / 7;
  if (kind === 3) return randomText(random, { maxPieces: size });
  if (kind === 4) return many(size, () => randomValue(random, depth + 1));
  return Object.fromEntries(
    many(size, () => [randomText(random, { maxPieces: 4 }), randomValue(random, depth + 1)]),
  );
}
