import { strictEqual } from "node:assert/strict";
import ignore from "npm:ignore@7.0.17";
import { ignoreHint } from "./ignore_hint.ts";

Deno.test("ignore hint: rules that can be told apart from most paths", () => {
  const hint = ignoreHint("# all\nnode_modules/\n*.log\n!keep.log\n/build\n**/out/**/x.map\n\n");
  for (
    const path of ["node_modules", "a/node_modules/b", "x.log", "keep.log", "build", "out/a/x.map"]
  ) {
    strictEqual(hint?.test(path), true, path);
  }
  for (const path of ["src/main.ts", "README.md", "lo.g"]) {
    strictEqual(hint?.test(path), false, path);
  }
});

Deno.test("ignore hint: without rules no path needs to be asked about; with rules of any name each does", () => {
  strictEqual(ignoreHint("# nothing\n\n")?.test("a"), false);
  for (const rules of ["*", "?", "**/*", "a\n*", "[ab]", "a\\ b", "x".repeat(3).concat("\n*\n")]) {
    strictEqual(ignoreHint(rules), undefined, rules);
  }
  strictEqual(ignoreHint("a\n".repeat(501)), undefined);
});

Deno.test("ignore hint: a path that it says no to is one that the rules do not match, whatever the rules", () => {
  let seed = 7;
  const random = (n: number) => (seed = (seed * 1103515245 + 12345) % 2147483648) % n;
  const pick = <T>(list: readonly T[]): T => list[random(list.length)]!;
  const names = [
    "a",
    "ab",
    "b.log",
    "log",
    "dist",
    "x.y.z",
    "node_modules",
    ".env",
    "é",
    "a b",
    "$x",
    "(a)",
  ];
  const wild = [
    "*",
    "**",
    "?",
    "*.log",
    "d*t",
    "[a-b]",
    "\\!a",
    "!a",
    "a/",
    "/a",
    "a/**",
    "**/b.log",
    "a/*/b",
    " a ",
    "#a",
  ];
  for (let round = 0; round < 20_000; round++) {
    const parts = Array.from({ length: 1 + random(3) }, () => random(2) ? pick(names) : pick(wild));
    const rules = Array.from(
      { length: 1 + random(3) },
      () =>
        (random(4) === 0 ? "!" : "") + (random(3) === 0 ? "/" : "") + pick(parts) +
        (random(2) ? `/${pick(names)}` : "") + (random(4) === 0 ? "/" : ""),
    ).join("\n");
    const hint = ignoreHint(rules);
    if (hint === undefined) continue;
    const path = Array.from({ length: 1 + random(3) }, () => pick(names)).join("/");
    const asFolder = random(2) ? `${path}/` : path;
    const verdict = ignore({ ignorecase: false, allowRelativePaths: true }).add(rules).test(
      asFolder,
    );
    if (hint.test(path)) continue;
    strictEqual(
      verdict.ignored || verdict.unignored,
      false,
      JSON.stringify({ rules, path: asFolder }),
    );
  }
});
