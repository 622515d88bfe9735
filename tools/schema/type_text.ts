/**
 * A JSON Schema as a TypeScript type: the shortest form in which models know how to read one. What a type cannot say stands in a short comment, or is left to the
 * check of the arguments.
 */
import type { JsonValue } from "../../contracts/json.ts";
import type { JsonSchema } from "../../contracts/tool.ts";
import { factsOf } from "./type_comment.ts";
import {
  isObject,
  resolveRef,
  schemaList,
  schemaMap,
  type SubSchema,
  subSchema,
  typesOf,
} from "./schema_node.ts";

/** How a type is written. */
export interface TypeTextOptions {
  /** The schema that references lead into. */
  readonly root: JsonSchema;
  /** How many objects and lists may stand in each other; what lies deeper is `object` or `any[]`. @default 8 */
  readonly depth?: number;
  /** Whether descriptions, ranges, defaults and formats stand beside members. @default false */
  readonly comments?: boolean;
  /** What the reader has read of the whole; a description that says no more is left out. @default "" */
  readonly known?: string;
  /** The name of a type that is declared elsewhere for what a reference leads to. @default it is written out; `any` where it contains itself */
  readonly nameOf?: (ref: string) => string | undefined;
  /** Told when something was left out for its depth or number. */
  readonly onCut?: () => void;
}

/** Schemas that are written out: references can make a small schema into a long text. */
const MAX_PARTS = 2_000;
/** Values that are written out; more are told by their type. */
const MAX_CHOICES = 40;

/** The type that a schema stands for. */
export function typeText(schema: SubSchema, options: TypeTextOptions): string {
  return write(schema, {
    options,
    depth: options.depth ?? 8,
    within: [],
    left: { count: MAX_PARTS },
  });
}

/** A type in a few words, for messages. */
export function briefType(schema: SubSchema | undefined, root: JsonSchema): string {
  if (schema === undefined) return "a value";
  for (const depth of [2, 1]) {
    const text = typeText(schema, { root, depth });
    if (text.length <= 100) return text === "any" ? "a value" : text;
  }
  return isObject(schema) ? typesOf(schema)?.join(" or ") ?? "another value" : "another value";
}

interface Writer {
  readonly options: TypeTextOptions;
  /** How many levels may follow. */
  readonly depth: number;
  /** References that are being written out. */
  readonly within: readonly string[];
  /** How many schemas may still be written. */
  readonly left: { count: number };
}

function write(schema: SubSchema, writer: Writer): string {
  if (typeof schema === "boolean") return schema ? "any" : "never";
  if (writer.left.count-- <= 0) return cut("any", writer);
  const { $ref, const: constant, enum: choices } = schema;
  if (typeof $ref === "string") return writeRef($ref, writer);
  if (constant !== undefined) return JSON.stringify(constant);
  if (Array.isArray(choices)) {
    if (choices.length <= MAX_CHOICES) {
      return union(choices.map((choice) => JSON.stringify(choice)));
    }
    writer.options.onCut?.();
    return union([...new Set(choices.map((choice) => choice === null ? "null" : typeof choice))]);
  }
  const joined = [base(schema, writer), ...unions(schema, writer), ...all(schema, writer)]
    .filter((part) => part !== "any");
  if (joined.length <= 1) return joined[0] ?? "any";
  return joined.map((part) => needsParentheses(part) ? `(${part})` : part).join(" & ");
}

function writeRef(ref: string, writer: Writer): string {
  const name = writer.options.nameOf?.(ref);
  if (name !== undefined) return name;
  const target = resolveRef(writer.options.root, ref);
  if (target === undefined || writer.within.includes(ref)) {
    writer.options.onCut?.();
    return "any";
  }
  return write(target, { ...writer, within: [...writer.within, ref] });
}

/** What the types that a schema names stand for; where it names none, what its other keywords speak of. */
function base(schema: JsonSchema, writer: Writer): string {
  const types = typesOf(schema) ?? impliedTypes(schema);
  return types.length === 0 ? "any" : union(types.map((type) => ofType(type, schema, writer)));
}

