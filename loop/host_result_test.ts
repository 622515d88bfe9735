import { deepEqual, match, ok } from "node:assert/strict";
import { encodeResult } from "./host_result.ts";

const MAX = 1_000_000;

function faultOf(value: unknown): string {
  const encoded = encodeResult(value, MAX);
  return encoded.ok ? `encoded: ${encoded.json}` : encoded.message;
}

Deno.test("host result: JSON values pass, properties that are undefined are left out", () => {
  const bare = Object.assign(Object.create(null), { a: 1 });
  const values: [unknown, string][] = [
    [null, "null"],
    [{ a: [1, "x", true, null], b: {} }, '{"a":[1,"x",true,null],"b":{}}'],
    [{ a: undefined, b: 1 }, '{"b":1}'],
    [bare, '{"a":1}'],
    [JSON.parse('{"__proto__":{"x":1}}'), '{"__proto__":{"x":1}}'],
    ["\ud83d", '"\\ud83d"'],
  ];
  for (const [value, json] of values) {
    const bytes = new TextEncoder().encode(json).length;
    deepEqual(encodeResult(value, MAX), { ok: true, json, bytes });
  }
  deepEqual(encodeResult(undefined, MAX), { ok: true, bytes: 0 });
});

const cycle: Record<string, unknown> = { list: [] };
cycle.list = [{ back: cycle }];
const FAULTS: readonly [string, unknown, RegExp][] = [
  ["a function", { f: () => 1 }, /^\$\.f is a function$/],
  ["a symbol", [Symbol()], /^\$\[0\] is a symbol$/],
  ["a big integer", { n: 1n }, /^\$\.n is a bigint$/],
  ["not a number", { n: [NaN] }, /^\$\.n\[0\] is NaN$/],
  ["infinite", -Infinity, /^\$ is -Infinity$/],
  ["undefined in a list", [1, undefined], /^\$\[1\] is undefined$/],
  ["a date", { "odd key": new Date() }, /^\$\["odd key"\] is a Date$/],
  ["a map", new Map(), /^\$ is a Map$/],
  ["bytes", { b: new Uint8Array(2) }, /^\$\.b is an? Uint8Array$/],
  ["an error", new TypeError("x"), /^\$ is a TypeError$/],
  ["a promise in an object", { p: Promise.resolve(1) }, /^\$\.p is a Promise$/],
  ["an object with toJSON", { toJSON: () => 1 }, /^\$ is an Object$/],
  ["a cycle", cycle, /^\$\.list\[0\]\.back refers back to itself$/],
];
for (const [name, value, message] of FAULTS) {
  Deno.test(`host result: ${name} is refused with its path`, () => {
    match(faultOf(value), message);
  });
}

Deno.test("host result: one value in two places is no cycle", () => {
  const shared = { a: 1 };
  deepEqual(encodeResult([shared, shared], MAX), {
    ok: true,
    json: '[{"a":1},{"a":1}]',
    bytes: 17,
  });
});

Deno.test("host result: values too deep are refused", () => {
  let deep: unknown = 1;
  for (let level = 0; level < 100_000; level++) deep = [deep];
  match(faultOf(deep), /nested deeper than 500 levels/);
});

Deno.test("host result: a getter that throws and a Proxy that lies are refused, not thrown", () => {
  const thrower = {
    get a(): never {
      throw new Error("boo");
    },
  };
  const liar = new Proxy({}, {
    ownKeys: () => {
      throw new Error("boo");
    },
  });
  for (const value of [thrower, liar]) match(faultOf(value), /cannot be read/);
});

Deno.test("host result: sizes are counted in bytes, and a flood ends before it is written out", () => {
  deepEqual(encodeResult("é", 4), { ok: true, json: '"é"', bytes: 4 });
  ok(!encodeResult("é", 3).ok);
  let wide: unknown = 1;
  for (let level = 0; level < 40; level++) wide = [wide, wide];
  const encoded = encodeResult(wide, 1000);
  ok(!encoded.ok && encoded.reason === "too_large", JSON.stringify(encoded));
});

Deno.test("host result: a long text stands beside the JSON, and both are counted", () => {
  const long = "é".repeat(16_384);
  deepEqual(encodeResult(long, MAX), { ok: true, text: { value: long }, bytes: 32_768 });
  deepEqual(encodeResult({ a: 1, body: long, b: 2 }, MAX), {
    ok: true,
    json: '{"a":1,"body":null,"b":2}',
    text: { key: "body", value: long },
    bytes: 32_768 + 25,
  });
  ok(encodeResult({ body: long }, 32_768 + 13).ok);
  ok(!encodeResult({ body: long }, 32_768 + 12).ok);
  for (const short of [long.slice(1), `${long}\0`, `${long}\ud83d`]) {
    deepEqual(encodeResult({ body: short }, MAX), {
      ok: true,
      json: JSON.stringify({ body: short }),
      bytes: new TextEncoder().encode(JSON.stringify({ body: short })).length,
    });
  }
});
