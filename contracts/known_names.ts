/** Names of options. A misspelt one would hold for nothing, without a word, and with it a bound or a wall: types tell, but programs are also run unchecked. */

/**
 * Demands that an object holds nothing that is not known.
 *
 * @throws {TypeError} naming what is not known, and what there is.
 */
export function refuseUnknown(
  caller: string,
  given: object,
  known: Readonly<Record<string, true>>,
): void {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(known, name));
  if (unknown === undefined) return;
  const shown = unknown.length <= 100 ? unknown : `${unknown.slice(0, 100).toWellFormed()}…`;
  throw new TypeError(
    `${caller}: there is no option ${shown}; there are ${Object.keys(known).join(", ") || "none"}`,
  );
}
