/**
 * Puts tool calls together from what servers send: entries of a whole message, or pieces of entries in the deltas of a stream. Pure.
 *
 * By the protocol a piece belongs to the call at its `index`, and only a call's first piece has an id and a name. Few servers keep to all of it, so that
 * each piece is held against the calls so far. When in doubt pieces are joined to what is then no JSON, and not to a call that could run.
 */
import type { Message, ModelToolCall } from "../contracts/model.ts";
import { isRecord } from "./provider_error.ts";
import {
  argumentsText,
  BracketScan,
  joinArguments,
  judgeArguments,
  sameArguments,
} from "./tool_arguments.ts";

/** What was sent to the model, as far as it helps to read its calls. */
export interface ToolCallContext {
  /** Ids of the calls that the conversation holds already: no new call gets one of them. @default none */
  readonly earlierIds?: readonly string[];
  /** Names of the tools that were offered: they tell a name in pieces from a name that is repeated. @default none */
  readonly toolNames?: readonly string[];
}

/** A call as far as it has come. */
interface Draft {
  readonly index: number | undefined;
  id: string | undefined;
  readonly names: string[];
  readonly pieces: string[];
  metadata: Readonly<Record<string, unknown>> | undefined;
  /** Tells whether the arguments are over. */
  readonly scan: BracketScan;
  /** The call that this one may only repeat, when it came where that one stood and brought no id of its own. */
  readonly echoOf: Draft | undefined;
}

/** A piece of a call, read. */
interface Piece {
  readonly index: number | undefined;
  readonly id: string | undefined;
  readonly name: string;
  readonly text: string;
  readonly metadata: Readonly<Record<string, unknown>> | undefined;
}

/** Calls of one reply at most: far more than any model makes at once. */
const MAX_CALLS = 8192;
/** Characters of all their arguments at most, ids and names included. */
const MAX_LENGTH = 64 * 1024 * 1024;

/** What servers write where they have no id. */
const NO_ID = /^\s*(?:null|none|undefined|nil)?\s*$/i;

/** Builds the calls of one reply. */
export class ToolCallAssembler {
  readonly #context: ToolCallContext;
  readonly #drafts: Draft[] = [];
  readonly #slots = new Map<number, Draft>();
  #length = 0;
  #latest: Draft | undefined;
  #legacy: Draft | undefined;

  /** Creates one that knows what was sent. */
  constructor(context: ToolCallContext = {}) {
    this.#context = context;
  }

  /** Whether no call has begun. */
  get isEmpty(): boolean {
    return this.#drafts.length === 0 && this.#legacy === undefined;
  }

  /** Whether more came than any model writes; what comes then is not looked at. */
  get isEndless(): boolean {
    return this.#drafts.length > MAX_CALLS || this.#length > MAX_LENGTH;
  }

  /** Takes the calls of a whole message in: each entry is a call of its own, whatever index or id it has. */
  takeWhole(message: Readonly<Record<string, unknown>>): void {
    for (const piece of readPieces(message)) this.#begin({ ...piece, index: undefined });
    this.#takeLegacy(message);
  }

