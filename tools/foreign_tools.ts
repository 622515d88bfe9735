/**
 * Tools of other programs (servers of the Model Context Protocol, plugins), whose names know nothing of a provider's rules or of each other. Each gets a name that every
 * provider and scripts take, that no other tool has, and that stays the same whatever else is there: what was allowed for one must never hold for another.
 */
import type { Tool } from "../contracts/tool.ts";
import {
  defineTool,
  knownFields,
  type ToolDefinition,
  type ToolParameters,
} from "./define_tool.ts";

/** Where a tool comes from. */
export interface ForeignToolOrigin {
  /** The program or server that it is of, as the host knows it: any text. */
  readonly source: string;
  /** Its name there: any text. */
  readonly name: string;
}

/** Parts of a name that stay as they are: no `-`, which scripts do not take, and no `__`, which stands between the parts. */
const PLAIN = /^[A-Za-z0-9]+(?:_[A-Za-z0-9]+)*$/;
const MAX_NAME = 64;
const MAX_SOURCE = 16;
const MAX_CUT = 33;
/** Characters of a digest that end a name: five bits each. */
const DIGEST = 10;
const BASE32 = "abcdefghijklmnopqrstuvwxyz234567";

/**
 * The name of a foreign tool: `SOURCE__NAME` where both are short and plain (letters, digits, single `_` between them), else what is left of them and a digest of the
 * originals. It depends on source and name alone, so that it is the same in every run.
 *
 * @throws {TypeError} when source or name is empty.
 *
 * @example
 * ```ts
 * import { foreignToolName } from "@agentloop/core/tools";
 *
 * console.log(await foreignToolName({ source: "shop", name: "catalog_query" })); // shop__catalog_query
 * console.log(await foreignToolName({ source: "shop", name: "catalog.query" })); // shop__catalog_query__ and ten characters
 * ```
 */
export async function foreignToolName({ source, name }: ForeignToolOrigin): Promise<string> {
  checkText("source", source);
  checkText("name", name);
  const plain = `${source}__${name}`;
  const isPlain = /^[A-Za-z]/.test(source) && PLAIN.test(source) && PLAIN.test(name);
  if (isPlain && plain.length <= MAX_NAME) return plain;
  const left = [cleaned(source, MAX_SOURCE), cleaned(name, MAX_CUT), await digestOf(source, name)];
  return left.join("__");
}

/**
 * Defines the tools of one source under names of their own; `origin` of each says what it is called there, and `execute` is whoever calls it there. A description that is
 * missing is made of the original name.
 *
 * @throws {TypeError} when two of them have one name, or one cannot be defined.
 */
export async function defineForeignTools(
  source: string,
  definitions: Iterable<ToolDefinition<ToolParameters>>,
): Promise<readonly Tool[]> {
  const tools = new Map<string, Tool>();
  for (const definition of definitions) {
    const origin = Object.freeze({ source, name: definition.name });
    const name = await foreignToolName(origin);
    if (tools.has(name)) {
      throw new TypeError(
        `${shown(source)} has two tools named ${
          shown(origin.name)
        }; which one is meant cannot be told`,
      );
    }
    const described: unknown = definition.description;
    const description = typeof described === "string" && described.trim() !== ""
      ? described
      : `${origin.name}, a tool of ${source}`;
    // What else its source says of a tool is no mistake of whoever hands it on.
    const tool = defineTool({ ...knownFields(definition), name, description });
    tools.set(name, Object.freeze({ ...tool, origin }));
  }
  return [...tools.values()];
}

function checkText(what: string, text: unknown): void {
  if (typeof text === "string" && text !== "") return;
  throw new TypeError(`the ${what} of a foreign tool must be a text that is not empty`);
}

/** Letters, digits and single `_`, first a letter; it need not be told apart by this. */
function cleaned(text: string, max: number): string {
  const words = text.slice(0, 200).replace(/[^A-Za-z0-9]+/g, "_").replace(/^_+|_+$/g, "");
  const named = /^[A-Za-z]/.test(words) ? words : `t_${words}`;
  return named.slice(0, max).replace(/_+$/, "");
}

/** 50 bits of SHA-256 over both texts, taken apart so that no pair looks like another. */
async function digestOf(source: string, name: string): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify([source, name]));
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from({ length: DIGEST }, (_, at) => BASE32[(hash[at] ?? 0) & 31]).join("");
}

function shown(text: string): string {
  return JSON.stringify(text.length <= 100 ? text : `${text.slice(0, 100)}…`.toWellFormed());
}
