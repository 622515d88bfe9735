import assert from "node:assert/strict";
import type { Completion } from "../contracts/model.ts";
import { ReplyBuilder } from "./reply.ts";

/** A call as a whole reply has it. */
interface Whole {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

/** How a server writes the pieces of its calls. */
interface Manner {
  /** What a piece has for an index: its call's, always 0, or nothing. */
  readonly index: "own" | "zero" | "none";
  /** What a piece behind the first has for an id. */
  readonly laterId: "none" | "null" | "again";
  /** How names come: with the first piece, with each piece, or in pieces of their own before the arguments. */
  readonly name: "first" | "each" | "pieces";
  /** Whether the arguments are told once more as a whole. */
  readonly toldAgain: boolean;
  /** Whether pieces of several calls are mixed. */
  readonly interleaved: boolean;
}

const NAMES = ["now", "now_and_then", "aaaa", "write", "write_file", "fs.read", "日本"];
const TEXTS = ["", "x", '"', "\\", "{}", "}{", "null", "😀", "é\n", "\\ud83d", "[1,", ': {"a":1}'];

/** A repeatable source of numbers in [0, 1): the minimal standard generator. */
function seededRandom(seed: number): () => number {
  let state = seed % 2147483646 + 1;
  return () => {
    state = state * 48271 % 2147483647;
    return state / 2147483647;
  };
}

class Chance {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  below(bound: number): number {
    return Math.floor(this.#random() * bound);
  }

  pick<T>(values: readonly T[]): T {
    return values[this.below(values.length)]!;
  }

  /** A text in pieces, cut between any two of its units. */
  cut(text: string): string[] {
    const pieces: string[] = [];
    for (let at = 0; at < text.length;) {
      const length = 1 + this.below(this.pick([1, 3, 20]));
      pieces.push(text.slice(at, at + length));
      at += length;
    }
    return pieces.length === 0 ? [""] : pieces;
  }

