import assert from "node:assert/strict";
import type { ModelToolCall } from "../contracts/model.ts";
import { ToolCallAssembler, type ToolCallContext } from "./tool_calls.ts";

/** The calls of a stream whose deltas hold these `tool_calls`. */
function streamed(
  deltas: readonly (readonly unknown[])[],
  context: ToolCallContext = {},
): ModelToolCall[] {
  const assembler = new ToolCallAssembler(context);
  for (const calls of deltas) assembler.takeDelta({ tool_calls: calls });
  return assembler.finish({ replyWasCut: false });
}

/** The calls of a whole message. */
function whole(message: Record<string, unknown>, context: ToolCallContext = {}): ModelToolCall[] {
  const assembler = new ToolCallAssembler(context);
  assembler.takeWhole(message);
  return assembler.finish({ replyWasCut: false });
}

function piece(
  { name, args, ...place }: { index?: unknown; id?: unknown; name?: unknown; args?: unknown },
): unknown {
  return {
    ...place,
    function: {
      ...(name === undefined ? {} : { name }),
      ...(args === undefined ? {} : { arguments: args }),
    },
  };
}

function call(id: string, name: string, args: string | object): ModelToolCall {
  return { id, name, argumentsJson: typeof args === "string" ? args : JSON.stringify(args) };
}

Deno.test("calls come in pieces, at their indexes, interleaved, in the order of the indexes", () => {
  const calls = streamed([
    [piece({ index: 1, id: "b", name: "read", args: "" })],
    [piece({ index: 0, id: "a", name: "write", args: '{"p"' })],
    [piece({ index: 1, args: '{"q":' }), piece({ index: 0, args: ":1" })],
    [piece({ index: 0, args: "}" })],
    [piece({ index: 1, args: '"x"}' })],
  ]);
  assert.deepEqual(calls, [call("a", "write", { p: 1 }), call("b", "read", { q: "x" })]);
});

Deno.test("TOL-02 calls that all come at index 0 are told apart by their ids", () => {
  const calls = streamed([
    [piece({ index: 0, id: "c1", name: "write", args: '{"p":"a"}' })],
    [piece({ index: 0, id: "c2", name: "write", args: '{"p":"b"}' })],
  ]);
  assert.deepEqual(calls, [call("c1", "write", { p: "a" }), call("c2", "write", { p: "b" })]);
  const inPieces = streamed([
    [piece({ index: 0, id: "c1", name: "write", args: '{"p":' })],
    [piece({ index: 0, id: "c1", args: '"a"}' })],
    [piece({ index: 0, id: "c2", name: "write" })],
    [piece({ index: 0, args: '{"p":"b"' }), piece({ index: 0, args: "}" })],
  ]);
  assert.deepEqual(inPieces, calls);
  const empty = streamed([
    [piece({ index: 0, id: "c1", name: "now" }), piece({ index: 0, id: "c2", name: "now" })],
  ]);
  assert.deepEqual(empty, [call("c1", "now", {}), call("c2", "now", {})]);
});

Deno.test("TOL-02 calls that all come at index 0 without ids are told apart where one is over", () => {
  const calls = streamed([
    [piece({ index: 0, name: "write", args: '{"p":"a"}' })],
    [piece({ index: 0, name: "write", args: '{"p":' })],
    [piece({ index: 0, args: '"b"}' })],
    [piece({ index: 0, name: "read", args: {} })],
  ]);
  assert.deepEqual(calls.map(({ name, argumentsJson }) => [name, argumentsJson]), [
    ["write", '{"p":"a"}'],
    ["write", '{"p":"b"}'],
    ["read", "{}"],
  ]);
});

Deno.test("TOL-02 interleaved calls at one index are told apart by their ids", () => {
  const calls = streamed([
    [piece({ index: 0, id: "c1", name: "f", args: '{"a"' })],
    [piece({ index: 0, id: "c2", name: "g", args: '{"b"' })],
    [piece({ index: 0, id: "c1", args: ":1}" })],
    [piece({ index: 0, id: "c2", args: ":2}" })],
  ]);
  assert.deepEqual(calls, [call("c1", "f", { a: 1 }), call("c2", "g", { b: 2 })]);
});

