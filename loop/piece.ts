/**
 * The pieces that a conversation is made of, and the messages that they join to. One piece is what one step put there, or what the loop says
 * in the place of something. Pure; which pieces there are is decided in history.ts, trim.ts and compact_history.ts.
 */
import type { Message } from "../contracts/model.ts";
import { settledMessage } from "../contracts/settled_message.ts";

/**
 * What a piece is: `message` of the user, `script`, its `result`, `response`; `calls` of tools in one reply, and the `call_result` of each; a `note` of the loop about a run that broke off; a `summary`
 * of what was before; a `gap` in the place of turns that were left out; something `given` by a compactor in its own form.
 */
export type PieceKind =
  | "message"
  | "script"
  | "result"
  | "response"
  | "calls"
  | "call_result"
  | "note"
  | "summary"
  | "gap"
  | "given";

/** One piece. Never changed once it is made. */
export interface Piece {
  readonly kind: PieceKind;
  readonly role: Message["role"];
  readonly content: string;
  /** Index in the session's trace of the step behind it. */
  readonly step?: number;
  /** The calls that an assistant's piece makes. */
  readonly toolCalls?: Message["toolCalls"];
  /** The call that a tool's piece answers. */
  readonly toolCallId?: string;
  /** Turns that a gap stands for. */
  readonly turns?: number;
}

/** The text in which a summary is sent. Part of stored conversations' prompts: a change moves their prefix. */
export function summaryText(summary: string): string {
  return `[Summary of the conversation so far]\n${summary.toWellFormed()}`;
}

/** What stands in the place of turns that were left out. */
export function gapPiece(turns: number): Piece {
  const left = turns === 1 ? "1 earlier turn is" : `${turns} earlier turns are`;
  const content =
    `[${left} left out here to fit the context window. Do not guess what was said there.]`;
  return { kind: "gap", role: "user", content, turns };
}

/** Whether a turn begins with a piece: what stands before it can go without leaving half of something. */
export function beginsTurn({ kind }: Piece): boolean {
  return kind === "message" || startsAction(kind);
}

/** Whether a piece is something that the model did, with the outcome behind it: a script, or calls of tools. */
export function startsAction(kind: PieceKind): boolean {
  return kind === "script" || kind === "calls";
}

/**
 * Joins pieces to messages: those of one role that follow each other become one, since many chat templates demand that roles alternate. Calls and their results
 * stay messages of their own.
 */
export function joinPieces(pieces: readonly Joinable[]): Message[] {
  return new PieceJoiner().join(pieces);
}

/** Joins pieces that are mostly those of the time before: as far as they are, the messages are the same objects. All of them are frozen. */
export class PieceJoiner {
  #pieces: readonly Joinable[] = [];
  readonly #messages: Message[] = [];
  /** Behind how many pieces each message ends. */
  readonly #ends: number[] = [];

  /** The messages, behind those of `head`, in a list of the caller's own. The list of pieces must not change any more. */
  join(pieces: readonly Joinable[], head: readonly Message[] = []): Message[] {
    this.#keepBeginningOf(pieces);
    for (let at = this.#ends.at(-1) ?? 0; at < pieces.length; at++) {
      const piece = pieces[at]!;
      if (joins(pieces[at - 1], piece)) {
        this.#messages.push(joined(this.#messages.pop()!, piece));
        this.#ends.pop();
      } else this.#messages.push(messageOf(piece));
      this.#ends.push(at + 1);
    }
    this.#pieces = pieces;
    return [...head, ...this.#messages];
  }

  #keepBeginningOf(pieces: readonly Joinable[]): void {
    let same = 0;
    while (same < this.#pieces.length && this.#pieces[same] === pieces[same]) same++;
    for (let end = this.#ends.at(-1); end !== undefined; end = this.#ends.at(-1)) {
      const next = pieces[end];
      const goesOn = end === same && next !== undefined && joins(pieces[end - 1], next);
      if (end <= same && !goesOn) return;
      this.#messages.pop();
      this.#ends.pop();
    }
  }
}

/** For each message that pieces join to, the position of its first piece. */
export function messageStarts(pieces: readonly Joinable[]): number[] {
  return pieces.flatMap((piece, at) => joins(pieces[at - 1], piece) ? [] : [at]);
}

type Joinable =
  & Pick<Piece, "role" | "content" | "toolCalls" | "toolCallId">
  & Partial<Pick<Piece, "kind">>;

function joins(before: Joinable | undefined, piece: Joinable): boolean {
  return before?.role === piece.role && piece.role !== "tool" && before.toolCalls === undefined &&
    piece.toolCalls === undefined;
}

function joined({ role, content }: Message, more: Joinable): Message {
  return settledMessage({ role, content: `${content}\n\n${more.content}` });
}

function messageOf({ kind, role, content, toolCalls, toolCallId }: Joinable): Message {
  const message = {
    role,
    content,
    ...(toolCalls === undefined ? {} : { toolCalls }),
    ...(toolCallId === undefined ? {} : { toolCallId }),
  };
  // A compactor's own messages may compute what they say, and may be changed inside.
  const isOwn = kind !== "given";
  return isOwn ? settledMessage(message) : Object.freeze(message);
}