  /** The lists in one, each in its own order. */
  mix<T>(lists: readonly (readonly T[])[]): T[] {
    const left = lists.map((list) => [...list]);
    const mixed: T[] = [];
    for (;;) {
      const open = left.filter((list) => list.length > 0);
      if (open.length === 0) return mixed;
      mixed.push(this.pick(open).shift()!);
    }
  }
}

function value(chance: Chance, depth = 2): unknown {
  const kind = depth === 0 ? chance.below(2) : chance.below(4);
  if (kind === 0) return chance.pick(TEXTS);
  if (kind === 1) return chance.pick([0, -1.5e30, true, null]);
  if (kind === 2) return Array.from({ length: chance.below(3) }, () => value(chance, depth - 1));
  const keys = Array.from({ length: chance.below(3) }, () => chance.pick(TEXTS));
  return Object.fromEntries(keys.map((key) => [key, value(chance, depth - 1)]));
}

function wholeCall(chance: Chance, at: number): Whole {
  const args = { [chance.pick(TEXTS)]: value(chance), ...(chance.below(3) === 0 ? { at } : {}) };
  const written = chance.below(5) === 0 ? {} : args;
  const text = JSON.stringify(written, null, chance.pick([0, 1]));
  return {
    id: `id-${at}`,
    type: "function",
    function: { name: chance.pick(NAMES), arguments: text },
  };
}

function manner(chance: Chance): Manner {
  const index = chance.pick(["own", "zero", "none"] as const);
  const laterId = chance.pick(["none", "null", "again"] as const);
  return {
    index,
    laterId,
    // Without index and id nothing would say whose piece of a name it is.
    name: chance.pick(["first", "each", ...(index === "own" ? ["pieces" as const] : [])] as const),
    toldAgain: chance.below(4) === 0,
    interleaved: index === "own" || laterId === "again",
  };
}

function piecesOf(
  call: Whole,
  { at, how, chance }: { readonly at: number; readonly how: Manner; readonly chance: Chance },
): object[] {
  const { name, arguments: text } = call.function;
  const names = how.name === "pieces" ? chance.cut(name) : [name];
  const told = [...chance.cut(text), ...(how.toldAgain ? [text] : [])];
  const functions: object[] = [
    {
      name: names[0],
      ...(names.length === 1 && chance.below(2) === 0 ? { arguments: told.shift() } : {}),
    },
    ...names.slice(1).map((piece) => ({ name: piece })),
    ...told.map((piece) => ({ ...(how.name === "each" ? { name } : {}), arguments: piece })),
  ];
  const index = { own: { index: at }, zero: { index: 0 }, none: {} }[how.index];
  const laterId = { none: {}, null: { id: "null" }, again: { id: call.id } }[how.laterId];
  return functions.map((one, number) => ({
    ...index,
    ...(number === 0 ? { id: call.id, type: "function" } : laterId),
    function: one,
  }));
}

function build(choices: readonly object[]): Completion {
  const builder = new ReplyBuilder(undefined, { toolNames: NAMES });
  for (const choice of choices) {
    assert.deepEqual(builder.take({ choices: [{ index: 0, ...choice }] }), { kind: "ok" });
  }
  return builder.finish("m");
}

Deno.test("TOL-02 TOL-03 property: however calls are cut into deltas, they are those of the whole reply", () => {
  for (let seed = 1; seed <= 4000; seed++) {
    const chance = new Chance(seed);
    const how = manner(chance);
    const calls = Array.from({ length: 1 + chance.below(4) }, (_, at) => wholeCall(chance, at));
    const lists = calls.map((call, at) => piecesOf(call, { at, how, chance }));
    const mayMix = how.interleaved && chance.below(2) === 0;
    const pieces = mayMix ? chance.mix(lists) : lists.flat();
    const deltas: object[] = [];
    while (pieces.length > 0) {
      deltas.push({ delta: { tool_calls: pieces.splice(0, 1 + chance.below(3)) } });
    }
    const text = chance.pick(["", "Let me see. 😀"]);
    deltas.splice(chance.below(deltas.length), 0, { delta: { content: text } });
    const finish_reason = chance.pick(["tool_calls", "stop"]);
    const streamed = build([...deltas, { delta: {}, finish_reason }]);
    const message = { content: text, tool_calls: calls };
    const whole = build([{ message, finish_reason }]);
    assert.equal(whole.toolCalls?.length, calls.length);
    // Calls that are mixed and have no index come in the order in which they began.
    const order = ({ toolCalls = [] }: Completion) =>
      mayMix && how.index !== "own"
        ? toolCalls.toSorted((a, b) => a.id < b.id ? -1 : 1)
        : toolCalls;
    const shown = `seed ${seed}: ${JSON.stringify({ how, deltas })}`;
    assert.deepEqual(order(streamed), order(whole), shown);
    assert.deepEqual(
      { ...streamed, toolCalls: [] },
      { ...whole, toolCalls: [] },
      shown,
    );
  }
});

Deno.test("TOL-06 property: arguments that are cut anywhere are marked, and are the beginning of what was written", () => {
  for (let seed = 1; seed <= 1000; seed++) {
    const chance = new Chance(seed);
    const { function: { name, arguments: text } } = wholeCall(chance, seed);
    const kept = text.slice(0, chance.below(text.length));
    const deltas = chance.cut(kept).map((piece, number) => ({
      delta: {
        tool_calls: [{
          index: 0,
          function: { ...(number === 0 ? { name } : {}), arguments: piece },
        }],
      },
    }));
    const finish_reason = kept.trim() === "" ? "length" : chance.pick(["length", "tool_calls"]);
    const { toolCalls } = build([...deltas, { delta: {}, finish_reason }]);
    assert.deepEqual(toolCalls, [{
      id: "call00001",
      name,
      argumentsJson: kept.toWellFormed(),
      argumentsFault: "cut",
    }], `seed ${seed}`);
  }
});
