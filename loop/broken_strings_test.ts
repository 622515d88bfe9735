import { equal } from "node:assert/strict";
import { withWholeStrings } from "./broken_strings.ts";

/** What a call of the tool would hand over: in the JSON, `\n` is a line break. */
function fromJson(code: string): string {
  return JSON.parse(`{"code":"${code}"}`).code;
}

function inRun(statement: string): string {
  return `function run(args) { ${statement} }`;
}

const MENDED = [
  [`const lines = readLog().split('\n'); answer(lines.length);`],
  [`const lines = text.split('\n').map((line) => line.trim());`],
  [`answer(['a', 'b'].join('\n') + '\n');`],
  [`log('one\ntwo\nthree');`],
  [`log('\n' + x + '\n');`],
  [`const o = { 'a\n': 1 };`],
  [`log('it\\'s\n');`],
  [`log(x ? '\n' : '\r\n');`],
] as const;
for (const [statement] of MENDED) {
  Deno.test(`broken strings: ${JSON.stringify(statement)} means what it says outside of JSON`, () => {
    const source = inRun(statement);
    const received = source.replaceAll("\r\n", "\u0001").replaceAll("\\'", "\u0002");
    const broken = received.replaceAll("\u0001", "\r\n").replaceAll("\u0002", "\\'");
    const wanted = source.replaceAll("\r\n", "\\n").replaceAll("\n", "\\n");
    equal(withWholeStrings(broken), wanted);
    new Function(wanted);
  });
}

Deno.test("broken strings: a script as a model writes it into JSON is put together", () => {
  const code = fromJson(
    "function run(args) {\\n  const lines = readLog().split('\\n');\\n  answer(lines.length);\\n}",
  );
  equal(
    withWholeStrings(code),
    "function run(args) {\n  const lines = readLog().split('\\n');\n  answer(lines.length);\n}",
  );
});

Deno.test("broken strings: what can be read stays as it is", () => {
  const whole = [
    "",
    "function run(args) { return 'a\\nb'; }",
    "function run(args) {\n  // it's\n  return \"it's\";\n}",
    "function run(args) {\n  const r = /['\"]/g;\n  return `\n'`;\n}",
    "function run(args) {\n  return 'a\\\n b';\n}",
    "function run(args) {\n  return x.replace(/'/g, '').split(\"\\n\"); // don't\n}",
    "function run() {\n  /* it's\n 'so' */\n  return 1;\n}",
  ];
  for (const source of whole) equal(withWholeStrings(source), source);
});

Deno.test("broken strings: what is wrong in another way stays as it is", () => {
  const wrong = [
    "function run(args) { return 'never closed;\n}",
    "function run(args) {\n  log('a);\n  log('b');\n}",
    "function run(args) {\n  log(it's);\n  return 'x y';\n}",
    `function run(args) { return '${"\n".repeat(60)}'; }`,
  ];
  for (const source of wrong) equal(withWholeStrings(source), source);
});

Deno.test("broken strings: to look for them takes no time that grows faster than the source", () => {
  const many = `function run() { ${"log('\n');".repeat(20_000)} }`;
  equal(withWholeStrings(many), many);
  const long = `function run() { log('${"x".repeat(1_000_000)}\n'); }`;
  equal(withWholeStrings(long), long.replace("\n", "\\n"));
});