Deno.test("TOL-03 calls without an index are told apart, and a placeholder is no id", () => {
  const calls = [call("k1", "f", { a: 1 }), call("k2", "f", { a: 2 })];
  const pieces = [
    piece({ id: "k1", name: "f", args: '{"a":1}' }),
    piece({ id: "k2", name: "f", args: '{"a":2}' }),
  ];
  assert.deepEqual(streamed([pieces]), calls);
  assert.deepEqual(streamed(pieces.map((one) => [one])), calls);
  for (const id of ["null", "None", "undefined", "", " ", null]) {
    const continued = streamed([
      [piece({ index: 0, id: "k9", name: "f", args: '{"q"' })],
      [piece({ index: 0, id, args: ":2}" })],
    ]);
    assert.deepEqual(continued, [call("k9", "f", { q: 2 })], String(id));
  }
});

Deno.test("TOL-03 pieces without index and id go on with the call before them", () => {
  const calls = streamed([
    [piece({ id: "k1", name: "f", args: '{"a"' })],
    [piece({ args: ":1}" })],
    [piece({ id: "k2", name: "g" })],
    [piece({ args: '{"b":2}' })],
    [piece({ name: "h", args: "{}" }), piece({ name: "h", args: "{}" })],
  ]);
  assert.deepEqual(calls, [
    call("k1", "f", { a: 1 }),
    call("k2", "g", { b: 2 }),
    call("call00001", "h", {}),
    call("call00002", "h", {}),
  ]);
});

Deno.test("TOL-03 an index may come late, as text, or count pieces", () => {
  const late = [[piece({ id: "k", name: "f" })], [piece({ index: 0, args: '{"a":1}' })]];
  const text = [[piece({ index: "0", id: "k", name: "f" })], [
    piece({ index: 0, args: '{"a":1}' }),
  ]];
  const counted = [
    [piece({ index: 0, id: "k", name: "f", args: '{"a"' })],
    [piece({ index: 1, id: "k", args: ":1}" })],
  ];
  for (const deltas of [late, text, counted]) {
    assert.deepEqual(streamed(deltas), [call("k", "f", { a: 1 })], JSON.stringify(deltas));
  }
});

Deno.test("TOL-03 an id that is another with each piece is that of the first", () => {
  const calls = streamed([
    [piece({ index: 0, id: "x1", name: "f", args: "" })],
    [piece({ index: 0, id: "x2", name: null, args: '{"a"' })],
    [piece({ index: 0, id: "x3", args: ":1}" })],
  ]);
  assert.deepEqual(calls, [call("x1", "f", { a: 1 })]);
});

Deno.test("TOL-04 arguments may be an object, and none at all are an empty one", () => {
  const args = [{ city: "Oslo" }, "", null, undefined, "null", " "];
  const entries = args.map((one, at) => piece({ index: at, id: `t${at}`, name: "f", args: one }));
  const expected = args.map((one, at) => call(`t${at}`, "f", at === 0 ? one as object : {}));
  assert.deepEqual(whole({ tool_calls: entries }), expected);
  assert.deepEqual(streamed([entries]), expected);
});

Deno.test("TOL-04 missing ids are made up: the same each time, and none that is there already", () => {
  const entries = [
    piece({ name: "f" }),
    piece({ id: "call00008", name: "f" }),
    piece({ name: "f" }),
  ];
  const ids = (earlierIds: readonly string[]) =>
    whole({ tool_calls: entries }, { earlierIds }).map(({ id }) => id);
  assert.deepEqual(ids([]), ["call00009", "call00008", "call00010"]);
  assert.deepEqual(ids([]), ids([]));
  assert.deepEqual(ids(["call00041", "other"]), ["call00042", "call00008", "call00043"]);
  assert.deepEqual(ids(["call00008"]), ["call00009", "call00010", "call00011"]);
});

