/** Values that would hold a careless check for hours: that these tests end is what they show. */
import { deepEqual, equal, match, rejects, throws } from "node:assert/strict";
import type { JsonValue } from "../../contracts/json.ts";
import type { JsonSchema } from "../../contracts/tool.ts";
import { checkSchema } from "./check_schema.ts";
import { hasFormat } from "./formats.ts";
import { compilePatterns, patternFault } from "./pattern.ts";
import { typeText } from "./type_text.ts";
import { findIssues } from "./validate.ts";

async function issuesOf(schema: JsonSchema, value: JsonValue): Promise<readonly string[]> {
  const sound = checkSchema(schema, { name: "t", ofObject: false });
  return findIssues(value, { sound, matchers: await compilePatterns(sound.patterns) });
}

const CATASTROPHES = ["^(a+)+$", "^(a|a)*$", "^(a|aa)+$", "^(.*a){12}$", "^\\s*(\\w+\\s*)*$"];

for (const pattern of CATASTROPHES) {
  Deno.test(`bounded check: ${pattern} takes linear time`, async () => {
    const issues = await issuesOf({ pattern }, "a".repeat(20_000) + "!");
    equal(issues.length, 1);
  });
}

Deno.test("bounded check: what cannot be matched in linear time is refused with the way out", () => {
  for (
    const [pattern, why] of [
      ["^(?=a)", "looks ahead or behind"],
      ["(?<!a)b", "looks ahead or behind"],
      ["^(a)\\1$", "refers back to a group"],
      ["(?<x>a)\\k<x>", "refers back to a group"],
      ["a{1,5000}", "repeats more than 1000 times"],
      ["\\p{Script=Greek}", "names a Unicode property"],
      ["(", "is no regular expression"],
    ] as const
  ) {
    match(patternFault(pattern) ?? "", new RegExp(why.replaceAll("(", "\\(")), pattern);
    throws(
      () =>
        checkSchema({ type: "object", properties: { a: { pattern } } }, {
          name: "parameters of t",
        }),
      /^TypeError: parameters of t: #\/properties\/a\/pattern .*Standard Schema$/,
    );
  }
  for (const pattern of ["[(?=]", "\\(?=", "^[\\]\\1]$"]) {
    equal(/ahead|back/.test(patternFault(pattern) ?? ""), false, pattern);
  }
});

Deno.test("bounded check: patterns that are too much to compile together are refused before they are compiled", async () => {
  const many = (count: number) => Array.from({ length: count }, (_, i) => `^(a|${i}){1000}$`);
  const nested = `${"(?:".repeat(3)}${"ab".repeat(900)}${"){10}".repeat(3)}`;
  const row = "[a-z]{1,900}".repeat(160);
  for (const patterns of [many(100), [nested], [row], ["((a{9}){9}b{9}){9}".repeat(110)]]) {
    await rejects(compilePatterns(new Set(patterns), { maxSize: 10_000 }), {
      name: "TypeError",
      message: /^the patterns take more than 10000 instructions together/,
    });
  }
  const fits = await compilePatterns(new Set([...many(1), "\\{9999\\}[{9999}]"]), {
    maxSize: 10_000,
  });
  equal(fits.size, 2);
});

Deno.test("bounded check: patterns mean what they mean in JavaScript", async () => {
  for (
    const [pattern, text] of [
      ["^[a-z0-9]+(?:-[a-z0-9]+)*$", "a-b-c"],
      ["^\\s$", "\u00a0"],
      ["^[\\s]$", "\u2003"],
      ["^\\S+$", "a\u00a0b"],
      ["^\\p{L}+$", "Ærø"],
      ["^\\u00e9$", "é"],
      ["^.{1,2}$", "👍👍"],
      ["b", "abc"],
      ["^a$", "a\n"],
      ["^[^]$", "\n"],
      ["^\\d{4}-\\d{2}$", "2026-01"],
      ["^\\/[\\w.-]+$", "/a-b.c"],
    ] as const
  ) {
    const fits = (await issuesOf({ pattern }, text)).length === 0;
    equal(fits, new RegExp(pattern, "u").test(text), `${pattern} on ${JSON.stringify(text)}`);
  }
});

Deno.test("bounded check: formats take linear time on texts that nearly have them", () => {
  const long = "a".repeat(100_000);
  for (
    const format of ["email", "hostname", "uri", "ipv6", "duration", "date-time", "url", "uuid"]
  ) {
    for (const text of [`${long}!`, `${long}@${long}!`, `http://${long}!%`, "1:".repeat(50_000)]) {
      equal(typeof hasFormat(text, format), "boolean");
    }
  }
});

Deno.test("bounded check: a hundred thousand different items are compared at once", async () => {
  deepEqual(
    await issuesOf({ uniqueItems: true }, Array.from({ length: 100_000 }, (_, i) => i)),
    [],
  );
});

Deno.test("bounded check: a long reference that is followed very often ends by the number of steps", async () => {
  const name = "a".repeat(400_000);
  const $defs: Record<string, JsonSchema> = { [name]: {}, d13: { $ref: `#/$defs/${name}` } };
  for (let i = 0; i < 13; i++) {
    const next = { $ref: `#/$defs/d${i + 1}` };
    $defs[`d${i}`] = { allOf: [next, next] };
  }
  const issues = await issuesOf({ $defs, $ref: "#/$defs/d0" }, 1);
  match(issues.join(), /too much to check/);
});

