/** Types that are declared once and used by name: what a schema refers to more than once, and what contains itself. */
import type { JsonValue } from "../../contracts/json.ts";
import type { JsonSchema } from "../../contracts/tool.ts";
import { isObject, resolveRef, type SubSchema } from "./schema_node.ts";

/** A type that is declared. */
export interface SharedType {
  /** What it stands for, so that the same is not declared twice. */
  readonly meaning: string;
  /** Its text. */
  readonly text: string;
}

/** Types by name. */
export type SharedTypes = ReadonlyMap<string, SharedType>;

/** What came of writing one schema. */
export interface WrittenType {
  /** The type. */
  readonly text: string;
  /** Types that it needs and that were not declared before. */
  readonly added: SharedTypes;
}

/** Writes a schema; `nameOf` gives the name of what a reference leads to, where it has one. */
export type WriteType = (
  schema: SubSchema,
  nameOf: (ref: string) => string | undefined,
) => string;

/** Writes a schema together with the types that it shares. */
export function writeShared(
  root: JsonSchema,
  { declared, write }: { readonly declared: SharedTypes; readonly write: WriteType },
): WrittenType {
  const worthy = sharedRefs(root);
  const names = new Map<string, string>();
  const added = new Map<string, SharedType>();
  const waiting: string[] = [];
  const nameOf = (ref: string): string | undefined => {
    if (!worthy.has(ref)) return undefined;
    const known = names.get(ref);
    if (known !== undefined) return known;
    const meaning = meaningOf(root, ref);
    const name = freeName(ref, (taken) => {
      const is = declared.get(taken) ?? added.get(taken);
      return is !== undefined && is.meaning !== meaning;
    });
    names.set(ref, name);
    if (!declared.has(name)) {
      added.set(name, { meaning, text: "any" });
      waiting.push(ref);
    }
    return name;
  };
  const text = write(root, nameOf);
  for (let ref = waiting.shift(); ref !== undefined; ref = waiting.shift()) {
    const name = names.get(ref)!;
    added.set(name, { meaning: meaningOf(root, ref), text: write(resolveRef(root, ref)!, nameOf) });
  }
  return { text, added };
}

function meaningOf(root: JsonSchema, ref: string): string {
  const text = JSON.stringify(resolveRef(root, ref));
  return text.includes('"$ref"') ? text + JSON.stringify(root) : text;
}

function freeName(ref: string, taken: (name: string) => boolean): string {
  const last = ref.split("/").at(-1)!.replace(/[^A-Za-z0-9]+/g, "_").replace(/^[\d_]+|_+$/g, "");
  const base = ref === "#" || last === "" ? "Args" : last[0]!.toUpperCase() + last.slice(1);
  let name = base;
  for (let number = 2; taken(name); number++) name = `${base}${number}`;
  return name;
}

/** References that stand in a schema more than once, or lead to what contains them. */
function sharedRefs(root: JsonSchema): ReadonlySet<string> {
  const counts = new Map<string, number>();
  for (const ref of refsIn(root)) counts.set(ref, (counts.get(ref) ?? 0) + 1);
  return new Set(
    [...counts].filter(([ref, count]) => count > 1 || reaches(root, ref)).map(([ref]) => ref),
  );
}

function reaches(root: JsonSchema, start: string): boolean {
  const seen = new Set<string>();
  const waiting = [start];
  for (let ref = waiting.pop(); ref !== undefined; ref = waiting.pop()) {
    for (const next of refsIn(resolveRef(root, ref) ?? true)) {
      if (next === start) return true;
      if (!seen.has(next)) waiting.push(next);
      seen.add(next);
    }
  }
  return false;
}

function refsIn(value: JsonValue): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(refsIn);
  if (!isObject(value)) return [];
  const own = typeof value.$ref === "string" ? [value.$ref] : [];
  return [...own, ...Object.values(value).flatMap(refsIn)];
}
