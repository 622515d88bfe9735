/**
 * Checks of a model's final text that care for what it says and not for how it says it: numbers in any common notation,
 * words in any case, groups in either order. Pure functions from text to what is missing.
 */

/** A text with more numbers than this is a dump of data in which anything could be found, not an answer. */
const MAX_NUMBERS = 40;

const NUMBER = /(?<![\w.]|\w[-−])[-−]?\d+(?:\.\d+)?/g;
const GROUPED = /(?<![\w.])\d{1,3}(?:[,\u00a0\u202f ]\d{3})+(?![\d,])/g;

/**
 * Every number in a text, each once. `1,234.5` and `1 234.5` are one number, but commas inside square brackets separate, as in JSON.
 * The parts of a date or of a hyphenated word are no numbers of their own.
 */
export function numbersIn(text: string): number[] {
  // Markdown emphasis and currency signs touch the digits without being part of the number.
  const bare = text.replace(/[*_`$€£]/g, " ");
  const apart = bare.replace(/\[[^[\]]*\]/g, (list) => list.replaceAll(",", " , "));
  const joined = apart.replace(GROUPED, (digits) => digits.replace(/\D/g, ""));
  return [
    ...new Set([...joined.matchAll(NUMBER)].map((match) => Number(match[0].replace("−", "-")))),
  ];
}

/**
 * Whether the text holds every expected number.
 *
 * @param tolerance How far a number may be off and still count; 0.006 lets two decimals be rounded or cut either way. @default 0
 * @returns what is missing, or `undefined`.
 */
export function missingNumbers(
  text: string,
  expected: readonly number[],
  tolerance = 0,
): string | undefined {
  const found = numbersIn(text);
  if (found.length > MAX_NUMBERS) return `holds ${found.length} numbers: a dump, not an answer`;
  const missing = expected.filter((wanted) =>
    !found.some((number) => Math.abs(number - wanted) <= tolerance)
  );
  return missing.length === 0 ? undefined : `lacks ${missing.join(" and ")}`;
}

/**
 * Whether the expected words stand in the text in this order, each as a whole word and in any case, and none of the others at all.
 *
 * @returns what is wrong, or `undefined`.
 */
export function wrongRanking(
  text: string,
  options: { readonly expected: readonly string[]; readonly others: readonly string[] },
): string | undefined {
  const stray = options.others.find((word) => positionOf(word, text) >= 0);
  if (stray !== undefined) return `names ${stray}`;
  const positions = options.expected.map((word) => positionOf(word, text));
  const absent = options.expected.filter((_, index) => (positions[index] ?? -1) < 0);
  if (absent.length > 0) return `lacks ${absent.join(" and ")}`;
  const ordered = positions.every((position, index) =>
    index === 0 || position > (positions[index - 1] ?? -1)
  );
  return ordered ? undefined : "the order is wrong";
}

/**
 * Whether each name stands with its number: between the name and the next one, or between the name before and this one.
 *
 * @returns what is wrong, or `undefined`.
 */
export function wrongGroups(
  text: string,
  groups: Readonly<Record<string, number>>,
  tolerance = 0,
): string | undefined {
  const names = Object.keys(groups).map((name) => ({ name, at: positionOf(name, text) }))
    .sort((a, b) => a.at - b.at);
  const absent = names.filter((entry) => entry.at < 0).map((entry) => entry.name);
  if (absent.length > 0) return `lacks ${absent.join(" and ")}`;
  const failures = [true, false].map((forward) =>
    names.flatMap((entry, index) => {
      const start = forward ? entry.at : (names[index - 1]?.at ?? 0);
      const end = forward ? names[index + 1]?.at : entry.at;
      const wanted = groups[entry.name] ?? NaN;
      const missing = missingNumbers(text.slice(start, end), [wanted], tolerance);
      return missing === undefined ? [] : [`${entry.name} ${missing}`];
    })
  );
  return failures.some((list) => list.length === 0) ? undefined : failures[0]?.join(", ");
}

/** Where a word stands in a text as a word of its own, in any case; -1 when it does not. */
function positionOf(word: string, text: string): number {
  const escaped = word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`(?<![\\w-])${escaped}(?![\\w-])`, "i").exec(text)?.index ?? -1;
}