  /** Takes the pieces of one delta in. */
  takeDelta(delta: Readonly<Record<string, unknown>>): void {
    for (const piece of readPieces(delta)) {
      if (this.isEndless) return;
      const draft = this.#find(piece);
      if (draft === undefined || this.#startsAnew(piece, draft)) this.#begin(piece, draft);
      else this.#continue(draft, piece);
    }
    this.#takeLegacy(delta);
  }

  /** Ends the reply and gives its calls in their order. `replyWasCut`: the model was stopped before it was done. */
  finish({ replyWasCut }: { readonly replyWasCut: boolean }): ModelToolCall[] {
    if (this.isEmpty) return [];
    const legacy = this.#legacy === undefined ? [] : [this.#legacy];
    // Servers that send the old form beside the new one say the same twice.
    const drafts = this.#drafts.length > 0 ? inOrder(this.#drafts) : legacy;
    const told = drafts.filter((draft) => !this.#isEcho(draft));
    const ids = uniqueIds(told.map(({ id }) => id), this.#context.earlierIds ?? []);
    return told.map((draft, at) => ({
      id: ids[at]!,
      name: this.#nameOf(draft),
      ...judgeArguments(joinArguments(draft.pieces), { replyWasCut }),
      ...(draft.metadata === undefined ? {} : { providerMetadata: draft.metadata }),
    }));
  }

  #begin(piece: Piece, before?: Draft): void {
    const { index, id } = piece;
    const mayRepeat = id === undefined ? index !== undefined : id === before?.id;
    const echoOf = mayRepeat ? before : undefined;
    const draft = newDraft({ index, id, echoOf });
    this.#drafts.push(draft);
    if (index !== undefined) this.#slots.set(index, draft);
    this.#continue(draft, piece);
  }

  #continue(draft: Draft, { id, name, text, metadata }: Piece): void {
    this.#length += (id?.length ?? 0) + name.length + text.length;
    if (this.isEndless) return;
    draft.id ??= id;
    if (metadata !== undefined) draft.metadata = { ...draft.metadata, ...metadata };
    // A name that comes again with each piece of long arguments is not kept as often.
    const isKnown = draft.pieces.length > 0 && draft.names.includes(name);
    if (name !== "" && !isKnown) draft.names.push(name);
    if (text !== "") {
      draft.pieces.push(text);
      draft.scan.push(text);
    }
    this.#latest = draft;
  }

  /** The call that a piece seems to belong to. */
  #find({ index, id, name }: Piece): Draft | undefined {
    const byId = id === undefined ? undefined : this.#drafts.findLast((draft) => draft.id === id);
    if (index === undefined) {
      if (id === undefined || byId !== undefined) return byId ?? this.#latest;
      return name === "" && this.#latest?.id === undefined ? this.#latest : undefined;
    }
    if (byId?.index === index) return byId;
    const inSlot = this.#slots.get(index);
    if (inSlot !== undefined || name !== "") return inSlot;
    // A first piece without an index, or an index that counts pieces and not calls.
    const latest = this.#latest;
    return byId ?? (id === undefined && latest?.index === undefined ? latest : undefined);
  }

  /** Whether a piece begins another call than the one that it seems to belong to. */
  #startsAnew(piece: Piece, draft: Draft): boolean {
    if (piece.id !== undefined && draft.id !== undefined && piece.id !== draft.id) {
      // Some servers make up an id for each piece: such a piece goes on where arguments are still to come.
      return piece.name !== "" || piece.text === "" || draft.scan.isClosed;
    }
    if (piece.name === "") return false;
    const name = draft.names.join("");
    if (name === "") return piece.text !== "" && draft.scan.isClosed;
    const isSameCall = piece.id !== undefined && piece.id === draft.id;
    if (draft.scan.isClosed) {
      // `{}` may be no more than what stands there until the arguments come.
      const mayBePlaceholder = draft.pieces.length < 4 && draft.pieces.join("").trim() === "{}";
      return !(isSameCall && piece.name === name && mayBePlaceholder);
    }
    if (draft.pieces.length > 0) return !draft.names.includes(piece.name);
    if (isSameCall) return false;
    if (piece.name === name && piece.index !== undefined) return false;
    const { toolNames = [] } = this.#context;
    if (toolNames.some((one) => one.startsWith(name + piece.name))) return false;
    return piece.index === undefined ||
      (toolNames.includes(name) && toolNames.includes(piece.name));
  }

  #isEcho(draft: Draft): boolean {
    const { echoOf } = draft;
    if (echoOf === undefined || this.#nameOf(echoOf) !== this.#nameOf(draft)) return false;
    // An id may still have come behind the beginning.
    if (draft.id !== undefined && draft.id !== echoOf.id) return false;
    const text = joinArguments(draft.pieces);
    return text.trim() === "" || sameArguments(joinArguments(echoOf.pieces), text);
  }

  // A name comes whole, in pieces, or whole with each piece of the arguments.
  #nameOf({ names }: Draft): string {
    const joined = names.join("");
    const last = names.at(-1) ?? "";
    const isRepeated = names.every((name) => name === last);
    const readings = isRepeated ? [last, joined] : [joined, last];
    const offered = this.#context.toolNames ?? [];
    return (readings.find((name) => offered.includes(name)) ?? readings[0]!).toWellFormed();
  }

  // The form before tool calls: one function, without an id.
  #takeLegacy(message: Readonly<Record<string, unknown>>): void {
    const call = message["function_call"];
    if (!isRecord(call)) return;
    this.#legacy ??= newDraft({ index: undefined, id: undefined, echoOf: undefined });
    const latest = this.#latest;
    this.#continue(this.#legacy, readPiece({ function: call }));
    this.#latest = latest;
  }
}

