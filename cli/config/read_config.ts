/**
 * Reads what a config file says: JSON with comments, whose keys are the options in camelCase. Everything is checked before anything is used; what is wrong is told with its
 * line and column. Whether the file may say it is left to others. Loads a parser, so it is imported only where there is a file.
 */
import {
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "npm:jsonc-parser@3.3.1";
import type { JsonValue } from "../../contracts/json.ts";
import { CONTRADICTIONS, saysSomething } from "../contradictions.ts";
import { CliError } from "../failure.ts";
import { OPTIONS, type OptionSpec } from "../option_table.ts";
import { OPTION_USES } from "../option_use.ts";
import { type OptionValue, readOptionText, shownValue } from "../option_value.ts";
import { suggest } from "../suggest.ts";
import { oneLine } from "../terminal_text.ts";
import { checkMeaning } from "./check_meaning.ts";
import { configError, placeOf, type TextPlace } from "./config_error.ts";
import { configKey } from "./config_key.ts";
import type { ConfigFile } from "./find_config.ts";

/** One option that a config file sets. */
export interface ConfigEntry {
  /** The option. */
  readonly spec: OptionSpec;
  /** Its key in the file. */
  readonly key: string;
  /** Its value; `false` for a flag that is not set. */
  readonly value: OptionValue | false;
  /** Its value as it stands in the file. */
  readonly written: JsonValue;
  /** Where the key stands. */
  readonly place: TextPlace;
}

/** Keys that people give a secret. */
const SECRET_KEY = /^(open_?ai_?)?(api_?)?(key|token|password)$|^authorization$/i;

/**
 * What a config file says, in its order.
 *
 * @throws {CliError} `usage` for the first thing that is wrong with it.
 */
export async function readConfig(file: ConfigFile): Promise<readonly ConfigEntry[]> {
  const text = decode(file);
  const fail = (offset: number, message: string) =>
    configError(file.path, message, placeOf(text, offset));
  const entries: ConfigEntry[] = [];
  for (const { key, value } of propertiesOf(parse(file, text), fail)) {
    const spec = findOption(key.text, (message) => fail(key.offset, message));
    const before = entries.find((entry) => entry.spec === spec);
    if (before !== undefined) {
      throw fail(key.offset, `"${before.key}" stands twice, first in line ${before.place.line}`);
    }
    const place = placeOf(text, key.offset);
    const told = await withPlace(
      async () => {
        const read = readValue(spec, value);
        await checkMeaning(spec, { key: key.text, value: read });
        return read;
      },
      (message) => fail(value.offset, message),
    );
    entries.push({ spec, key: key.text, value: told, written: getNodeValue(value), place });
  }
  refuseContradictions(entries, file);
  return entries;
}

function decode({ path, bytes }: ConfigFile): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw configError(path, "it is not UTF-8 text");
  }
}

function parse({ path }: ConfigFile, text: string): Node {
  const errors: ParseError[] = [];
  let root: Node | undefined;
  try {
    root = parseTree(text, errors, { allowTrailingComma: true });
  } catch (error) {
    if (error instanceof RangeError) throw configError(path, "it is nested too deep");
    throw error;
  }
  const [first] = errors;
  if (root === undefined) {
    throw configError(path, "it holds nothing; a config file is an object: {}", placeOf(text, 0));
  }
  if (first === undefined) return root;
  throw configError(path, whatIsBroken(first, text), placeOf(text, first.offset));
}

/** The parser's word for what it met, spelt out: `CommaExpected` is "comma expected". */
function whatIsBroken({ error, offset, length }: ParseError, text: string): string {
  const words = printParseErrorCode(error).replace(/(?<!^)[A-Z]/g, (letter) => ` ${letter}`);
  const found = text.slice(offset, offset + Math.max(length, 1));
  return `it is not JSON with comments: ${words.toLowerCase()}, ${
    found === "" ? "but the file ends" : `but there is ${shownValue(found)}`
  }`;
}

interface Property {
  readonly key: { readonly text: string; readonly offset: number };
  readonly value: Node;
}

