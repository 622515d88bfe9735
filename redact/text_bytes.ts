/** Feeds text in pieces of any size to a reading, as UTF-8. A surrogate without its other half counts as U+FFFD, as everywhere where text becomes bytes. */
import type { TextReading } from "./text_reading.ts";

const REPLACEMENT = 0xfffd;

/** The bytes of one text. */
export class TextBytes {
  readonly #reading: TextReading;
  #position = 0;
  /** The first half of a pair whose second half has not come; 0 when there is none. */
  #high = 0;

  /** Begins a text that goes to a reading. */
  constructor(reading: TextReading) {
    this.#reading = reading;
  }

  /** How much text was taken, in UTF-16 units, but for half a pair at its end. */
  get position(): number {
    return this.#high === 0 ? this.#position : this.#position - 1;
  }

  /** Takes a piece. */
  push(piece: string): void {
    for (let at = 0; at < piece.length; at++) this.#pushUnit(piece.charCodeAt(at));
  }

  /** Takes half a pair at the end for what it is, since nothing more comes. */
  end(): void {
    if (this.#high !== 0) this.#pushHalf(this.#position - 1);
    this.#reading.end();
  }

  /** Forgets the text, for the next one. */
  reset(): void {
    this.#position = 0;
    this.#high = 0;
    this.#reading.reset();
  }

  #pushUnit(unit: number): void {
    const at = this.#position++;
    if (this.#high !== 0) {
      if (isLowSurrogate(unit)) {
        const codePoint = 0x10000 + ((this.#high - 0xd800) << 10) + (unit - 0xdc00);
        this.#high = 0;
        this.#pushCodePoint(codePoint, at - 1, at + 1);
        return;
      }
      this.#pushHalf(at - 1);
    }
    if (isHighSurrogate(unit)) this.#high = unit;
    else this.#pushCodePoint(isLowSurrogate(unit) ? REPLACEMENT : unit, at, at + 1);
  }

  #pushHalf(at: number): void {
    this.#high = 0;
    this.#pushCodePoint(REPLACEMENT, at, at + 1);
  }

  #pushCodePoint(code: number, start: number, end: number): void {
    const reading = this.#reading;
    if (code < 0x80) {
      reading.push(code, start, end);
      return;
    }
    if (code < 0x800) reading.push(0xc0 | code >> 6, start, end);
    else {
      if (code < 0x10000) reading.push(0xe0 | code >> 12, start, end);
      else {
        reading.push(0xf0 | code >> 18, start, end);
        reading.push(0x80 | code >> 12 & 0x3f, start, end);
      }
      reading.push(0x80 | code >> 6 & 0x3f, start, end);
    }
    reading.push(0x80 | code & 0x3f, start, end);
  }
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}
