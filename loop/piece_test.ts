import { deepEqual, equal } from "node:assert/strict";
import { joinPieces, type Piece, PieceJoiner } from "./piece.ts";

function piece(role: Piece["role"], content: string): Piece {
  return { kind: "message", role, content };
}

const PIECES = [
  piece("user", "a"),
  piece("user", "b"),
  piece("assistant", "c"),
  piece("user", "d"),
  piece("assistant", "e"),
  piece("assistant", "f"),
  piece("tool", "g"),
  piece("tool", "h"),
];

Deno.test("pieces: joined step by step they say the same as joined at once", () => {
  const other = piece("assistant", "other");
  const lists = [
    ...PIECES.map((_, at) => PIECES.slice(0, at)),
    PIECES,
    PIECES.with(2, other),
    PIECES.with(1, other),
    [...PIECES.slice(0, 1), ...PIECES.slice(2)],
    PIECES.slice(0, 5),
    [...PIECES.slice(0, 5), piece("assistant", "goes on")],
    [],
    PIECES.slice(3),
  ];
  for (const order of [lists, lists.toReversed()]) {
    const joiner = new PieceJoiner();
    for (const list of order) deepEqual(joiner.join(list), joinPieces(list));
  }
});

Deno.test("pieces: what is said again is the same object, and can be changed by nobody", () => {
  const joiner = new PieceJoiner();
  const before = joiner.join(PIECES.slice(0, 6));
  const after = joiner.join(PIECES);
  equal(after.length, before.length + 2);
  before.forEach((message, at) => equal(after[at], message));
  for (const message of after) equal(Object.isFrozen(message), true);
});