function* propertiesOf(
  root: Node,
  fail: (offset: number, message: string) => CliError,
): Generator<Property> {
  if (root.type !== "object") {
    throw fail(root.offset, `a config file is an object, not ${kindOfNode(root)}`);
  }
  for (const { children = [], offset } of root.children ?? []) {
    const [key, value] = children;
    if (key === undefined || value === undefined) throw fail(offset, "a value is missing");
    yield { key: { text: String(key.value), offset: key.offset }, value };
  }
}

function findOption(key: string, fail: (message: string) => CliError): OptionSpec {
  const spec = OPTIONS.find((candidate) => configKey(candidate) === key);
  if (spec === undefined) {
    if (SECRET_KEY.test(key)) {
      throw fail(
        `${
          shownKey(key)
        }: a key does not belong into a file of the project; set OPENAI_API_KEY in the environment`,
      );
    }
    const known = OPTIONS.filter(({ field }) => OPTION_USES[field].inFile !== "refused");
    const dashed = OPTIONS.find(({ name }) => name === key.replace(/^-+/, ""));
    const meant = dashed === undefined ? suggest(key, known.map(configKey)) : configKey(dashed);
    throw fail(
      `unknown key ${shownKey(key)}` +
        (meant === undefined
          ? `; the keys are options in camelCase, such as "maxSteps"`
          : `; did you mean "${meant}"?`),
    );
  }
  const use = OPTION_USES[spec.field];
  if (use.inFile === "refused") {
    throw fail(`"${key}" cannot be set in a file: ${use.why}`);
  }
  return spec;
}

function readValue(spec: OptionSpec, node: Node): OptionValue | false {
  const name = `"${configKey(spec)}"`;
  const form = `${name}: ${formOf(spec)}`;
  const wrong = () =>
    new CliError("usage", `${name} must be ${wantedOf(spec)}, not ${kindOfNode(node)}`);
  const { kind } = spec;
  switch (kind) {
    case "flag":
      if (node.type !== "boolean") throw wrong();
      return node.value === true;
    case "list":
      if (node.type !== "array") throw wrong();
      return (node.children ?? []).flatMap((child) => {
        if (child.type !== "string") throw wrong();
        return readOptionText("list", { name, form, text: child.value }) as readonly string[];
      });
    case "text":
      if (node.type !== "string") throw wrong();
      return readOptionText(kind, { name, form, text: node.value });
    case "duration":
      if (node.type !== "string" && node.type !== "number") throw wrong();
      return readOptionText(kind, { name, form, text: String(node.value) });
    case "positive":
    case "count":
    case "amount":
      if (node.type !== "number") throw wrong();
      return readOptionText(kind, { name, form, text: String(node.value) });
  }
}

function wantedOf({ kind }: OptionSpec): string {
  switch (kind) {
    case "flag":
      return "true or false";
    case "list":
      return 'a list of texts such as ["a", "b"]';
    case "text":
      return "a text";
    case "duration":
      return 'a time such as "30m", or a number of seconds';
    case "positive":
    case "count":
    case "amount":
      return "a number";
  }
}

function formOf(spec: OptionSpec): string {
  const value = spec.value ?? "";
  return spec.kind === "list" ? `["${value}"]` : `"${value}"`;
}

function kindOfNode({ type }: Node): string {
  const words = { string: "a text", array: "a list", object: "an object", null: "null" } as const;
  return type in words ? words[type as keyof typeof words] : `a ${type}`;
}

function shownKey(key: string): string {
  return `"${oneLine(key, 60)}"`;
}

/** Lets a reader of values say what is wrong, and adds the place. */
async function withPlace<T>(
  read: () => Promise<T>,
  fail: (message: string) => CliError,
): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof CliError) throw fail(error.message);
    throw error;
  }
}

function refuseContradictions(entries: readonly ConfigEntry[], { path }: ConfigFile): void {
  const set = entries.filter(({ value }) => saysSomething(value));
  for (const { fields, why } of CONTRADICTIONS) {
    const [first, second] = set.filter(({ spec }) => fields.includes(spec.field));
    if (first === undefined || second === undefined) continue;
    throw configError(
      path,
      `"${second.key}" and "${first.key}" exclude each other: ${why}`,
      second.place,
    );
  }
}
