import { equal, ok } from "node:assert/strict";
import picomatch from "npm:picomatch@4.0.7";
import { PathSegments } from "../../../ext/workspace/path_segments.ts";

const OPTIONS = { dot: true, nonegate: true, windows: false };

function compile(part: string): RegExp {
  return picomatch.makeRe(part, OPTIONS);
}

function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 8) % below;
  };
}

Deno.test("workspace: a pattern matches name by name what it matches as a whole", () => {
  const random = randomFrom(3);
  const one = <T>(from: readonly T[]) => from[random(from.length)] as T;
  const parts = [
    "**",
    "**",
    "*",
    "a",
    "b",
    "a*",
    "*b",
    "*a*",
    "?",
    "a?",
    "[ab]",
    "[!a]",
    "{a,bb}",
    "*.{ts,js}",
    ".*",
    "*.ts",
    "!a",
    "a.ts",
    "@a",
    "+",
    "$a",
    "^",
    "a b",
    "{1..3}",
    "[a-c]*",
  ];
  const names = [
    "a",
    "b",
    "ab",
    "bb",
    "a.ts",
    "b.js",
    ".a",
    ".ts",
    "aab",
    "!a",
    "c",
    "2",
    "a b",
    "^",
    "+",
    "$a",
    "@a",
    "..a",
    "é",
    "ba",
  ];
  let matched = 0;
  for (let round = 0; round < 4_000; round++) {
    const pattern = Array.from({ length: 1 + random(4) }, () => one(parts)).join("/");
    const segments = PathSegments.of(pattern, compile);
    ok(segments !== undefined, pattern);
    const whole = compile(pattern);
    for (let n = 0; n < 25; n++) {
      const path = Array.from({ length: 1 + random(5) }, () => one(names));
      const expected = whole.test(path.join("/"));
      matched += Number(expected);
      equal(
        segments.matches(path.slice(0, -1), path.at(-1) ?? ""),
        expected,
        `${pattern} for ${path.join("/")}`,
      );
    }
  }
  ok(matched > 3_000, `${matched} matches`);
});

Deno.test("workspace: a pattern that is not one of names, or may take long, is left to others", () => {
  for (
    const pattern of [
      "a/{b/c,d}",
      "+(a)",
      "a\\*b",
      "[a/b]",
      "*a*b*c",
      "a**b",
      "{a,b}{a,b}",
      "a//b",
      "a/",
      "./a",
      "../a",
    ]
  ) {
    equal(PathSegments.of(pattern, compile), undefined, pattern);
  }
});
