/**
 * Which turns leave a conversation when it is too long: the oldest first, whole turns only, and more than is needed, so that the prompt's
 * beginning then stays the same for several turns. Pure. What the present turn needs stays, whatever its size.
 */
import { beginsTurn, gapPiece, type Piece, startsAction } from "./piece.ts";

/** What a trim is held to. Sizes are in tokens. */
export interface TrimOptions {
  /** Size of a piece. */
  readonly sizeOf: (piece: Piece) => number;
  /** Size that the pieces may have at most: turns go only when they have more. */
  readonly limit: number;
  /** Size that they are brought down to, where there are turns enough to leave out. */
  readonly target: number;
}

/** What came of a trim. */
export interface Trimmed {
  readonly pieces: readonly Piece[];
  /** How many pieces were left out. */
  readonly dropped: number;
}

/** A conversation, in the order in which its parts stand. */
export interface Parts {
  /** What stands for older turns: summaries. It goes last. */
  readonly pinned: readonly Piece[];
  /** Turns before the message that is being answered. */
  readonly past: readonly Piece[];
  /** That message, where turns follow it. */
  readonly message: readonly Piece[];
  /** Turns taken to answer it, the present one not counted. */
  readonly own: readonly Piece[];
  /** What never goes: the newest script, or calls of tools, and what follows, or the message while there is neither. */
  readonly present: readonly Piece[];
}

/** The pieces without their oldest turns; nothing when they fit, or when there is nothing that could go. */
export function trimPieces(pieces: readonly Piece[], options: TrimOptions): Trimmed | undefined {
  const { sizeOf, limit, target } = options;
  const total = sizeOfAll(pieces, sizeOf);
  if (total <= limit) return undefined;
  const parts = partsOf(pieces);
  const excess = total - target;
  let past = dropOldest(parts.past, { excess, sizeOf });
  const own = dropOldest(parts.own, { excess: excess - past.freed, sizeOf });
  let { pinned } = parts;
  if (pinned.length > 0 && total - past.freed - own.freed > limit) {
    // Without its summary a conversation forgets; only not to be sent at all is worse.
    past = dropOldest([...pinned, ...parts.past], { excess: Infinity, sizeOf });
    pinned = [];
  }
  const dropped = past.dropped + own.dropped;
  if (dropped === 0) return undefined;
  return {
    pieces: [...pinned, ...past.kept, ...parts.message, ...own.kept, ...parts.present],
    dropped,
  };
}

/** Splits a conversation into its parts. */
export function partsOf(pieces: readonly Piece[]): Parts {
  const message = pieces.findLastIndex((piece) => piece.kind === "message");
  const action = pieces.findLastIndex(({ kind }) => startsAction(kind));
  const present = action > message ? action : Math.max(message, 0);
  const pastEnd = message < 0 ? present : message;
  const unpinned = pieces.findIndex((piece) => !isPinned(piece));
  const pinnedEnd = Math.min(unpinned < 0 ? pieces.length : unpinned, pastEnd);
  const ownStart = Math.min(message + 1, present);
  return {
    pinned: pieces.slice(0, pinnedEnd),
    past: pieces.slice(pinnedEnd, pastEnd),
    message: message < 0 ? [] : pieces.slice(message, ownStart),
    own: message < 0 ? [] : pieces.slice(ownStart, present),
    present: pieces.slice(present),
  };
}

interface Dropped {
  readonly kept: readonly Piece[];
  readonly dropped: number;
  readonly freed: number;
}

/** Drops turns from the beginning of a part until enough is free, and leaves a gap in their place. */
function dropOldest(
  part: readonly Piece[],
  { excess, sizeOf }: Pick<TrimOptions, "sizeOf"> & { readonly excess: number },
): Dropped {
  const nothing: Dropped = { kept: part, dropped: 0, freed: 0 };
  if (excess <= 0) return nothing;
  let freed = -sizeOf(gapPiece(1));
  let end = 0;
  for (const piece of part) {
    if (freed >= excess && beginsTurn(piece)) break;
    freed += sizeOf(piece);
    end++;
  }
  const gone = part.slice(0, end);
  const dropped = gone.filter((piece) => piece.kind !== "gap").length;
  if (dropped === 0) return nothing;
  const gap = gapPiece(turnsIn(gone));
  return {
    kept: [gap, ...part.slice(end)],
    dropped,
    freed: sizeOfAll(gone, sizeOf) - sizeOf(gap),
  };
}

function isPinned({ kind }: Piece): boolean {
  return kind === "summary" || kind === "given";
}

/** A turn is a reply of the model, with what belongs to it. */
function turnsIn(pieces: readonly Piece[]): number {
  const turns = pieces.reduce(
    (sum, piece) => sum + (piece.turns ?? (piece.role === "assistant" ? 1 : 0)),
    0,
  );
  return Math.max(1, turns);
}

function sizeOfAll(pieces: readonly Piece[], sizeOf: (piece: Piece) => number): number {
  return pieces.reduce((sum, piece) => sum + sizeOf(piece), 0);
}
