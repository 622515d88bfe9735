/** Keeping known secrets out of what is observed. Never applied to what scripts and stores use. */

/** Takes secrets out of text. Pure and synchronous; must not throw. */
export interface TextRedactor {
  /** The text with every form of every secret replaced. */
  redact(text: string): string;
  /** Begins a stream, in which a secret may come in pieces. */
  stream(): RedactionStream;
  /**
   * A redactor that takes these secrets out too, by their names. Without it, what a run learns is taken out by a redactor of its own, after this one: secrets
   * that overlap are then not found as one.
   */
  including?(secrets: Readonly<Record<string, string>>): TextRedactor;
}

/** A stream of text on its way through a redactor: what could be the beginning of a secret is held back until it cannot be. */
export interface RedactionStream {
  /** Takes a piece and gives what is safe to show by now; "" when nothing is. */
  push(piece: string): string;
  /** The rest, redacted. The stream is then over. */
  flush(): string;
}