Deno.test("two calls of one id are told apart, and so is a call from an earlier one of the conversation", () => {
  const entries = [
    piece({ index: 0, id: "d", name: "f", args: '{"a":1}' }),
    piece({ index: 1, id: "d", name: "f", args: '{"a":2}' }),
  ];
  const expected = [call("d", "f", { a: 1 }), call("call00001", "f", { a: 2 })];
  assert.deepEqual(whole({ tool_calls: entries }), expected);
  assert.deepEqual(streamed([entries]), expected);
  assert.deepEqual(streamed(entries.map((one) => [one])), expected);
  const sameIndex = [
    piece({ index: 0, id: "d", name: "f", args: '{"a":1}' }),
    piece({ index: 0, id: "d", name: "f", args: '{"a":2}' }),
  ];
  assert.deepEqual(streamed([sameIndex]), expected);
  const again = whole({ tool_calls: entries.slice(0, 1) }, { earlierIds: ["d"] });
  assert.deepEqual(again.map(({ id }) => id), ["call00001"]);
});

Deno.test("a call that is told again where it stood is one call", () => {
  const first = piece({ index: 0, id: "d", name: "f", args: '{"a":1}' });
  const again = [
    piece({ index: 0, id: "d", name: "f", args: '{"a": 1}' }),
    piece({ index: 0, name: "f", args: { a: 1 } }),
    piece({ index: 0, id: "d", name: "f", args: "" }),
    piece({ index: 0, id: null, name: "f" }),
    piece({ index: 0, args: '{"a":1}' }),
    piece({ index: 0, id: "d" }),
  ];
  for (const one of again) {
    assert.deepEqual(streamed([[first], [one]]), [call("d", "f", { a: 1 })], JSON.stringify(one));
  }
});

Deno.test("a call that is the same but for its id is another one, also where the id comes late", () => {
  const calls = streamed([
    [piece({ index: 0, id: "a", name: "f", args: '{"a":1}' })],
    [piece({ index: 0, name: "f" })],
    [piece({ index: 0, id: "b", args: '{"a":1}' })],
  ]);
  assert.deepEqual(calls, [call("a", "f", { a: 1 }), call("b", "f", { a: 1 })]);
});

Deno.test("arguments that are told again as a whole, or that grow from piece to piece, count once", () => {
  const forms = [
    ['{"a"', ":1}", '{"a":1}'],
    ['{"a"', ":1}", '{ "a": 1 }'],
    ["{", '{"a"', '{"a":1}'],
    ["{}", '{"a"', ":1}"],
    ["{}", '{"a"', ":1}", '{"a":1}'],
    ["", '{"a":1}', "\n"],
  ];
  for (const form of forms) {
    const [first, ...rest] = form.map((args) => piece({ index: 0, args }));
    const head = piece({ index: 0, id: "k", name: "f" });
    const [told] = streamed([[head, first], ...rest.map((one) => [one])]);
    assert.equal(told?.argumentsFault, undefined, JSON.stringify(form));
    assert.deepEqual(JSON.parse(told!.argumentsJson), { a: 1 });
  }
});

Deno.test("arguments that are two objects are not one of them", () => {
  const [told] = streamed([
    [piece({ index: 0, id: "k", name: "f", args: '{"a":1}' })],
    [piece({ index: 0, args: '{"a":2}' })],
  ]);
  assert.deepEqual(told, { ...call("k", "f", '{"a":1}{"a":2}'), argumentsFault: "malformed" });
});

Deno.test("a name comes in pieces, or again with each piece of the arguments", () => {
  const head = (name: string, args?: string) =>
    piece({ index: 0, id: "k", name, ...(args === undefined ? {} : { args }) });
  const named = (names: readonly string[], toolNames: readonly string[] = []) =>
    streamed(names.map((name) => [head(name)]), { toolNames }).map(({ name }) => name);
  assert.deepEqual(named(["wri", "te"]), ["write"]);
  assert.deepEqual(named(["write", "write"]), ["write"]);
  assert.deepEqual(named(["go", "go"], ["gogo"]), ["gogo"]);
  assert.deepEqual(named(["wri", "write"], ["write"]), ["write"]);
  const repeated = streamed([[head("f", '{"a"')], [head("f", ":1")], [head("f", "}")]]);
  assert.deepEqual(repeated, [call("k", "f", { a: 1 })]);
  const placeholder = streamed([[head("f", "{}")], [head("f", '{"a"')], [head("f", ":1}")]]);
  assert.deepEqual(placeholder, [call("k", "f", { a: 1 })]);
  const placeless = [["wri", "te"], ["now", "write"]].map((names) =>
    streamed(names.map((name) => [piece({ name })]), { toolNames: ["write", "now"] })
  );
  assert.deepEqual(placeless.map((calls) => calls.map(({ name }) => name)), [
    ["write"],
    ["now", "write"],
  ]);
  const without = streamed([
    [piece({ index: 0, name: "no" })],
    [piece({ index: 0, name: "w" })],
    [piece({ index: 0, name: "today" })],
  ], { toolNames: ["now", "today"] });
  assert.deepEqual(without.map(({ name }) => name), ["now", "today"]);
});

