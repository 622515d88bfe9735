/** The YAML at the head of a text. */
import { parseDocument } from "npm:yaml@2.9.1";

/** A text, taken apart. */
export interface FrontMatterSplit {
  /** What the front matter says; `null` when there is none, or none that can be read. */
  readonly frontMatter: unknown;
  /** Why it cannot be read. */
  readonly error?: string;
  /** The text without it. */
  readonly body: string;
}

/**
 * Takes front matter off: lines between `---` at the very beginning and the next `---` or `...`. Where these lines are no mapping, nor
 * begin like one, they are what they are without front matter: two rules and a text.
 */
export function takeFrontMatter(text: string): FrontMatterSplit {
  const none = { frontMatter: null, body: text };
  const opening = /^---[ \t]*\n/.exec(text);
  if (opening === null) return none;
  const closing = /^(?:---|\.\.\.)[ \t]*$/gm;
  closing.lastIndex = opening[0].length;
  const end = closing.exec(text);
  if (end === null) return none;
  const body = text.slice(closing.lastIndex + 1);
  const yaml = text.slice(opening[0].length, end.index);
  try {
    const value = readYaml(yaml);
    if (value === null) return { frontMatter: {}, body };
    return typeof value === "object" && !Array.isArray(value) ? { frontMatter: value, body } : none;
  } catch (error) {
    if (!/^\s*["']?[\w-]+["']?\s*:/.test(yaml)) return none;
    const reason = error instanceof Error ? error.message.split("\n")[0] : String(error);
    return { frontMatter: null, error: `the front matter is not valid YAML: ${reason}`, body };
  }
}

/** YAML 1.2 as a JSON value. Whole numbers that JavaScript would round are text. */
function readYaml(text: string): unknown {
  const document = parseDocument(text, { intAsBigInt: true, logLevel: "silent" });
  const [error] = document.errors;
  if (error !== undefined) throw error;
  const value = document.toJS({ maxAliasCount: 100 }) as unknown;
  return JSON.parse(JSON.stringify(value ?? null, exactly));
}

function exactly(_key: string, value: unknown): unknown {
  if (typeof value !== "bigint") return value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}
