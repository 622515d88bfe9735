/**
 * Text in and out of a column. The runtime's SQLite reads a text only up to its first NUL; such a text is kept as a BLOB of its UTF-8 bytes instead,
 * which any column takes as it is. Every text goes through here, keys too, so that equal texts are equal in the database.
 */
import type { SQLOutputValue } from "node:sqlite";

/** The form in which a text is bound to a statement. It must be well-formed. */
export function toColumn(text: string): string | Uint8Array {
  return text.includes("\0") ? new TextEncoder().encode(text) : text;
}

/** The form in which a text that may be left out is bound. */
export function toOptionalColumn(text: string | undefined): string | Uint8Array | null {
  return text === undefined ? null : toColumn(text);
}

/** The text that a column holds. */
export function textOf(value: SQLOutputValue | undefined): string {
  if (typeof value === "string") return value;
  if (value instanceof Uint8Array) {
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(value);
  }
  return value === null || value === undefined ? "" : String(value);
}

/** The text that a column holds, or undefined for NULL. */
export function optionalTextOf(value: SQLOutputValue | undefined): string | undefined {
  return value === null || value === undefined ? undefined : textOf(value);
}
