import { deepEqual, equal, ok } from "node:assert/strict";
import {
  byteCharacters,
  isPlain,
  linePattern,
  literalOf,
  scanOf,
} from "../../../ext/workspace/line_scan.ts";
import { matchLines, matchText, matchTexts } from "../../../ext/workspace/match_lines.ts";

const LIMITS = { maxMatches: 5, context: 1, lineCharacters: 30 };

/** Patterns that are easily got wrong when a text is searched as a whole. */
const PATTERNS = [
  "^",
  "$",
  "^$",
  "^a",
  "a$",
  "\\s",
  "\\s$",
  "^\\s*$",
  "a\\sb",
  "a\\s*b",
  "[^a]",
  "[^a]+b",
  "[^]",
  "[^]*b",
  "[\\s\\S]",
  "[\\s\\S]+é",
  "\\W",
  "\\W+$",
  "\\D+",
  "\\S+",
  "\\w+",
  "\\bb",
  "b\\b",
  "\\B",
  "x*",
  "(?:)",
  "a|",
  "a|b",
  "(a|b)+",
  "(?<n>a)+b",
  "(?=b)",
  "a(?!b)",
  "(?<=a)b",
  "(?<!a)b",
  "(a)\\1",
  "\\n",
  "a\\nb",
  "\\r",
  "\\r$",
  "a\\r",
  ".",
  "a.b",
  ".*",
  ".+$",
  "^.{3}$",
  "[^\\n]",
  "[a-\\uffff]",
  "\\u00e9",
  "é",
  "\\x0a",
  "\\p{L}+",
  "\\P{L}",
  "[\\p{L}]b",
  "\\cJ",
  "\\0",
  "a{2}",
  "a{2,}b",
  "a{0}b",
  "a?b",
  "2",
  "\\ufeff",
  "^\\ufeff?a",
  "\\t",
  "\\.",
  "[.]",
  "[]",
  "[]a]",
  "[a\\]b]",
  "[^-a]",
  "[^a-]",
  "\\-",
  "a-b",
  "}",
  "{",
  "\\/",
  "/",
  "b\\b.\\B",
  "(?i:A)b",
  "\u2028",
  "^b",
  "a\\b$",
  "zz",
  "ab",
  "\ud83d\ude00",
  "\ud83d\ude00?a",
  ".\ud83d\ude00",
  "(?:a(?:b|é))+?$",
  "(ab|b)?(é)",
  "\\k",
  "\\_",
  "[\\b]",
  "[\\t-~]",
] as const;

