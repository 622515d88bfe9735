/** What a converter process is asked and what it answers, as frames of the channel. */

/** Parts of a Markdown text that can be asked for; `parse` is all of them. */
export type MarkdownPart =
  | "parse"
  | "frontMatter"
  | "headings"
  | "links"
  | "codeBlocks"
  | "tables"
  | "lists";

/** What to do with a text: HTML becomes Markdown, Markdown becomes data. */
export type ConversionTask =
  | { readonly type: "html" }
  | { readonly type: "markdown"; readonly part: MarkdownPart };

/** One text to convert; the body is the text. */
export interface ConverterRequest {
  readonly id: number;
  readonly task: ConversionTask;
  /** Time for the conversion itself. Beyond it the process ends itself. */
  readonly timeoutMs: number;
  /** Bytes that the result may have. */
  readonly maxOutputBytes: number;
}

/** What the process says. The body of `done` is Markdown for HTML and JSON text for Markdown. */
export type ConverterReply =
  /** The parts are loaded, and the conversion begins. */
  | { readonly type: "started"; readonly id: number }
  | { readonly type: "done"; readonly id: number }
  /** The result has more bytes than it may. */
  | { readonly type: "large"; readonly id: number; readonly bytes: number }
  | { readonly type: "failed"; readonly id: number; readonly message: string }
  /** The process ends itself: the conversion took longer than it may. */
  | { readonly type: "stuck"; readonly id: number };
