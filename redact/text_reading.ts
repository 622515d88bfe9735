/**
 * Readings of one text, as bytes on their way past the automaton: as it stands, or with one kind of escape resolved, or with escapes
 * within escapes. Each byte carries the range of the text that it stands for, which may be a whole escape.
 *
 * A reading through escapes only runs where it differs from the one that it is made from, so that plain text costs one walk.
 */
import type { EscapeReading, EscapeSyntax } from "./escape_syntax.ts";
import { type FormAutomaton, ROOT } from "./form_automaton.ts";

/** Receives the range of the text in which a form of a secret was found. */
export type ReportForm = (start: number, end: number, secret: number) => void;

/** A kind of escape to read through, and what to read through after it. */
export interface ReadingPlan {
  /** The escapes. */
  readonly syntax: EscapeSyntax;
  /** Escapes that may be hidden in what these stand for. */
  readonly within: readonly ReadingPlan[];
}

/** What the readings of one text share. */
export interface ReadingOptions {
  /** What is looked for. */
  readonly automaton: FormAutomaton;
  /** Called once for each place where forms end, with the longest of them; must not throw. */
  readonly report: ReportForm;
  /** Bytes of the shortest form to report. @default 0 */
  readonly minForm?: number;
}

/** A walk through the automaton along one reading, and along those that are made from it. */
export class TextReading {
  readonly #automaton: FormAutomaton;
  readonly #report: ReportForm;
  readonly #minForm: number;
  readonly #through: readonly EscapeReader[];
  /** Which bytes one of the escapes may begin with. */
  readonly #opens: Uint8Array = new Uint8Array(256);
  /** Where the text of each of the last bytes begins: a ring that holds the longest form. */
  readonly #starts: Float64Array;
  readonly #mask: number;
  #count = 0;
  #node = ROOT;
  #isSplit = false;

