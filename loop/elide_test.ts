import { equal, ok } from "node:assert/strict";
import { elideScript, isElidedScript } from "./elide.ts";
import { utf8Bytes } from "./utf8.ts";

Deno.test("elide: one line with the first comment and the number of lines", () => {
  const source = "// load the orders\nasync function run() {\n  return 1;\n}";
  equal(elideScript(source), "[script of 4 lines, already run: load the orders]");
  equal(elideScript("function run() {}"), "[script of 1 line, already run]");
});

Deno.test("elide: whatever the comment holds, the line is one, short, well-formed and known again", () => {
  const comments = [
    "/* a\n\tb\0c */",
    `// ${"🎉".repeat(100)}`,
    "// \ud83d half",
    `//${" x".repeat(9999)}`,
  ];
  for (const comment of comments) {
    const line = elideScript(`${comment}\nfunction run() {}`);
    ok(!/[\p{Cc}\n]/u.test(line) && line.isWellFormed() && utf8Bytes(line) <= 160, line);
    ok(isElidedScript(line));
  }
});