/** A random choice that is the same each time. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 8) % below;
  };
}

const PIECES = [
  "a",
  "b",
  "ab",
  "\n",
  "\n",
  "\r\n",
  "\r",
  " ",
  "\t",
  "é",
  "-",
  ".",
  "_",
  "2",
  "A",
  "\ufeff",
  "\u2028",
  "\ud83d\ude00",
  "aa",
  "zz",
  "x".repeat(40),
];

function randomText(random: (below: number) => number): string {
  return Array.from({ length: random(30) }, () => PIECES[random(PIECES.length)]).join("");
}

function compiled(source: string, ignoreCase: boolean): RegExp[] {
  return ["", "u"].flatMap((flag) => {
    try {
      return [new RegExp(source, flag + (ignoreCase ? "i" : ""))];
    } catch {
      return [];
    }
  });
}

function checkSame(regex: RegExp, texts: readonly string[]): void {
  const expected = texts.map((text) => matchLines(text, regex, LIMITS));
  const pattern = linePattern(regex);
  for (const [index, text] of texts.entries()) {
    const shown = `${regex} in ${JSON.stringify(text)}`;
    deepEqual(matchText(text, pattern, LIMITS), expected[index], shown);
    // Each on its own, so that no limit is passed by the others.
    const bytes = new TextEncoder().encode(text);
    const limits = { ...LIMITS, maxCharacters: 1e6, sniffedBytes: 8000 };
    const [found] = matchTexts({ bytes, ends: [bytes.length] }, pattern, limits, byteCharacters);
    deepEqual(found?.[1] ?? [], expected[index], shown);
  }
}

Deno.test("workspace: a text that is searched as a whole gives the lines that each line gives", () => {
  const random = randomFrom(7);
  for (const source of PATTERNS) {
    for (const regex of [...compiled(source, false), ...compiled(source, true)]) {
      checkSame(regex, [
        "",
        "\n",
        "a",
        "a\n",
        "\na",
        "a\r\n",
        "\r\n\r\n",
        ...Array.from({ length: 60 }, () => randomText(random)),
      ]);
    }
  }
});

Deno.test("workspace: patterns made at random give the same lines, too", () => {
  const random = randomFrom(11);
  const parts = [
    "a",
    "b",
    "é",
    "\\s",
    "\\w",
    "\\S",
    "\\W",
    "\\D",
    ".",
    "[^a]",
    "[ab]",
    "[\\s-]",
    "^",
    "$",
    "\\b",
    "(a|b)",
    "(?:ab)",
    "|",
    "\\.",
    "-",
    "2",
    " ",
  ];
  const counts = ["", "", "", "*", "+", "?", "{2}", "{0,2}", "+?", "*?"];
  let tried = 0;
  for (let round = 0; round < 1500; round++) {
    const source = Array.from(
      { length: 1 + random(5) },
      () => `${parts[random(parts.length)]}${counts[random(counts.length)]}`,
    ).join("");
    for (const regex of compiled(source, random(4) === 0)) {
      tried++;
      checkSame(regex, Array.from({ length: 12 }, () => randomText(random)));
    }
  }
  ok(tried > 1000, `${tried} patterns`);
});

Deno.test("workspace: texts of a batch are told apart, and limits hold over all of them", () => {
  const texts = ["ab\n", "a", "b\nab", "", "zz ab", "\u0000ab"];
  const encoded = texts.map((text) => new TextEncoder().encode(text));
  const broken = new Uint8Array([0x61, 0x62, 0xff]);
  const all = [...encoded, broken, new TextEncoder().encode("ab")];
  const bytes = new Uint8Array(all.flatMap((one) => [...one]));
  let end = 0;
  const ends = all.map((one) => end += one.length);
  const found = (source: string, maxMatches: number) =>
    matchTexts({ bytes, ends }, linePattern(new RegExp(source, "u")), {
      ...LIMITS,
      context: 0,
      maxMatches,
      maxCharacters: 1e6,
      sniffedBytes: 8000,
    }, byteCharacters)
      .map(([index, lines]) => `${index}:${lines.map((one) => one.line)}`);
  for (const source of ["ab", "a[b]"]) {
    deepEqual(found(source, 10), ["0:1", "2:2", "4:1", "7:1"], source);
    // One more than is kept says that there is more.
    deepEqual(found(source, 1), ["0:1", "2:2"], source);
  }
  deepEqual(found("a$", 10), ["1:1"]);
});

Deno.test("workspace: what every match holds is found, and nothing else", () => {
  const literal = (source: string, flags = "") => literalOf(new RegExp(source, flags));
  equal(literal("needle_[a-z]+ here"), "needle_");
  equal(literal("function\\s+(run|walk)Fast"), "function");
  equal(literal("abc+d"), "abc");
  equal(literal("abc*d"), "ab");
  equal(literal("a{2}b"), "b");
  equal(literal("x(?:longer)?y"), "x");
  equal(literal("a\\.b"), "a.b");
  equal(literal("gr\u00fc\u00dfe"), "gr\u00fc\u00dfe");
  for (const none of ["one|two", "a?", "[a]", "(?=abc)", "\\u0061bc", ""]) {
    equal(literal(none), "", none);
  }
  equal(literal("abc", "i"), "");
});

Deno.test("workspace: only a pattern that cannot take long is run in place", () => {
  for (const source of ["TODO|FIXME", "\\bfoo\\b", "a.c", "[ab]c", "\\.ts$"]) {
    ok(isPlain(new RegExp(source)), source);
  }
  for (const source of ["a+", "a*", "a?", "a{9}", "(a|a)(a|a)", "(a)\\1", `${"a|".repeat(200)}b`]) {
    ok(!isPlain(new RegExp(source)), source);
  }
});

Deno.test("workspace: what is searched as a whole never goes beyond a line", () => {
  for (const source of PATTERNS) {
    for (const regex of compiled(source, false)) {
      const scan = scanOf(regex);
      if (scan === undefined) continue;
      for (const text of ["a\nb", "a\n\nb", "\n\n", "a \n b", "é\nb"]) {
        scan.lastIndex = 0;
        for (let match = scan.exec(text); match !== null; match = scan.exec(text)) {
          ok(!match[0].includes("\n"), `${scan} in ${JSON.stringify(text)}`);
          if (match[0] === "") scan.lastIndex++;
        }
      }
    }
  }
});
