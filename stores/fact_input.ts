/** The border of every fact store in this folder: checks what a caller hands in, and gives an owner the one key it is known by. Pure. */
import {
  DEFAULT_RECALLED_FACTS,
  type FactOwner,
  MAX_FACT_BYTES,
  MAX_FACT_TAG_BYTES,
  MAX_FACT_TAGS,
  MAX_FACTS,
  MAX_RECALLED_FACTS,
  type NewFact,
} from "../contracts/fact.ts";
import { text, typeName } from "./step_input.ts";

/** A fact whose defaults are filled in. */
export type CheckedFact = Required<NewFact>;

/**
 * The key of an owner. Each part stands for itself, so that no text of one owner can make it another.
 *
 * @param of What is owned, for messages.
 * @throws {TypeError} when a part is no text, or ill-formed: replacing it could make two owners one.
 */
export function ownerKey(owner: FactOwner, of: string = "a fact"): string {
  if (typeof owner !== "object" || owner === null) {
    throw new TypeError(`The owner of ${of} must be an object, not ${typeName(owner)}.`);
  }
  const { scope, userId } = owner;
  if (scope !== undefined && typeof scope?.workspaceId !== "string") {
    throw new TypeError(`The scope of ${of} must have a workspaceId.`);
  }
  const parts = [scope?.workspaceId, scope?.projectId, userId];
  for (const part of parts) {
    if (part === undefined) continue;
    if (typeof part !== "string" || !part.isWellFormed()) {
      throw new TypeError(
        `Workspace, project and user of ${of} must be texts of well-formed Unicode.`,
      );
    }
  }
  return JSON.stringify(parts.map((part) => part ?? null));
}

/**
 * Checks a fact and fills in its defaults. Space around the text is taken off, and a tag that comes twice is one.
 *
 * @throws {TypeError} when a field has the wrong type or is empty.
 * @throws {RangeError} when a text is too long, or there are too many tags.
 */
export function checkedFact({ text: given, tags = [] }: NewFact): CheckedFact {
  if (!Array.isArray(tags)) {
    throw new TypeError(`A fact's tags must be a list of texts, not ${typeName(tags)}.`);
  }
  const checked = [
    ...new Set(tags.map((tag) => bounded(tag, { what: "A fact's tag", max: MAX_FACT_TAG_BYTES }))),
  ];
  if (checked.length > MAX_FACT_TAGS) {
    throw new RangeError(
      `A fact may have ${MAX_FACT_TAGS} tags, this one has ${checked.length}. Leave some out.`,
    );
  }
  return { text: bounded(given, { what: "A fact's text", max: MAX_FACT_BYTES }), tags: checked };
}

/**
 * Checks a query.
 *
 * @throws {TypeError} when it is no text.
 * @throws {RangeError} when it is too long.
 */
export function checkedQuery(query: string): string {
  const checked = text(query, "The query for facts");
  refuseLong(checked, { what: "The query for facts", max: MAX_FACT_BYTES });
  return checked;
}

/**
 * Checks how many facts are recalled.
 *
 * @throws {RangeError} when it is out of range.
 */
export function checkedRecallLimit(limit: number = DEFAULT_RECALLED_FACTS): number {
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_RECALLED_FACTS) return limit;
  throw new RangeError(
    `The limit of recalled facts must be a whole number from 1 to ${MAX_RECALLED_FACTS}, not ${
      String(limit)
    }.`,
  );
}

/**
 * Checks a fact's id.
 *
 * @throws {TypeError} when it is no text.
 */
export function checkedFactId(id: string): string {
  return text(id, "A fact's id");
}

/** What an owner is told whose memory is full. */
export function memoryIsFull(): RangeError {
  return new RangeError(
    `The memory holds ${MAX_FACTS} facts, which is all it may. Forget some, then remember this one.`,
  );
}

interface Bound {
  /** What it is, for the message. */
  readonly what: string;
  /** Bytes at most. */
  readonly max: number;
}

function bounded(value: string, bound: Bound): string {
  const trimmed = text(value, bound.what).trim();
  if (trimmed === "") throw new TypeError(`${bound.what} must not be empty.`);
  refuseLong(trimmed, bound);
  return trimmed;
}

function refuseLong(value: string, { what, max }: Bound): void {
  const bytes = new TextEncoder().encode(value).length;
  if (bytes > max) {
    throw new RangeError(`${what} may have ${max} bytes, this one has ${bytes}. Shorten it.`);
  }
}
