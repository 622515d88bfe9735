import { deepEqual, equal, ok } from "node:assert/strict";
import type { StepType } from "../contracts/step.ts";
import { Conversation } from "./history.ts";
import { beginsTurn, type Piece } from "./piece.ts";
import { trimPieces } from "./trim.ts";

type Step = readonly [StepType, string];

const LONG = "x".repeat(4000);

/** Two exchanges of two scripts each, and a message with two scripts; each script's result takes about 1000 tokens. */
function steps(): Step[] {
  const script: Step[] = [["execute_js", "function run() {}"], ["execute_js_result", LONG]];
  const exchange: Step[] = [["user", "q"], ...script, ...script, ["response", "a"]];
  return [...exchange, ...exchange, ["user", "now"], ...script, ...script];
}

function conversationOf(steps: readonly Step[]): Conversation {
  const conversation = new Conversation();
  for (const [stepType, content] of steps) conversation.add({ stepType, content });
  return conversation;
}

function trimmed(steps: readonly Step[], limit: number, target = limit): string[] | undefined {
  const conversation = conversationOf(steps);
  const { sizeOf, pieces } = conversation;
  return trimPieces(pieces, { sizeOf, limit, target })?.pieces.map(describe);
}

function describe({ kind, turns }: Piece): string {
  return turns === undefined ? kind : `${kind} ${turns}`;
}

Deno.test("trim: what fits is left as it is", () => {
  equal(trimmed(steps(), 100_000), undefined);
});

Deno.test("trim: the oldest turns go first, no result without its script, no answer without its exchange", () => {
  const rest = ["message", "script", "result", "script", "result"];
  deepEqual(trimmed(steps(), 5500), [
    "gap 1",
    "script",
    "result",
    "response",
    ...rest,
    "response",
    ...rest,
  ]);
  deepEqual(trimmed(steps(), 4500), ["gap 3", ...rest, "response", ...rest]);
  for (let limit = 0; limit < 6500; limit += 50) {
    const kinds = trimmed(steps(), limit) ?? [];
    kinds.forEach((kind, at) => {
      if (kind === "result") equal(kinds[at - 1], "script", `at ${limit}`);
      if (kind === "response") equal(kinds[at - 1], "result", `at ${limit}`);
    });
  }
});

Deno.test("trim: the message and the newest script with its result stay, whatever the limit", () => {
  deepEqual(trimmed(steps(), 0), ["gap 6", "message", "gap 1", "script", "result"]);
});

Deno.test("trim: turns of the run itself go only when no older ones are left", () => {
  deepEqual(trimmed(steps(), 2100), [
    "gap 6",
    "message",
    "script",
    "result",
    "script",
    "result",
  ]);
});

Deno.test("trim: it leaves slack, and gaps that meet become one with the sum of their turns", () => {
  const conversation = conversationOf(steps());
  const { sizeOf } = conversation;
  const first = trimPieces(conversation.pieces, { sizeOf, limit: 5500, target: 4100 });
  ok(first !== undefined);
  conversation.replace(first.pieces);
  ok(conversation.tokens <= 4100, `${conversation.tokens}`);
  const second = trimPieces(conversation.pieces, { sizeOf, limit: 3000, target: 2100 });
  equal(second?.pieces.filter((piece) => piece.kind === "gap").length, 1);
  equal(second?.pieces[0]?.turns, 6);
});

Deno.test("trim: a summary goes last, and only when nothing else helps", () => {
  const all: Step[] = [["summary", LONG], ...steps()];
  deepEqual(trimmed(all, 2200), ["summary", "gap 6", "message", "gap 1", "script", "result"]);
  deepEqual(trimmed(all, 1500), ["gap 6", "message", "gap 1", "script", "result"]);
});

Deno.test("trim: nothing that could go is nothing done", () => {
  equal(trimmed([["user", LONG]], 10), undefined);
  equal(trimmed([["user", LONG], ["execute_js", "x"], ["execute_js_result", LONG]], 10), undefined);
  equal(trimmed([], 0), undefined);
  equal(trimmed([["execute_js", "x"], ["execute_js_result", LONG]], 10), undefined);
});

Deno.test("trim: every cut is at the beginning of a turn", () => {
  for (let limit = 100; limit < 6500; limit += 70) {
    const conversation = conversationOf(steps());
    const { sizeOf, pieces } = conversation;
    const kept = trimPieces(pieces, { sizeOf, limit, target: limit * 0.75 })?.pieces ?? pieces;
    kept.forEach((piece, at) => {
      const next = kept[at + 1];
      if (piece.kind === "gap" && next !== undefined) ok(beginsTurn(next), `at ${limit}`);
    });
  }
});