Deno.test("a call without a name, or with one of no tool, is kept as the model made it", () => {
  const entries = [
    piece({ index: 0, id: "a", name: "", args: "{}" }),
    piece({ index: 1, id: "b", args: '{"x":1}' }),
    piece({ index: 2, id: "c", name: "no such tool", args: "{}" }),
  ];
  const expected = [call("a", "", {}), call("b", "", { x: 1 }), call("c", "no such tool", {})];
  const context = { toolNames: ["now"] };
  assert.deepEqual(whole({ tool_calls: entries }, context), expected);
  assert.deepEqual(streamed(entries.map((one) => [one]), context), expected);
  const sameIndex = streamed([
    [piece({ index: 0, id: "a", name: "", args: "{}" })],
    [piece({ index: 0, id: "b", name: "", args: "{}" })],
  ]);
  assert.deepEqual(sameIndex, [call("a", "", {}), call("b", "", {})]);
});

Deno.test("a legacy function call is a call, and none beside the new form", () => {
  const assembler = new ToolCallAssembler();
  for (const told of [{ name: "f" }, { arguments: '{"a"' }, { arguments: ":1}" }]) {
    assembler.takeDelta({ function_call: told });
  }
  assert.equal(assembler.isEmpty, false);
  const expected = [call("call00001", "f", { a: 1 })];
  assert.deepEqual(assembler.finish({ replyWasCut: false }), expected);
  const function_call = { name: "f", arguments: '{"a":1}' };
  assert.deepEqual(whole({ function_call }), expected);
  const both = whole({ function_call, tool_calls: [{ id: "t", function: function_call }] });
  assert.deepEqual(both, [call("t", "f", { a: 1 })]);
});

Deno.test("entries of other shapes are read as far as they can be, and nothing throws", () => {
  const flat = { id: 7, name: "f", arguments: { a: 1 } };
  assert.deepEqual(whole({ tool_calls: flat }), [call("7", "f", { a: 1 })]);
  for (const calls of [null, [], [null], ["x"], 1, "x"]) {
    assert.deepEqual(whole({ tool_calls: calls }), [], JSON.stringify(calls));
    const assembler = new ToolCallAssembler();
    assembler.takeDelta({ tool_calls: calls });
    assert.equal(assembler.isEmpty, true);
  }
  const [odd] = whole({ tool_calls: [{ function: { name: 5, arguments: [1] } }] });
  assert.deepEqual(odd, { ...call("call00001", "", "[1]"), argumentsFault: "malformed" });
});

Deno.test("TOL-06 arguments that break off are marked and left as they are", () => {
  const text = '{"path":"report.md","content":"line 1\nline 2';
  const [told] = streamed([[piece({ index: 0, id: "w", name: "writeFile", args: text })]]);
  assert.deepEqual(told, { ...call("w", "writeFile", text), argumentsFault: "cut" });
});

Deno.test("TOL-06 in a reply that was cut, arguments that had not begun are cut too", () => {
  const assembler = new ToolCallAssembler();
  assembler.takeDelta({ tool_calls: [piece({ index: 0, id: "a", name: "f", args: '{"a":1}' })] });
  assembler.takeDelta({ tool_calls: [piece({ index: 1, id: "b", name: "g", args: "" })] });
  assert.deepEqual(assembler.finish({ replyWasCut: true }), [
    call("a", "f", { a: 1 }),
    { ...call("b", "g", ""), argumentsFault: "cut" },
  ]);
});
