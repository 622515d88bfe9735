/**
 * One text on its way through a redactor, in pieces of any size. Text leaves as soon as no form of a secret can begin in it any more.
 * Ranges that overlap are replaced as one, so that no rest of a secret stands beside what was replaced.
 */
import type { RedactionStream } from "../contracts/redaction.ts";
import { BACKSLASH, type EscapeSyntax, PERCENT, PLUS, WRAP } from "./escape_syntax.ts";
import type { FormAutomaton } from "./form_automaton.ts";
import { TextBytes } from "./text_bytes.ts";
import { type ReadingPlan, TextReading } from "./text_reading.ts";

/** Escapes within escapes as they are common: JSON in JSON in JSON, JSON or a URL as a value in a URL, printed base64 in JSON. */
const PLANS: readonly ReadingPlan[] = [
  through(PERCENT, [through(PERCENT), through(BACKSLASH)]),
  through(PLUS, [through(PERCENT)]),
  through(BACKSLASH, [through(BACKSLASH, [through(BACKSLASH)]), through(WRAP)]),
  through(WRAP),
];

/** A part of the text that holds forms of secrets and nothing else. */
interface SecretRange {
  readonly start: number;
  readonly end: number;
  /** The longest secret in it. */
  readonly secret: number;
}

/** What a run needs to know. */
export interface RedactionRunOptions {
  /** What is looked for; of two secrets, the longer has the smaller number. */
  readonly automaton: FormAutomaton;
  /** What stands in the place of each secret, by its number. */
  readonly marks: readonly string[];
}

/** A stream through a redactor. After `flush` it begins anew. */
export class RedactionRun implements RedactionStream {
  readonly #marks: readonly string[];
  readonly #reading: TextReading;
  readonly #bytes: TextBytes;
  /** In the order of the text, none overlapping another. */
  #ranges: SecretRange[] = [];
  /** Text that has not left, and where it begins. */
  #held = "";
  #heldAt = 0;

  /** Begins a run. */
  constructor(options: RedactionRunOptions) {
    this.#marks = options.marks;
    this.#reading = new TextReading({
      automaton: options.automaton,
      report: (start, end, secret) => this.#cover({ start, end, secret }),
    }, PLANS);
    this.#bytes = new TextBytes(this.#reading);
  }

  /** Takes a piece and gives what is safe to show by now. */
  push(piece: string): string {
    this.#held += piece;
    this.#bytes.push(piece);
    return this.#release(Math.min(this.#reading.heldFrom(), this.#bytes.position));
  }

  /** The rest, redacted. */
  flush(): string {
    this.#bytes.end();
    const rest = this.#release(this.#bytes.position);
    this.#bytes.reset();
    this.#ranges = [];
    this.#held = "";
    this.#heldAt = 0;
    return rest;
  }

  /** Adds a range, which swallows those that it overlaps. */
  #cover({ start, end, secret }: SecretRange): void {
    let at = this.#ranges.length;
    while (at > 0 && this.#ranges[at - 1]!.end > start) at--;
    let after = at;
    while (after < this.#ranges.length && this.#ranges[after]!.start < end) after++;
    const merged = this.#ranges.slice(at, after).reduce((all, one) => ({
      start: Math.min(all.start, one.start),
      end: Math.max(all.end, one.end),
      secret: Math.min(all.secret, one.secret),
    }), { start, end, secret });
    this.#ranges.splice(at, after - at, merged);
  }

  /** What stands before `limit`, where nothing can change any more. */
  #release(limit: number): string {
    let shown = "";
    let done = 0;
    for (const range of this.#ranges) {
      if (range.start >= limit) break;
      shown += this.#take(range.start);
      if (range.end > limit) {
        // It may still grow, but its text need not be kept for that.
        this.#ranges[done] = { ...range, start: limit };
        this.#drop(limit);
        break;
      }
      shown += this.#marks[range.secret]!;
      this.#drop(range.end);
      done++;
    }
    this.#ranges.splice(0, done);
    return shown + this.#take(limit);
  }

  /** The held text up to a place, which leaves. */
  #take(end: number): string {
    const text = this.#held.slice(0, end - this.#heldAt);
    this.#drop(end);
    return text;
  }

  #drop(end: number): void {
    this.#held = this.#held.slice(end - this.#heldAt);
    this.#heldAt = end;
  }
}

function through(syntax: EscapeSyntax, within: readonly ReadingPlan[] = []): ReadingPlan {
  return { syntax, within };
}
