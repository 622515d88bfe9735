/**
 * What an error says of a value. A text or number is shown whole or not at all: what has been cut could be half a secret, and nothing would take it out of the
 * prompt any more.
 */

/** A text of more characters is told by its length. */
const MAX_SHOWN = 60;
/** Members of an object that are named. */
const MAX_KEYS = 8;

/** A value in a few words: `5 (number)`, `"Oslo" (string)`, `object with city, days`. */
export function showValue(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (typeof value === "string") {
    const quoted = JSON.stringify(value);
    return quoted.length <= MAX_SHOWN
      ? `${quoted} (string)`
      : `a string of ${value.length} characters`;
  }
  if (typeof value === "number" || typeof value === "boolean") return `${value} (${typeof value})`;
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value !== "object") return `a ${typeof value}`;
  const keys = Object.keys(value);
  if (keys.length === 0) return "an empty object";
  const named = keys.slice(0, MAX_KEYS).map((key) => key.length <= 40 ? key : "…");
  return `an object with ${named.join(", ")}${keys.length > MAX_KEYS ? ", …" : ""}`;
}

/** Constants that an enumeration names: as many as fit into a line. */
export function showConstants(values: readonly unknown[]): string {
  let room = MAX_SHOWN * 4;
  const shown = values.map(showConstant).filter((text) => (room -= text.length + 2) > 0);
  return shown.length === values.length ? shown.join(", ") : `${shown.join(", ")}, …`;
}

/** A constant of a schema; these are the author's, so that a long one may be cut. */
export function showConstant(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN - 1).toWellFormed()}…`;
}