function newDraft(place: Pick<Draft, "index" | "id" | "echoOf">): Draft {
  return { ...place, names: [], pieces: [], metadata: undefined, scan: new BracketScan() };
}

/** Ids of a reply's calls: those that came, where no other call has them, and else new ones that depend on nothing but what is there. */
export function uniqueIds(
  ids: readonly (string | undefined)[],
  earlier: readonly string[],
): string[] {
  const [only] = ids;
  if (ids.length === 1 && only !== undefined && !earlier.includes(only)) return [only];
  const wanted = new Set(ids);
  const taken = new Set<string>();
  for (const id of earlier) if (wanted.has(id)) taken.add(id);
  const kept = ids.map((id) => {
    if (id === undefined || taken.has(id)) return undefined;
    taken.add(id);
    return id;
  });
  if (kept.every((id) => id !== undefined)) return kept;
  let number = 0;
  for (const some of [earlier, taken]) {
    for (const id of some) number = Math.max(number, Number(OWN_ID.exec(id)?.[1] ?? 0));
  }
  return kept.map((id) => id ?? ownId(++number));
}

/** Nine letters and digits: the only form that every provider takes back. */
const OWN_ID = /^call(\d{5,})$/;

/** An id of our own making. */
export function ownId(number: number): string {
  return `call${String(number).padStart(5, "0")}`;
}

/** Ids of the calls that a conversation holds. */
export function callIds(messages: readonly Message[]): string[] {
  const ids: string[] = [];
  for (const { toolCalls } of messages) {
    if (toolCalls !== undefined) { for (const { id } of toolCalls) ids.push(id); }
  }
  return ids;
}

function inOrder(drafts: readonly Draft[]): readonly Draft[] {
  if (drafts.some(({ index }) => index === undefined)) return drafts;
  return drafts.toSorted((a, b) => a.index! - b.index!);
}

function readPieces(message: Readonly<Record<string, unknown>>): Piece[] {
  const calls = message["tool_calls"];
  if (!calls) return [];
  const entries = Array.isArray(calls) ? calls : [calls];
  return entries.filter(isRecord).map(readPiece);
}

function readPiece(entry: Readonly<Record<string, unknown>>): Piece {
  const told = isRecord(entry["function"]) ? entry["function"] : entry;
  const { name, arguments: written } = told;
  const metadata = entry["extra_content"];
  return {
    index: readIndex(entry["index"]),
    id: readId(entry["id"]),
    name: typeof name === "string" ? name : "",
    text: argumentsText(written),
    metadata: isRecord(metadata) ? metadata : undefined,
  };
}

function readIndex(value: unknown): number | undefined {
  const index = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
  return typeof index === "number" && Number.isInteger(index) && index >= 0 ? index : undefined;
}

function readId(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  if (typeof value !== "string" || NO_ID.test(value)) return undefined;
  return value.toWellFormed();
}
