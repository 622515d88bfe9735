/** What a run has learned of secrets: from the moment that a call gets one, it is taken out of all that is observed of the run. */
import type { RedactionStream, TextRedactor } from "../contracts/redaction.ts";
import { Redactor } from "../redact/redactor.ts";

/** The secrets of one run. Whoever redacts asks for the redactor each time: it changes when a secret is learned. */
export class RunSecrets {
  readonly #given: TextRedactor | undefined;
  /** Values with the names that they are shown by, where these are known. */
  readonly #learned = new Map<string, string | undefined>();
  #redactor: TextRedactor | undefined;
  /** Values that were filled in for scripts and given to none, by their names. */
  readonly #unseen = new Map<string, string>();
  /** Those that a script has, by their names. */
  readonly #shown = new Map<string, string>();

  /** Begins with the redactor that the loop was given, if any. */
  constructor(given: TextRedactor | undefined) {
    this.#given = given;
    this.#redactor = given;
  }

  /** Takes out what the loop was told of, and what the run has learned; absent when there is neither. */
  get redactor(): TextRedactor | undefined {
    return this.#redactor;
  }

  /**
   * Learns a secret, and the name that may stand in its place.
   *
   * @throws {RangeError} when it is too short to be taken out of text.
   */
  learn(value: string, name?: string): void {
    if (this.#learned.has(value) && (name === undefined || this.#learned.get(value))) return;
    const learned = new Map(this.#learned).set(value, name);
    this.#redactor = including(this.#given, byName(learned));
    this.#learned.set(value, name);
  }

  /** Values that no script of the run has seen, though they were filled in for one, by their names. */
  get unseen(): ReadonlyMap<string, string> {
    return this.#unseen;
  }

  /** Keeps in mind that a value was filled in. */
  fill(name: string, value: string): void {
    if (!this.#shown.has(name)) this.#unseen.set(name, value);
    this.#nameLearned(value, name);
  }

  /** Values that a script got itself, by their names. */
  get shown(): ReadonlyMap<string, string> {
    return this.#shown;
  }

  /** Keeps in mind that a script got a value itself: there is nothing left to be kept from it. */
  show(name: string, value: string): void {
    this.#shown.set(name, value);
    this.#unseen.delete(name);
    this.#nameLearned(value, name);
  }

  #nameLearned(value: string, name: string): void {
    if (this.#learned.has(value)) this.learn(value, name);
  }
}

/** The values by names that differ; a name that is not known is a number. */
function byName(
  learned: ReadonlyMap<string, string | undefined>,
): Readonly<Record<string, string>> {
  const named = new Map<string, string>();
  for (const [value, name] of learned) {
    const wanted = name ?? `${named.size}`;
    let free = wanted;
    for (let n = 2; named.has(free); n++) free = `${wanted} ${n}`;
    named.set(free, value);
  }
  return Object.fromEntries(named);
}

function including(
  given: TextRedactor | undefined,
  secrets: Readonly<Record<string, string>>,
): TextRedactor {
  if (given?.including !== undefined) return given.including(secrets);
  const own = Redactor.fromSecrets(secrets);
  return given === undefined ? own : inTurn(given, own);
}

function inTurn(first: TextRedactor, second: TextRedactor): TextRedactor {
  return {
    redact: (text) => second.redact(first.redact(text)),
    stream(): RedactionStream {
      const [one, two] = [first.stream(), second.stream()];
      return {
        push: (piece) => two.push(one.push(piece)),
        flush: () => two.push(one.flush()) + two.flush(),
      };
    },
  };
}
