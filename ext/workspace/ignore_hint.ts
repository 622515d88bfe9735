/**
 * Tells most paths that no rule of a `.gitignore` can be about without asking what reads rules, which costs more than a file's listing: each rule that matches
 * a path has a text that stands in it. Pure.
 */

/** More rules than this are not looked through for their texts. */
const MAX_RULES = 500;

/** What a path that some rule is about matches; nothing when that cannot be told from texts. */
export function ignoreHint(rules: string): RegExp | undefined {
  const lines = rules.split(/\r?\n/).filter((line) => line.trim() !== "" && !line.startsWith("#"));
  if (lines.length > MAX_RULES) return undefined;
  const texts = new Set<string>();
  for (const line of lines) {
    const text = textOf(line);
    if (text === undefined) return undefined;
    texts.add(text);
  }
  // A pattern of nothing matches everything; here it is to match nothing.
  return texts.size === 0 ? /(?!)/ : new RegExp([...texts].map(escaped).join("|"));
}

/** The longest text within a rule that every path it matches holds in one name; nothing where there is none, or the rule is written in an unusual way. */
function textOf(rule: string): string | undefined {
  if (/[\\[\]]/.test(rule)) return undefined;
  const parts = rule.replace(/^!/, "").trim().split(/[/*?]+/);
  const longest = parts.reduce((best, part) => part.length > best.length ? part : best, "");
  return longest === "" ? undefined : longest;
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