  /** Begins a reading. */
  constructor(options: ReadingOptions, within: readonly ReadingPlan[]) {
    this.#automaton = options.automaton;
    this.#report = options.report;
    this.#minForm = Math.max(options.minForm ?? 0, 1);
    const size = 2 ** Math.ceil(Math.log2(Math.max(options.automaton.longest, 2)));
    this.#starts = new Float64Array(size);
    this.#mask = size - 1;
    this.#through = within.map((plan) => {
      for (const byte of plan.syntax.openers) this.#opens[byte] = 1;
      const { minForm = options.minForm } = plan.syntax;
      return new EscapeReader(plan.syntax, new TextReading({ ...options, minForm }, plan.within));
    });
  }

  /** Whether the last bytes are the beginning of no form, in this reading itself. */
  get isAtRoot(): boolean {
    return this.#node === ROOT;
  }

  /** Whether a reading that is made from this one differs from it. */
  get isSplit(): boolean {
    return this.#isSplit;
  }

  /** Where the oldest text begins that may still turn out to be part of a form; Infinity when there is none. */
  heldFrom(): number {
    const depth = this.#automaton.depth(this.#node);
    let from = depth === 0 ? Infinity : this.#starts[(this.#count - depth) & this.#mask]!;
    if (this.#isSplit) {
      for (const reader of this.#through) from = Math.min(from, reader.heldFrom());
    }
    return from;
  }

  /** Takes the next byte. Three numbers and no object, since this runs for every byte. */
  push(byte: number, start: number, end: number): void {
    if (!this.#isSplit && this.#opens[byte] === 0) {
      this.#walk(byte, start, end);
      return;
    }
    // A reading that begins to differ takes over what this one, and those that are made from it, know up to the byte.
    for (const reader of this.#through) reader.splitAt(byte, this);
    for (const reader of this.#through) reader.push(byte, start, end);
    this.#walk(byte, start, end);
    this.#isSplit = false;
    for (const reader of this.#through) {
      reader.mergeInto(this);
      if (reader.isActive) this.#isSplit = true;
    }
  }

  /** Takes unfinished escapes for what they look like, since nothing more comes. */
  end(): void {
    for (const reader of this.#through) reader.end();
  }

  /** Forgets the text, for the next one. */
  reset(): void {
    this.#node = ROOT;
    this.#isSplit = false;
    for (const reader of this.#through) reader.reset();
  }

  /** Stands where another reading of the same text stands, and so do those that are made from either in the same way. */
  copyFrom(other: TextReading): void {
    const depth = this.#automaton.depth(other.#node);
    for (let back = 1; back <= depth; back++) {
      const at = (other.#count - back) & this.#mask;
      this.#starts[at] = other.#starts[at]!;
    }
    this.#count = other.#count;
    this.#node = other.#node;
    this.#isSplit = false;
    for (const reader of this.#through) {
      reader.copyFrom(other.#through.find(({ syntax }) => syntax === reader.syntax));
      if (reader.isActive) this.#isSplit = true;
    }
  }

  #walk(byte: number, start: number, end: number): void {
    this.#starts[this.#count++ & this.#mask] = start;
    this.#node = this.#automaton.step(this.#node, byte);
    const length = this.#automaton.matchLength(this.#node);
    if (length < this.#minForm) return;
    const first = this.#starts[(this.#count - length) & this.#mask]!;
    this.#report(first, end, this.#automaton.matchSecret(this.#node));
  }
}

/**
 * Resolves one kind of escape on the way from one reading to the next. It is active where the two differ, which is from an escape on until
 * neither is within a form.
 */
class EscapeReader {
  readonly syntax: EscapeSyntax;
  readonly #inner: TextReading;
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  /** What may be an escape, a character for each byte. */
  #pending = "";
  #isActive = false;

  constructor(syntax: EscapeSyntax, inner: TextReading) {
    this.syntax = syntax;
    this.#inner = inner;
  }

  get isActive(): boolean {
    return this.#isActive;
  }

  splitAt(byte: number, outer: TextReading): void {
    if (this.#isActive || !this.syntax.openers.includes(byte)) return;
    this.#inner.copyFrom(outer);
    this.#isActive = true;
  }

  mergeInto(outer: TextReading): void {
    if (this.#pending !== "" || this.#inner.isSplit) return;
    if (outer.isAtRoot && this.#inner.isAtRoot) this.#isActive = false;
  }

  copyFrom(other: EscapeReader | undefined): void {
    this.#drop(this.#pending.length);
    this.#isActive = other !== undefined && other.#isActive;
    if (other === undefined || !other.#isActive) return;
    this.#pending = other.#pending;
    this.#starts.push(...other.#starts);
    this.#ends.push(...other.#ends);
    this.#inner.copyFrom(other.#inner);
  }

  push(byte: number, start: number, end: number): void {
    if (!this.#isActive) return;
    if (this.#pending === "" && !this.syntax.openers.includes(byte)) {
      this.#inner.push(byte, start, end);
      return;
    }
    this.#pending += String.fromCharCode(byte);
    this.#starts.push(start);
    this.#ends.push(end);
    this.#resolve();
  }

  end(): void {
    if (!this.#isActive) return;
    while (this.#pending !== "") {
      this.#release();
      this.#resolve();
    }
    this.#inner.end();
  }

  reset(): void {
    this.#drop(this.#pending.length);
    this.#isActive = false;
    this.#inner.reset();
  }

  heldFrom(): number {
    if (!this.#isActive) return Infinity;
    return Math.min(this.#inner.heldFrom(), this.#starts[0] ?? Infinity);
  }

  #resolve(): void {
    while (this.#pending !== "") {
      const reading = this.syntax.openers.includes(this.#pending.charCodeAt(0))
        ? this.syntax.read(this.#pending)
        : "none";
      if (reading === "unfinished") return;
      if (reading === "none") this.#release();
      else this.#replace(reading);
    }
  }

  #replace({ length, bytes }: Exclude<EscapeReading, string>): void {
    const start = this.#starts[0]!;
    const end = this.#ends[length - 1]!;
    this.#drop(length);
    for (const byte of bytes) this.#inner.push(byte, start, end);
  }

  /** The first byte is no escape. */
  #release(): void {
    const byte = this.#pending.charCodeAt(0);
    const start = this.#starts[0]!;
    const end = this.#ends[0]!;
    this.#drop(1);
    this.#inner.push(byte, start, end);
  }

  #drop(length: number): void {
    this.#pending = this.#pending.slice(length);
    this.#starts.splice(0, length);
    this.#ends.splice(0, length);
  }
}
