/**
 * Decides which part of a streamed reply may be shown while it arrives: prose goes through, reasoning does not, and from what may open a
 * fence on nothing does. What cannot be decided yet is held back.
 */

const FENCE = /^ {0,3}(?:`{3}|~{3})/;
/** A beginning of a line that may become a fence. */
const MAYBE_FENCE = /^ {0,3}(?:`{0,2}|~{0,2})$/;
const TAG_NAMES = ["think", "thinking", "reasoning"];
const TAGS = TAG_NAMES.flatMap((name) => [`<${name}>`, `</${name}>`]);
const TAG = /^<(\/?)(?:think|thinking|reasoning)>/i;
const CLOSING_TAG = /<\/(?:think|thinking|reasoning)>/i;
/** What may be the beginning of a closing tag at the end of a chunk is at most this long. */
const TAG_TAIL = "</reasoning>".length - 1;

/** What an answer stream tells. */
export interface AnswerStreamListener {
  /** A piece of what may be the answer; never empty. */
  readonly onChunk: (text: string) => void;
  /** The pieces so far are not the answer. */
  readonly onDiscard: () => void;
}

/** The visible part of one reply, as it arrives. */
export class AnswerStream {
  readonly #listener: AnswerStreamListener;
  #mode: "prose" | "reasoning" | "held" = "prose";
  #atLineStart = true;
  /** What is not decided yet. */
  #pending = "";
  /** What this chunk let through. */
  #passed = "";
  /** White space that is shown only once something follows it: an answer has none at its ends. */
  #space = "";
  #shown = "";

  constructor(listener: AnswerStreamListener) {
    this.#listener = listener;
  }

  /** Takes the next piece of the reply. */
  feed(chunk: string): void {
    if (this.#mode === "held") return;
    this.#pending += chunk;
    while (this.#decideNext());
    this.#show(this.#passed);
    this.#passed = "";
  }

  /** The reply begins anew: what was shown of it is void. */
  restart(): void {
    this.#discard();
    this.#mode = "prose";
    this.#atLineStart = true;
    this.#pending = "";
  }

  /** The reply is complete: with its answer the rest of that is told, without one, that what was shown is not the answer. */
  finish(answer?: string): void {
    this.#mode = "held";
    if (this.#shown === "") return;
    if (!answer?.startsWith(this.#shown)) return this.#discard();
    const rest = answer.slice(this.#shown.length);
    if (rest !== "") this.#listener.onChunk(rest);
  }

  #show(text: string): void {
    const body = text.trimEnd();
    if (body === "") {
      this.#space += text;
      return;
    }
    const piece = this.#shown === "" ? body.trimStart() : this.#space + body;
    this.#space = text.slice(body.length);
    this.#shown += piece;
    this.#listener.onChunk(piece);
  }

  #discard(): void {
    if (this.#shown !== "") this.#listener.onDiscard();
    this.#shown = this.#space = this.#passed = "";
  }

  /** Decides over the next part of what is pending; false when nothing is left or the decision takes more text. */
  #decideNext(): boolean {
    if (this.#pending === "") return false;
    if (this.#mode === "reasoning") return this.#skipReasoning();
    if (this.#atLineStart) {
      if (FENCE.test(this.#pending)) {
        this.#mode = "held";
        this.#pending = "";
        return false;
      }
      if (MAYBE_FENCE.test(this.#pending)) return false;
      this.#atLineStart = false;
    }
    const plain = this.#pending.search(/[\r\n<]/);
    if (plain !== 0) return this.#pass(plain < 0 ? this.#pending.length : plain);
    if (this.#pending[0] === "<") return this.#decideTag();
    this.#atLineStart = true;
    return this.#pass(1);
  }

  #decideTag(): boolean {
    const [tag, slash] = TAG.exec(this.#pending) ?? [];
    if (tag === undefined) {
      const start = this.#pending.slice(0, TAG_TAIL + 1).toLowerCase();
      return TAGS.some((candidate) => candidate.startsWith(start)) ? false : this.#pass(1);
    }
    // A closing tag without its opening: all that came before it was reasoning.
    if (slash === "/") this.#discard();
    else this.#mode = "reasoning";
    return this.#skip(tag.length);
  }

  #skipReasoning(): boolean {
    const end = CLOSING_TAG.exec(this.#pending);
    if (end === null) {
      this.#pending = this.#pending.slice(-TAG_TAIL);
      return false;
    }
    this.#mode = "prose";
    return this.#skip(end.index + end[0].length);
  }

  /** Lets so many characters through. */
  #pass(count: number): boolean {
    this.#passed += this.#pending.slice(0, count);
    this.#pending = this.#pending.slice(count);
    return true;
  }

  /** Leaves out so many characters; what follows reasoning counts as the beginning of a line. */
  #skip(count: number): boolean {
    this.#pending = this.#pending.slice(count);
    this.#atLineStart = true;
    return true;
  }
}
