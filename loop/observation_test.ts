import { equal, match, ok } from "node:assert/strict";
import type { Execution, ExecutionFailure } from "../contracts/sandbox.ts";
import { execution } from "./_fake_sandbox.ts";
import type { RunStep } from "../contracts/step.ts";
import { type ObservationInput, showsReturned, writeObservation } from "./observation.ts";
import { utf8Bytes } from "./utf8.ts";

function observe(
  parts: Partial<Execution>,
  more: Partial<ObservationInput> = {},
): string {
  return writeObservation({
    execution: execution(parts),
    ignoredBlocks: 0,
    turnsLeft: 10,
    logBytes: 16_384,
    source: "",
    earlierScripts: [],
    hadArgs: true,
    functions: [],
    ...more,
  });
}

function failed(failure: ExecutionFailure, more: Partial<ObservationInput> = {}): string {
  return observe({ failure }, more);
}

Deno.test("observation: log, notes and the digest of what was returned", () => {
  const notes = ["$.when: Date stored as text"];
  equal(
    observe({ logs: "a\nb\n", notes, valueJson: "[1]" }, { digest: "[1]" }),
    "log:\na\nb\nnote: $.when: Date stored as text\nreturned (now args): [1]",
  );
});

Deno.test("observation: a script that returned nothing is told that args is unchanged", () => {
  equal(observe({}), "returned nothing; args is unchanged");
  equal(observe({ answerJson: "1" }), "answered");
});

Deno.test("QJS-13: the message and the line in the script reach the model, whatever was thrown", () => {
  const thrown = ["disk full", '{"code":7}', "null", "TypeError: bad"];
  for (const message of thrown) {
    equal(
      failed({ kind: "threw", message, line: 3 }),
      `failed at line 3: ${message}\nargs is unchanged`,
    );
  }
  equal(
    failed({ kind: "syntax", message: "SyntaxError: expecting ')'", line: 1 }),
    "failed at line 1: SyntaxError: expecting ')'\nargs is unchanged",
  );
  equal(
    failed({ kind: "time", message: "the script computed longer than 10 s" }),
    "failed: the script computed longer than 10 s\nargs is unchanged",
  );
});

Deno.test("observation: a name that an earlier script defined is to be defined again", () => {
  const earlierScripts = ["const { a, rows } = load(); function run() {}"];
  for (const quoted of ["rows", "'rows'", '"rows"']) {
    match(
      failed({ kind: "threw", message: `ReferenceError: ${quoted} is not defined` }, {
        earlierScripts,
      }),
      /define it again: only args survives a turn/,
    );
  }
  for (
    const failure of [
      { kind: "threw", message: "ReferenceError: other is not defined" },
      { kind: "threw", message: "TypeError: rows is not a function" },
      { kind: "syntax", message: "ReferenceError: rows is not defined" },
    ] as const
  ) ok(!failed(failure, { earlierScripts }).includes("define it again"));
});

Deno.test("EXT-04: the blocks that were not run are counted", () => {
  match(observe({}, { ignoredBlocks: 1 }), /only your first block was run, 1 more block was not/);
  match(observe({}, { ignoredBlocks: 3 }), /3 more blocks were not/);
});

Deno.test("observation: the last two turns are announced, unless the run is answered", () => {
  match(observe({}, { turnsLeft: 2 }), /2 turns left/);
  match(observe({}, { turnsLeft: 1 }), /1 turn left for this message; call answer/);
  for (const turnsLeft of [3, 0]) ok(!observe({}, { turnsLeft }).includes("left"));
  equal(observe({ answerJson: "1" }, { turnsLeft: 1 }), "answered");
});

Deno.test("HIS-09: a log longer than its cap is cut at whole characters, head and tail kept", () => {
  const logs = `first\n${"🎉".repeat(5000)}\nlast`;
  const text = observe({ logs }, { logBytes: 1001 });
  ok(text.isWellFormed() && utf8Bytes(text) < 1200);
  match(text, /^log:\nfirst\n🎉+\n… \d+ bytes left out …\n🎉+\nlast\n/u);
  // The sandbox capped it and said so: not cut again.
  ok(observe({ logs: "x".repeat(1100) }, { logBytes: 1001 }).includes("x".repeat(1100)));
  ok(observe({ logs }, { logBytes: -1 }).includes(logs));
});

