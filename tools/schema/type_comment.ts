/** What is told of a value beside its type: its description where that says more than its name, and what a type cannot say. */
import type { JsonSchema } from "../../contracts/tool.ts";

/** A description is cut to this, at a word. */
const MAX_DESCRIPTION = 100;
/** A longer default or pattern is not told. */
const MAX_FACT = 40;

/**
 * A comment's text without its marks; "" when there is nothing to say.
 *
 * @param known what the reader has read: the member's name, and what it belongs to
 */
export function factsOf(schema: JsonSchema, known: string): string {
  const description = typeof schema.description === "string" ? schema.description : "";
  const facts = [
    saysMore(description, known) ? oneLine(description, MAX_DESCRIPTION) : "",
    rangeOf(schema),
    typeof schema.format === "string" ? schema.format : "",
    typeof schema.pattern === "string" && schema.format === undefined
      ? short(`/${schema.pattern}/`)
      : "",
    schema.default === undefined || schema.default === null
      ? ""
      : short(`default ${JSON.stringify(schema.default)}`),
  ];
  return inComment(facts.filter((fact) => fact !== "").join(", "));
}

/** A text on one line, cut at a word. */
export function oneLine(text: string, most: number): string {
  const line = text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ").trim();
  if (line.length <= most) return line;
  const head = line.slice(0, most - 1);
  const word = head.lastIndexOf(" ");
  return `${(word > most / 2 ? head.slice(0, word) : head).toWellFormed()}…`;
}

/** A text that cannot end the comment that it stands in. */
export function inComment(text: string): string {
  return text.replaceAll("*/", "* /");
}

/** "Title of the event" says nothing of `title` in `create_event`. */
function saysMore(description: string, known: string): boolean {
  const read = new Set(wordsOf(known));
  return wordsOf(description).some((word) => !read.has(word));
}

const SMALL_WORDS = ["the", "a", "an", "of", "to", "for", "in", "this"];

function wordsOf(text: string): readonly string[] {
  const words = text.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase().match(/[\p{L}\p{N}]+/gu) ??
    [];
  return words.filter((word) => !SMALL_WORDS.includes(word));
}

function rangeOf(schema: JsonSchema): string {
  const pairs = [
    ["minimum", "maximum", ""],
    ["minLength", "maxLength", " characters"],
    ["minItems", "maxItems", " items"],
  ] as const;
  const ranges = pairs.flatMap(([least, most, unit]) => {
    const from = bound(schema[least]);
    const to = bound(schema[most]);
    if (from === undefined && to === undefined) return [];
    // That a text or list is not empty goes without saying.
    if (to === undefined) {
      return from! < (unit === "" ? 1 : 2) && from! >= 0 ? [] : [`>= ${from}${unit}`];
    }
    return [from === undefined ? `<= ${to}${unit}` : `${from}..${to}${unit}`];
  });
  const { exclusiveMinimum, exclusiveMaximum } = schema;
  if (typeof exclusiveMinimum === "number") ranges.push(`> ${exclusiveMinimum}`);
  if (typeof exclusiveMaximum === "number") ranges.push(`< ${exclusiveMaximum}`);
  return ranges.join(", ");
}

/** Libraries write the bounds of what a number can hold exactly where none was meant. */
function bound(value: unknown): number | undefined {
  return typeof value === "number" && Math.abs(value) < Number.MAX_SAFE_INTEGER ? value : undefined;
}

function short(fact: string): string {
  return fact.length <= MAX_FACT ? fact : "";
}
