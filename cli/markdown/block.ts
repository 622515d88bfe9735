/** A text in Markdown as the renderer sees it: blocks, and in them spans of text that are fit to be shown. */
import type { Span } from "../wrap_text.ts";

/** How a column of a table is aligned. */
export type Alignment = "left" | "right" | "center";

/** A table. */
export interface Table {
  readonly kind: "table";
  readonly alignments: readonly Alignment[];
  readonly head: readonly (readonly Span[])[];
  readonly rows: readonly (readonly (readonly Span[])[])[];
}

/** A list. */
export interface List {
  readonly kind: "list";
  /** The number of the first item; absent where items are not numbered. */
  readonly start?: number;
  /** Whether a blank line stands between items. */
  readonly loose: boolean;
  /** What stands in each of the items. */
  readonly items: readonly (readonly Block[])[];
}

/** One block of a text. */
export type Block =
  | { readonly kind: "heading"; readonly level: number; readonly spans: readonly Span[] }
  | { readonly kind: "paragraph"; readonly spans: readonly Span[] }
  | { readonly kind: "code"; readonly text: string }
  | { readonly kind: "quote"; readonly blocks: readonly Block[] }
  | { readonly kind: "rule" }
  | List
  | Table;
