import assert from "node:assert/strict";
import { DEFAULT_SANDBOX_LIMITS } from "../../contracts/sandbox.ts";
import { failureFor, failureForThrown, printable, type ThrownDescription } from "./failure.ts";

const LIMITS = {
  ...DEFAULT_SANDBOX_LIMITS,
  guestTimeMs: 1234,
  memoryBytes: 48 * 1024 * 1024,
  stackBytes: 96 * 1024,
};

function thrown(fields: Partial<ThrownDescription>): ThrownDescription {
  return { kind: "threw", message: "Error: x", stack: "", name: "Error", bare: false, ...fields };
}

function failure(
  fields: Partial<ThrownDescription>,
  context: { readonly parsing?: boolean; readonly memoryRanOut?: boolean } = {},
) {
  return failureForThrown(thrown(fields), {
    limits: LIMITS,
    parsing: false,
    memoryRanOut: false,
    ...context,
  });
}

Deno.test("each limit of the engine is named with its value", () => {
  assert.deepEqual([
    failureFor("time", LIMITS).kind,
    failureFor("time", LIMITS).message.includes("1234 ms"),
  ], ["time", true]);
  assert.deepEqual([
    failureFor("memory", LIMITS).kind,
    failureFor("memory", LIMITS).message.includes("48 MiB"),
  ], ["memory", true]);
  assert.deepEqual([
    failureFor("stack", LIMITS).kind,
    failureFor("stack", LIMITS).message.includes("96 KiB"),
  ], ["stack", true]);
  assert.equal(failureFor("cancelled", LIMITS).kind, "cancelled");
  assert.equal(failureFor("engine", LIMITS).kind, "lost");
  assert.match(failureFor("unsettled", LIMITS).message, /never settle/);
});

Deno.test("the engine's own limit errors are told as limits", () => {
  const overflow = { name: "InternalError", message: "InternalError: stack overflow" };
  assert.equal(failure(overflow).kind, "stack");
  const outOfMemory = { name: "InternalError", message: "InternalError: out of memory" };
  assert.equal(failure(outOfMemory).kind, "memory");
  // What is thrown when there is no memory left for an error.
  assert.equal(failure({ message: "null", bare: true }, { memoryRanOut: true }).kind, "memory");
  assert.equal(failure({ message: "null", bare: true }).kind, "threw");
  assert.equal(failure({ message: "Error: mine" }, { memoryRanOut: true }).message, "Error: mine");
  // Other errors that only speak of it.
  assert.equal(failure({ name: "Error", message: "Error: stack overflow" }).kind, "threw");
});

Deno.test("the line is the first of the script's own", () => {
  const stack =
    "    at JSON.parse (native)\n    at helper (script.js:12:3)\n    at run (script.js:40)\n";
  assert.equal(failure({ stack }).line, 12);
  for (
    const none of ["", "    at host (agentloop:3)", "script.js:x", "script.js:-1", "script.js:0"]
  ) {
    assert.equal(failure({ stack: none }).line, undefined, none);
  }
});

Deno.test("only what does not parse is syntax", () => {
  const syntax = {
    name: "SyntaxError",
    message: "SyntaxError: x",
    stack: "    at script.js:3:7\n",
  };
  assert.deepEqual(failure(syntax, { parsing: true }), {
    kind: "syntax",
    message: "SyntaxError: x",
    line: 3,
  });
  assert.equal(failure(syntax).kind, "threw");
  const evaluated = { ...syntax, stack: "    at <eval> (script.js:3)\n" };
  assert.equal(failure(evaluated, { parsing: true }).kind, "threw");
  assert.equal(failure({ kind: "limit" }).kind, "limit");
});

Deno.test("controls become visible, everything else stays", () => {
  assert.equal(printable("a\nb\tc"), "a\\nb\\tc");
  assert.equal(
    printable("\u001b[2J\u0000\u007f\u0085\u009b\r"),
    "\\u001b[2J\\u0000\\u007f\\u0085\\u009b\\u000d",
  );
  assert.equal(printable("\u2028\u2029"), "\\u2028\\u2029");
  assert.equal(printable("é€🎉 \\n"), "é€🎉 \\n");
  assert.ok(printable("\ud800x").isWellFormed());
});