for (
  const [what, constant, value] of [["constant", ["\n".repeat(400_000)], [1]], ["value", [1], [
    "\n".repeat(400_000),
  ]]] as const
) {
  Deno.test(`bounded check: a long ${what} that is compared very often ends by the number of steps`, async () => {
    const $defs: Record<string, JsonSchema> = { d13: { anyOf: [{ const: constant }, {}] } };
    for (let i = 0; i < 13; i++) {
      const next = { $ref: `#/$defs/d${i + 1}` };
      $defs[`d${i}`] = { allOf: [next, next] };
    }
    match((await issuesOf({ $defs, $ref: "#/$defs/d0" }, value)).join(), /too much to check/);
  });
}

Deno.test("bounded check: a long reference behind very many short ones is read once", () => {
  const name = "a".repeat(300_000);
  const $defs = { [name]: {}, d: { $ref: `#/$defs/${name}` } };
  const anyOf = Array.from({ length: 200_000 }, () => ({ $ref: "#/$defs/d" }));
  equal(checkSchema({ $defs, anyOf }, { name: "t", ofObject: false }).patterns.size, 0);
});

Deno.test("bounded check: alternatives in each other end by their constants, else by the number of steps", async () => {
  const filter = (op: string) => ({
    type: "object",
    properties: { of: { type: "array", items: { $ref: "#/$defs/filter" } }, op: { const: op } },
    required: ["op", "of"],
  });
  const told: JsonSchema = {
    $defs: { filter: { anyOf: ["and", "or", "not"].map(filter) } },
    $ref: "#/$defs/filter",
  };
  const untold: JsonSchema = {
    anyOf: [{ properties: { x: { $ref: "#" } }, required: ["a"] }, {
      properties: { x: { $ref: "#" } },
      required: ["b"],
    }],
  };
  let value: JsonValue = { op: "xor", of: [] };
  let pair: JsonValue = {};
  for (let level = 0; level < 40; level++) {
    value = { op: "not", of: [value] };
    pair = { x: pair, a: 1, b: 1 };
  }
  match(
    (await issuesOf(told, value))[0] ?? "",
    /^\$\.of\[0\].*: expected .*, got an object with op, of$/,
  );
  deepEqual(await issuesOf(untold, pair), ["$: too much to check; make it smaller"]);
});

Deno.test("bounded check: a pattern that is large beside a text that is long is not matched at all", async () => {
  deepEqual(await issuesOf({ pattern: "[ab]{1000}$" }, "a".repeat(1_000_000)), [
    "$: too much text to match with patterns; make it smaller",
  ]);
  deepEqual(await issuesOf({ pattern: "^[A-Za-z0-9+/]*$" }, "a".repeat(1_000_000)), []);
  match(patternFault("a".repeat(3_000)) ?? "", /is longer than 2000 characters/);
});

Deno.test("bounded check: long lists in schemas cost steps, and faults beyond those told no words", async () => {
  const names = Array.from({ length: 20_000 }, (_, index) => `name${index}`);
  const properties = Object.fromEntries(names.map((name) => [name, { type: "string" }]));
  const empty = Array(50_000).fill({});
  const issues = await issuesOf({ items: { type: "object", properties, required: names } }, empty);
  deepEqual([issues.length, issues[0], issues.at(-1)], [
    10,
    "$[0].name0: missing, expected string",
    "and more",
  ]);
  const objects = names.map((name) => ({ name }));
  equal(
    (await issuesOf({ items: { enum: objects } }, Array(50_000).fill({ name: "?" }))).length > 8,
    true,
  );
  let nested: JsonValue = Array.from({ length: 50_000 }, (_, index) => index);
  for (let level = 0; level < 100; level++) nested = [nested];
  deepEqual(
    await issuesOf({ type: ["array", "number"], uniqueItems: true, items: { $ref: "#" } }, nested),
    [
      "$: too much to check; make it smaller",
    ],
  );
});

Deno.test("bounded check: a schema of a hundred thousand references is read at once", () => {
  const count = 100_000;
  const chain = Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      `t${index}`,
      index === count - 1 ? {} : { $ref: `#/$defs/t${index + 1}` },
    ]),
  );
  const nested = Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      `t${index}`,
      index === count - 1 ? {} : { items: { $ref: `#/$defs/t${index + 1}` } },
    ]),
  );
  const check = ($defs: object) =>
    checkSchema({ $ref: "#/$defs/t0", $defs }, { name: "t", ofObject: false });
  throws(() => check(chain), /leads through more than 32 references/);
  equal(check(nested).patterns.size, 0);
});

Deno.test("bounded check: a value that is nested without end is a fault, not an overflow", async () => {
  let value: JsonValue = 1;
  for (let level = 0; level < 5_000; level++) value = [value];
  deepEqual(await issuesOf({ items: { $ref: "#" } }, value), ["$: nested deeper than 256"]);
  for (let level = 0; level < 100_000; level++) value = [value];
  deepEqual(await issuesOf({ enum: [[1]] }, value), ["$: nested too deeply to be compared"]);
});

Deno.test("bounded check: references that multiply make no long type", () => {
  const $defs = Object.fromEntries(
    Array.from({ length: 20 }, (_, index) => [
      `t${index}`,
      index === 19 ? { type: "string" } : {
        anyOf: [{ $ref: `#/$defs/t${index + 1}` }, {
          type: "array",
          items: { $ref: `#/$defs/t${index + 1}` },
        }],
      },
    ]),
  );
  const root = checkSchema({ $defs, $ref: "#/$defs/t0" }, { name: "t", ofObject: false }).schema;
  let cut = false;
  equal(typeText(root, { root, onCut: () => void (cut = true) }).length < 50_000, true);
  equal(cut, true);
});
