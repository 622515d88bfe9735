import { deepEqual, equal } from "node:assert/strict";
import { declaredNames, definesRun, firstComment, maskCode, withoutOwnCall } from "./code_scan.ts";

const DEFINING = [
  "function run() {}",
  "function run(args) { return 1; }",
  "async function run(args) {}",
  "const run = (args) => 1;",
  "let run = async () => 1;",
  "var run=function () {};",
  "const x = 1;\nfunction /* the main part */ run (\n) {}",
  "const s = `${ `}` }`; function run() {}",
  "const r = /[/'\"`]/; function run() {}",
  "const half = 4 / 2; // it's\nfunction run() {}",
  "return /a/ || 1\nfunction run() {}",
];
for (const source of DEFINING) {
  Deno.test(`code scan: ${JSON.stringify(source)} defines run`, () => {
    equal(definesRun(source), true);
  });
}

const NOT_DEFINING = [
  "",
  "function runner() {}",
  "function* run() {}",
  "async function *run() {}",
  "const runs = 1; runner = 2;",
  "// function run() {}",
  "/* function run() {} */",
  "/* function run() {}",
  '"function run() {}"',
  "'const run = 1'",
  "`function run() {}`",
  "`${1}function run() {}`",
  "const r = /function run()/;",
  "class A { run() {} }",
  "const o = { run: 1 };",
  "obj.function run()",
];
for (const source of NOT_DEFINING) {
  Deno.test(`code scan: ${JSON.stringify(source)} does not define run`, () => {
    equal(definesRun(source), false);
  });
}

Deno.test("code scan: the mask keeps code and blanks the rest", () => {
  equal(maskCode("a = 'b' + /c/g; // d\ne"), "a =     +    g;     \ne");
  equal(maskCode("`a${b}c${`d${e}`}f`"), "    b        e     ");
  equal(maskCode("x = 6 / 2 / y"), "x = 6 / 2 / y");
  equal(maskCode("'open\nnext"), "     \nnext");
});

Deno.test("code scan: declared names are those of functions, classes, variables and patterns", () => {
  const source = `
    function load() {} async function* pages() {} class Table {}
    const total = 1, { a, b: renamed, c = 2 } = x; let [first, , third] = y; var $v_1;
    implicit = 3; obj.property = 4; if (same == other) {} const late = (p) => { const inner = p; };
    // const comment = 1
    const text = "let string = 1";`;
  const names = declaredNames(source);
  for (
    const name of "load pages Table total first third $v_1 implicit late inner text".split(" ")
  ) equal(names.has(name), true, name);
  for (const name of ["property", "same", "other", "comment", "string", "obj"]) {
    equal(names.has(name), false, name);
  }
  deepEqual([...declaredNames("")], []);
});

Deno.test("code scan: destructured names are declared", () => {
  deepEqual([...declaredNames("const { a, b: { c } } = x;")].sort(), ["a", "b", "c"]);
});

Deno.test("code scan: the first comment is one line of it, strings that look like one are not", () => {
  equal(firstComment('const url = "https://x"; // load the orders\n// more'), "load the orders");
  equal(firstComment("/**\n * Joins tables.\n * Twice.\n */\nfunction run() {}"), "Joins tables.");
  equal(firstComment("const r = /[/*]/; /* a */"), "a");
  equal(firstComment("function run() {}"), "");
  equal(firstComment("/* never closed"), "never closed");
});

const RUN = "function run(args) { return 1; }";
for (
  const end of [
    " run(args);",
    "\nrun()",
    "\n\nawait run( args ) ;",
    "; run({});",
    "\nrun(undefined);\n",
  ]
) {
  Deno.test(`code scan: a script is not called twice for ${JSON.stringify(end)} at its end`, () => {
    equal(withoutOwnCall(RUN + end).replace(/;$/, ""), RUN);
  });
}

Deno.test("code scan: whatever is no bare call of run at the end stays as it is", () => {
  const kept = [
    RUN,
    `${RUN} run({ a: 1 });`,
    `${RUN} run("x");`,
    `${RUN} rerun(args);`,
    `${RUN} log(run(args));`,
    `${RUN} const text = "; run(args);`,
    `${RUN} // ; run(args)`,
    `${RUN} const text = \`; run(args)`,
    "function run(args) { if (args) { return 1; } run(args) }",
    "",
    " ",
  ];
  for (const source of kept) equal(withoutOwnCall(source), source);
});

Deno.test("code scan: to look for an own call takes no time that grows with blanks", () => {
  const source = `${RUN} run(${" ".repeat(1_000_000)}x`;
  equal(withoutOwnCall(source), source);
});
