/** What a model is told of its own script: the message, and the line in its own text. */
import assert from "node:assert/strict";
import { createProcessHost } from "../../sandbox/process_host.ts";
import { evaluate, takeLease } from "./evaluation.ts";
import { shareHost } from "./shared_host.ts";

const shared = shareHost(() => createProcessHost());

async function failureOf(
  source: string,
): Promise<{ kind?: string; message: string; line?: number }> {
  await using lease = takeLease(shared());
  const { failure } = await evaluate(lease, source);
  return failure ?? { message: "none" };
}

Deno.test("QJS-13: whatever is thrown is told", async () => {
  const thrown = {
    '"disk full"': /disk full/,
    "{ code: 7 }": /code.*7/,
    "null": /null/,
    "undefined": /undefined/,
    "''": /\S/,
  };
  for (const [value, pattern] of Object.entries(thrown)) {
    const failure = await failureOf(`function run() {\n  throw ${value};\n}`);
    assert.equal(failure.kind, "threw");
    assert.match(failure.message, pattern);
  }
});

Deno.test("QJS-13: errors name the line of the script's own text", async () => {
  const cases: [source: string, message: RegExp, line: number][] = [
    ['\n\nfunction run() {\n  throw new TypeError("bad");\n}', /TypeError: bad/, 4],
    ["function run() {\n  const a = 1;\n  return undefinedName();\n}", /undefinedName/, 3],
    ["function run() {\n  const o = {};\n\n  return o.a.b;\n}", /TypeError/, 4],
    ["async function run() {\n  await null;\n  null.x;\n}", /TypeError/, 3],
    [
      "function helper() {\n  throw new Error('inner');\n}\nfunction run() {\n  helper();\n}",
      /inner/,
      2,
    ],
    ["\n\nconst early = missing;\nfunction run() {}", /missing/, 3],
    ["function run() {\r\n  throw new Error('crlf');\r\n}", /crlf/, 2],
    [
      "function run() {\n  return [1].map(() => {\n    throw new Error('deep');\n  });\n}",
      /deep/,
      3,
    ],
    ["function run() {\n\n  JSON.parse('{');\n}", /SyntaxError/, 3],
    ["function run() {\n  echo(\n    () => 1);\n}", /is a function/, 2],
  ];
  for (const [source, message, line] of cases) {
    const failure = await failureOf(source);
    assert.equal(failure.kind, "threw", source);
    assert.match(failure.message, message);
    assert.equal(failure.line, line, source);
  }
});

Deno.test("QJS-13: a script that does not parse names the line", async () => {
  const cases: [source: string, line: number][] = [
    ["function run( { return 1 }", 1],
    ["function run() {\n  const = 5;\n}", 2],
    ["function run() {\n  return {;\n}", 2],
    ["let a = 1;\nlet a = 2;\nfunction run() {}", 2],
    ["function run() {\n  await echo(1);\n}", 2],
    ["function run() {\n  'unclosed\n}", 2],
    ["import fs from 'fs';\nfunction run() {}", 1],
  ];
  for (const [source, line] of cases) {
    const failure = await failureOf(source);
    assert.equal(failure.kind, "syntax", source);
    assert.match(failure.message, /SyntaxError/);
    assert.equal(failure.line, line, source);
  }
});

Deno.test("a script without run is told so", async () => {
  for (
    const source of ["", "function main() {}", "const run = 1", "run()", "// function run() {}"]
  ) {
    const failure = await failureOf(source);
    if (source === "run()") assert.match(failure.message, /run/);
    else {assert.deepEqual([failure.kind, failure.message], [
        "syntax",
        "the script defines no function run(args)",
      ]);}
  }
});

Deno.test("causes and aggregated errors are told with the error", async () => {
  const caused = await failureOf(
    "function run() { throw new Error('outer', { cause: new TypeError('inner') }) }",
  );
  assert.match(caused.message, /Error: outer.*TypeError: inner/);
  const many = await failureOf(
    "function run() { throw new AggregateError([new Error('one'), new Error('two')], 'both failed') }",
  );
  assert.match(many.message, /both failed/);
});