function impliedTypes(schema: JsonSchema): readonly string[] {
  if ("properties" in schema || "additionalProperties" in schema) return ["object"];
  return "items" in schema || "prefixItems" in schema ? ["array"] : [];
}

function ofType(type: string, schema: JsonSchema, writer: Writer): string {
  switch (type) {
    case "integer":
      return "number";
    case "array":
      return arrayText(schema, writer);
    case "object":
      return objectText(schema, writer);
    default:
      return type;
  }
}

function arrayText(schema: JsonSchema, writer: Writer): string {
  const first = schemaList(schema, "prefixItems");
  const rest = subSchema(schema, "items");
  if (first === undefined && rest === undefined) return "any[]";
  if (writer.depth <= 0) return cut("any[]", writer);
  const inner = { ...writer, depth: writer.depth - 1 };
  const item = rest === undefined || rest === false ? undefined : arrayOf(write(rest, inner));
  if (first === undefined) return item ?? "[]";
  const items = first.map((part) => write(part, inner));
  return `[${[...items, ...(item === undefined ? [] : [`...${item}`])].join(", ")}]`;
}

function arrayOf(item: string): string {
  return needsParentheses(item) ? `(${item})[]` : `${item}[]`;
}

function objectText(schema: JsonSchema, writer: Writer): string {
  const properties = Object.entries(schemaMap(schema, "properties") ?? {});
  const others = [
    ...Object.values(schemaMap(schema, "patternProperties") ?? {}),
    ...[subSchema(schema, "additionalProperties")].filter((found) => isObject(found)),
  ] as readonly SubSchema[];
  if (properties.length === 0 && others.length === 0) {
    return schema.additionalProperties === false ? "{}" : "Record<string, any>";
  }
  if (writer.depth <= 0) return cut("object", writer);
  const inner = { ...writer, depth: writer.depth - 1 };
  const values = union(others.map((other) => write(other, inner)));
  if (properties.length === 0) return `Record<string, ${values}>`;
  const required = new Set(schema.required as readonly string[] | undefined);
  const members = properties.map(([name, member]) =>
    `${memberName(name)}${required.has(name) ? "" : "?"}: ${write(member, inner)}${
      comment(name, member, writer)
    }`
  );
  if (others.length > 0) members.push(`[key: string]: ${values}`);
  return `{ ${members.join("; ")} }`;
}

function comment(name: string, member: SubSchema, { options }: Writer): string {
  if (options.comments !== true || !isObject(member)) return "";
  const facts = factsOf(member, `${name} ${options.known ?? ""}`);
  return facts === "" ? "" : ` /* ${facts} */`;
}

function cut(text: string, { options }: Writer): string {
  options.onCut?.();
  return text;
}

function unions(schema: JsonSchema, writer: Writer): readonly string[] {
  return ["anyOf", "oneOf"].flatMap((keyword) => {
    const branches = schemaList(schema, keyword)?.map((branch) => write(branch, writer));
    return branches === undefined ? [] : [union(branches)];
  });
}

function all(schema: JsonSchema, writer: Writer): readonly string[] {
  return (schemaList(schema, "allOf") ?? []).map((part) => write(part, writer));
}

/** Alternatives; `any` among them is all that can be said. */
function union(parts: readonly string[]): string {
  const different = [...new Set(parts)];
  return different.includes("any") ? "any" : different.join(" | ");
}

/** Whether a text has a `|` or `&` outside of brackets and quotes. */
function needsParentheses(text: string): boolean {
  let depth = 0;
  for (const [token] of text.matchAll(/"(?:\\.|[^"\\])*"|\/\*.*?\*\/|[[\]{}()<>|&]/gs)) {
    if ("[{(<".includes(token)) depth++;
    else if ("]})>".includes(token)) depth--;
    else if (depth === 0 && (token === "|" || token === "&")) return true;
  }
  return false;
}

/** The name of a member: an identifier, else quoted. */
function memberName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name satisfies JsonValue);
}
