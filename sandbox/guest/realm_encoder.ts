/**
 * Runs inside the guest realm: turns a value into JSON text without losing anything in silence. What JSON cannot hold is refused
 * with its path; the few conversions that lose a type but not the value are noted. Each property is read once, into a copy
 * without prototypes, so that no `toJSON` and no getter has a second say. Sent to the realm as text.
 */
import type { Intrinsics } from "./realm_intrinsics.ts";

/** What came of encoding one value. */
export type Encoded =
  | { readonly ok: true; readonly text: string | undefined; readonly notes: readonly string[] }
  | { readonly ok: false; readonly kind: "result" | "limit"; readonly message: string };

/** Encodes one value; `path` names it in messages. Throws only what the value's own getters and traps throw. */
export type Encoder = (value: unknown, path: string, maxBytes: number) => Encoded;

/** Makes the encoder. */
export function createEncoder(intrinsics: Intrinsics): Encoder {
  const { isArray, keys, setPrototypeOf, stringify, slice, toText, isFinite, is, brandOf, newSet } =
    intrinsics;
  // Deeper data overflows the engine's stack when it is read back; nothing a person would write comes near.
  const MAX_DEPTH = 100;
  const MAX_NOTES = 20;
  const REFUSED = { kind: "result" as "result" | "limit", message: "" };
  const HINTS: Record<string, string> = {
    promise: "a Promise; await it (several: await Promise.all([...]))",
    map: "a Map; convert it with Object.fromEntries(map) or [...map]",
    set: "a Set; convert it with [...set]",
    regexp: "a RegExp; use its source text",
    bytes: "binary data; Array.from(bytes) makes a list of numbers of it",
    boxed: "an object around a BigInt or Symbol",
    weak: "a weak collection, which has no contents to keep",
  };

  function refuse(kind: "result" | "limit", message: string): never {
    REFUSED.kind = kind;
    REFUSED.message = message;
    throw REFUSED;
  }

  return function encode(value, path, maxBytes) {
    const ancestors = newSet();
    const notes: string[] = setPrototypeOf([], null);
    let bytes = 0;

    function note(at: string, text: string): void {
      if (notes.length < MAX_NOTES) notes[notes.length] = at + ": " + text;
    }
    function spend(count: number): void {
      bytes += count;
      if (bytes > maxBytes) {
        refuse("limit", path + " takes more than " + toText(maxBytes) + " bytes as JSON");
      }
    }
    function child(at: string, key: string): string {
      if (at.length > 300) return at;
      return at + (plainKey(key) ? "." + key : "[" + stringify(slice(key, 0, 60)) + "]");
    }
    function plainKey(key: string): boolean {
      if (key.length === 0 || key.length > 60) return false;
      for (let i = 0; i < key.length; i++) {
        const c = key[i]!;
        const word = (c >= "a" && c <= "z") || (c >= "A" && c <= "Z") || c === "_" || c === "$" ||
          (i > 0 && c >= "0" && c <= "9");
        if (!word) return false;
      }
      return true;
    }

    /** The copy of one value; `undefined` means that JSON leaves it out. */
    function copy(item: unknown, at: string, depth: number): unknown {
      switch (typeof item) {
        case "string":
          spend(item.length + 2);
          return item;
        case "number":
          spend(1);
          if (isFinite(item)) {
            if (is(item, -0)) note(at, "-0 stored as 0");
            return item;
          }
          note(at, toText(item) + " stored as null");
          return null;
        case "boolean":
          spend(4);
          return item;
        case "undefined":
          return undefined;
        case "bigint":
          return refuse("result", at + " is a BigInt; convert it with Number(x) or String(x)");
        case "symbol":
          return refuse("result", at + " is a Symbol");
        case "function":
          return refuse("result", at + " is a function; return the data it would give");
        default:
          return item === null ? (spend(4), null) : copyObject(item as object, at, depth);
      }
    }

    function copyObject(item: object, at: string, depth: number): unknown {
      if (depth > MAX_DEPTH) {
        refuse("limit", at + " is nested deeper than " + toText(MAX_DEPTH) + " levels");
      }
      const brand = brandOf(item);
      if (HINTS[brand] !== undefined) refuse("result", at + " is " + HINTS[brand]);
      if (brand === "date") {
        const text = intrinsics.dateText(item);
        note(at, text === null ? "invalid Date stored as null" : "Date stored as text");
        spend(26);
        return text;
      }
      if (brand === "wrapper") {
        const inner = intrinsics.parse(stringify(item)) as unknown;
        return copy(inner, at, depth);
      }
      if (ancestors.has(item)) {
        refuse("result", at + " refers back to one of its own parents (a cycle)");
      }
      ancestors.add(item);
      const result = isArray(item)
        ? copyArray(item, at, depth)
        : copyRecord(item, brand, at, depth);
      ancestors.delete(item);
      return result;
    }

    function copyArray(item: readonly unknown[], at: string, depth: number): unknown[] {
      const length = item.length;
      // Brackets, and a comma between two elements.
      spend(length > 0 ? length + 1 : 2);
      const target: unknown[] = setPrototypeOf([], null);
      let holes = 0;
      for (let i = 0; i < length; i++) {
        const element = copy(item[i], at + "[" + toText(i) + "]", depth + 1);
        if (element === undefined) holes++;
        target[i] = element === undefined ? null : element;
      }
      if (holes > 0) {
        note(at, toText(holes) + " undefined element" + (holes > 1 ? "s" : "") + " stored as null");
      }
      return target;
    }

    function copyRecord(item: object, brand: string, at: string, depth: number): object {
      const target = setPrototypeOf({} as Record<string, unknown>, null);
      if (brand === "error") {
        note(at, "Error stored as { name, message }");
        const { name, message } = item as Error;
        target["name"] = copy(typeof name === "string" ? name : "Error", at, depth + 1);
        target["message"] = copy(typeof message === "string" ? message : "", at, depth + 1);
      } else if (brand === "instance") {
        note(at, "an object of a class stored as plain data; its methods are gone");
      }
      // Braces; quotes, colon and comma come with each member, of which the last has no comma.
      spend(1);
      const names = keys(item);
      for (let i = 0; i < names.length; i++) {
        const name = names[i]!;
        const member = copy((item as Record<string, unknown>)[name], child(at, name), depth + 1);
        if (member === undefined) continue;
        spend(name.length + 4);
        target[name] = member;
      }
      return target;
    }

    try {
      const copied = copy(value, path, 0);
      if (copied === undefined) return { ok: true, text: undefined, notes };
      const text = stringify(copied);
      if (text.length > maxBytes) {
        return {
          ok: false,
          kind: "limit",
          message: path + " takes more than " + toText(maxBytes) + " bytes as JSON",
        };
      }
      return { ok: true, text, notes };
    } catch (error) {
      if (error !== REFUSED) throw error;
      return { ok: false, kind: REFUSED.kind, message: REFUSED.message };
    }
  };
}