Deno.test("observation: the line that failed is quoted, shortened", () => {
  const source = `function run() {\n  const answer(${"x".repeat(300)});\n}`;
  const text = failed({ kind: "syntax", message: "SyntaxError: no", line: 2 }, { source });
  match(text, /^failed at line 2: SyntaxError: no\n {2}2 \| const answer\(x{147}\nargs/);
});

Deno.test("observation: a script that is sent again word for word is told so, in words that fit its end", () => {
  const source = "function run() {}";
  match(
    observe({}, { source, earlierScripts: [source] }),
    /note: this was the same script as before, with the same outcome\./,
  );
  match(
    failed({ kind: "threw", message: "Error: x" }, { source, earlierScripts: ["a", source] }),
    /note: this was the same script as before, and it fails the same way\./,
  );
  ok(!observe({}, { source, earlierScripts: [source, "b"] }).includes("same script"));
  ok(!observe({ answerJson: "1" }, { source, earlierScripts: [source] }).includes("same script"));
});

Deno.test("observation: before anything was returned, a script that uses args is told that there are none", () => {
  const failure: ExecutionFailure = { kind: "threw", message: "TypeError: x" };
  const uses = "function run(args) { return args.rows.length; }";
  match(
    failed(failure, { source: uses, hadArgs: false }),
    /args is undefined: no block has returned/,
  );
  match(failed(failure, { source: uses, hadArgs: true }), /args is unchanged$/);
  match(
    failed(failure, { source: "function run(args) { x(); }", hadArgs: false }),
    /args is unchanged$/,
  );
});

Deno.test("observation: a host function used without await in an async run is named", () => {
  const failure: ExecutionFailure = {
    kind: "threw",
    message: "TypeError: not a function",
    line: 2,
  };
  const hint = /in an async run, load\(\) returns a promise: use await load\(\.\.\.\)/;
  const source = (call: string) => `async function run() {\n  return ${call}.map(String);\n}`;
  match(failed(failure, { source: source("load()"), functions: ["save", "load"] }), hint);
  ok(!hint.test(failed(failure, { source: source("(await load())"), functions: ["load"] })));
  ok(!hint.test(failed(failure, { source: "function run() {\n load();\n}", functions: ["load"] })));
});

Deno.test("observation: what models take for granted and is not here is named, with what there is instead", () => {
  const missing = (name: string) =>
    failed({ kind: "threw", message: `ReferenceError: '${name}' is not defined`, line: 1 });
  match(missing("setTimeout"), /there is no setTimeout here: use sleep\(ms\)/);
  match(missing("structuredClone"), /JSON\.parse/);
  ok(!missing("toString").includes("there is no"));
  const source = 'import fs from "node:fs";\nfunction run() {}';
  match(
    failed({ kind: "syntax", message: "SyntaxError: expecting '('", line: 1 }, { source }),
    /leave import away: a block is a plain script/,
  );
});

Deno.test("observation: a run that takes its parameter apart is told that args is undefined", () => {
  const source = "function run({ orders }) { return orders.length; }";
  match(
    failed({ kind: "threw", message: "TypeError: cannot convert to object" }, {
      source,
      hadArgs: false,
    }),
    /args is undefined: no block has returned/,
  );
});

Deno.test("observation: a line break in a string is named, as it comes of JSON that was written carelessly", () => {
  const source = "function run() { return 'a\n'; }";
  match(
    failed({ kind: "syntax", message: "SyntaxError: unexpected end of string" }, { source }),
    /write \\n there, in the JSON of a call \\\\n, or use a template/,
  );
});

Deno.test("observation: a script that calls run itself with data is told that the call which counts has none", () => {
  const own = /what your own call of run hands over has to stand inside run/;
  const thrown = { kind: "threw", message: "TypeError: cannot read property 'a'" } as const;
  const source = "function run(args) { return args.a; }\nrun({ a: 1 });";
  match(failed(thrown, { source, hadArgs: false }), own);
  ok(!own.test(failed(thrown, { source, hadArgs: true })));
  ok(
    !own.test(failed(thrown, { source: "function run(args) { return args.a; }", hadArgs: false })),
  );
});

Deno.test("observation: a digest counts as shown only when the whole line tells it", () => {
  const step = (content: string): RunStep => ({
    sessionId: "s",
    runId: "r",
    stepIndex: 0,
    stepType: "execute_js_result",
    content,
    durationMs: 0,
    promptTokens: 0,
    completionTokens: 0,
    createdAt: new Date(0),
  });
  ok(showsReturned([step("log:\nx\nreturned (now args): 35")], "35"));
  ok(!showsReturned([step("returned (now args): 35")], "3"));
});
