/**
 * Replies that are neither a block of ours nor prose: code in another language or without a fence, and tool calls written out as text.
 * None of them may end a run as its answer. The signs are chosen so that prose which speaks of code is left alone.
 */
import { definesRun } from "./code_scan.ts";
import { isElidedScript } from "./elide.ts";
import type { FencedBlock } from "./fences.ts";

/**
 * How a reply missed the form: `language` a block of another language, `bare_code` code outside a fence, `tool_call` a tool call as text,
 * `elided` the line that stands for an old script in the history.
 */
export type WrongForm = "language" | "bare_code" | "tool_call" | "elided";

/** What the signs are looked for in. */
export interface WrongFormInput {
  /** The reply without its reasoning. */
  readonly visible: string;
  /** The part of it outside fences. */
  readonly prose: string;
  /** Its fenced blocks. */
  readonly blocks: readonly FencedBlock[];
  /** Names of the functions that scripts can call, beside `answer` and `log`. */
  readonly functions: ReadonlySet<string>;
}

/** Languages whose blocks are quotations, whatever stands in them. */
const QUOTED = new Set(
  "text txt plaintext plain output console markdown md diff patch html css xml yaml yml toml ini csv log sql"
    .split(" "),
);

/** Languages in which a call of `log(…)` is most likely one of ours. */
const JAVASCRIPT_FAMILY = new Set(
  "ts typescript jsx tsx mjs cjs node nodejs es6 ecmascript".split(" "),
);

// Most prose has none of the characters and words that the patterns below need: those are looked for first, since a pattern that is rarely used has to be compiled.

/** A JSON text longer than this is an answer and not a tool call. */
const MAX_TOOL_CALL_CHARACTERS = 65_536;

/** Says how a reply missed the form, or nothing when it is prose. */
export function findWrongForm(input: WrongFormInput): WrongForm | undefined {
  const { visible, prose, blocks, functions } = input;
  if (isElidedScript(visible.trim())) return "elided";
  if (isToolCallText(prose)) return "tool_call";
  const onlyBlock = prose.trim() === "" && blocks.length === 1 ? blocks[0] : undefined;
  if (isToolCallJson(onlyBlock === undefined ? visible : onlyBlock.source)) return "tool_call";
  if (blocks.some((block) => isForeignScript(block, functions))) return "language";
  if (isBareCode(prose)) return "bare_code";
  return blocks.length === 0 && isNothingButCalls(prose, functions) ? "bare_code" : undefined;
}

/** Whether a block that is not ours was meant to be run by us. */
function isForeignScript(
  { language, source }: FencedBlock,
  functions: ReadonlySet<string>,
): boolean {
  if (QUOTED.has(language)) return false;
  if (definesRun(source) || /^[ \t]*(?:async[ \t]+)?def[ \t]+run[ \t]*\(/m.test(source)) {
    return true;
  }
  const called = calledNames(source);
  if (called.has("answer")) return true;
  // An unmarked block is a quotation unless it ends the run.
  if (language === "") return false;
  if (JAVASCRIPT_FAMILY.has(language) && called.has("log")) return true;
  return [...functions].some((name) => called.has(name));
}

/** Names that are called as plain functions in a piece of code of any language. */
function calledNames(source: string): Set<string> {
  const names = new Set<string>();
  for (const match of source.matchAll(/(?<![\w$.])([A-Za-z_$][\w$]*)[ \t]*\(/g)) {
    names.add(match[1] ?? "");
  }
  return names;
}

/** Whether text outside fences is code: it begins to define `run`, or a line of it is one call of `answer`. */
function isBareCode(prose: string): boolean {
  if (!prose.includes("run") && !prose.includes("answer")) return false;
  return prose.split(/\r\n|\n|\r/).some((line) => {
    const code = line.trim().replace(/^(?:export|async|return|await)\s+/, "");
    if (/^function\s+run\s*\(.*[{,(]$/.test(code)) return true;
    if (/^function\s+run\s*\([^)]*\)\s*\{/.test(code)) return true;
    if (/^(?:const|let|var)\s+run\s*=\s*(?:async|function|\()/.test(code)) return true;
    if (/^def\s+run\s*\([^)]*\)/.test(code)) return true;
    return /^answer\s*\(/.test(code) && /\);?$/.test(code);
  });
}

/** Whether a text is statements and nothing else, and calls what scripts can call: a script without its frame. */
function isNothingButCalls(text: string, functions: ReadonlySet<string>): boolean {
  if (!text.includes("(")) return false;
  const lines = text.split(/\r\n|\n|\r/).map((line) => line.trim()).filter((line) => line !== "");
  if (!lines.every((line) => /[;{}()[\],]$/.test(line) || line.startsWith("//"))) return false;
  const [, name = ""] =
    /^(?:(?:const|let|var)\s[^=(]*=\s*)?(?:return\s+)?(?:await\s+)?([A-Za-z_$][\w$]*)\s*\(/
      .exec(lines.find((line) => !line.startsWith("//")) ?? "") ?? [];
  return functions.has(name);
}

/** Whether text outside fences holds the marks with which models write tool calls. */
function isToolCallText(prose: string): boolean {
  if (!prose.includes("<") && !prose.includes("[")) return false;
  return /^[ \t]*(?:<(?:tool_calls?|function_calls?|invoke|function=|\|tool_call|\|python_tag)|\[TOOL_CALLS\])/im
    .test(prose);
}

/** Whether a text as a whole is a tool call in JSON, or a list of them. */
function isToolCallJson(text: string): boolean {
  const json = text.trim();
  const mayBeJson = json.startsWith("{") || json.startsWith("[");
  if (!mayBeJson || json.length > MAX_TOOL_CALL_CHARACTERS) return false;
  try {
    const value: unknown = JSON.parse(json);
    return Array.isArray(value) ? value.length > 0 && value.every(isToolCall) : isToolCall(value);
  } catch {
    // Small models write JSON that is none; its first two keys tell enough.
    return /^\{\s*"(?:name|tool|function)"\s*:\s*"[^"]*"\s*,\s*"(?:arguments|parameters|args)"\s*:/
      .test(json);
  }
}

/** Whether a value has a name of something to call, and arguments for it. */
function isToolCall(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const named = ["name", "tool", "function"].some((key) => Object.hasOwn(value, key));
  return named && ["arguments", "parameters", "args"].some((key) => Object.hasOwn(value, key));
}
