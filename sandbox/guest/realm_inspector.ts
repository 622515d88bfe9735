/**
 * Runs inside the guest realm: shows any value as one short text, for the log and for what a script threw. Never throws but at the
 * engine's own limits, reads nothing twice, and is bounded in depth, items and length. Sent to the realm as text.
 */
import type { Intrinsics } from "./realm_intrinsics.ts";

/** How values are shown. */
export interface Inspector {
  /** A value as one text; a string is shown as it is. At most `maxLength` UTF-16 units, head and tail kept. */
  show(value: unknown, maxLength: number): string;
  /** What was thrown, and the stack that the engine noted, if any. */
  describe(error: unknown): { text: string; stack: string; name: string };
  /** Cuts the middle out of a text that is too long. */
  clip(text: string, maxLength: number): string;
}

/** Makes the inspector. */
export function createInspector(intrinsics: Intrinsics): Inspector {
  const { isArray, keys, stringify, slice, toText, brandOf, newSet, functionName, symbolText, is } =
    intrinsics;
  const MAX_DEPTH = 5;
  const MAX_ITEMS = 100;
  const MAX_TEXT = 2000;

  function clip(text: string, maxLength: number): string {
    if (text.length <= maxLength) return text;
    const half = intrinsics.floor(maxLength / 2);
    const left = toText(text.length - 2 * half);
    return slice(text, 0, half) + "…[" + left + " characters left out]…" +
      slice(text, text.length - half);
  }

  function member(value: object, key: string): unknown {
    try {
      return (value as Record<string, unknown>)[key];
    } catch {
      return undefined;
    }
  }

  function show(value: unknown, maxLength: number): string {
    const seen = newSet();
    let room = maxLength;

    function item(at: unknown, depth: number): string {
      const text = typeof at === "string"
        ? stringify(clip(at, room > 200 ? room : 200))
        : other(at, depth);
      room -= text.length;
      return text;
    }
    function other(at: unknown, depth: number): string {
      switch (typeof at) {
        case "symbol":
          return symbolText(at);
        case "bigint":
          return toText(at) + "n";
        case "function":
          return "[function " + functionName(at) + "]";
        case "object":
          return at === null ? "null" : object(at, depth);
        default:
          return is(at, -0) ? "-0" : toText(at);
      }
    }
    function object(at: object, depth: number): string {
      if (seen.has(at)) return "[circular]";
      if (depth > MAX_DEPTH || room <= 0) return isArray(at) ? "[…]" : "{…}";
      seen.add(at);
      try {
        return body(at, depth);
      } catch {
        return "[unreadable]";
      } finally {
        seen.delete(at);
      }
    }
    function body(at: object, depth: number): string {
      switch (brandOf(at)) {
        case "array":
          return "[" + list(at as unknown[], depth) + "]";
        case "promise":
          return "[Promise: await it]";
        case "date":
          return intrinsics.dateText(at) ?? "Invalid Date";
        case "error": {
          const described = describe(at);
          return described.text;
        }
        case "map":
        case "set":
        case "bytes":
        case "regexp":
        case "wrapper":
        case "boxed":
        case "weak":
          return special(at, depth);
        default:
          return "{" + members(at, depth) + "}";
      }
    }
    function list(at: readonly unknown[], depth: number): string {
      let text = "";
      const length = at.length;
      for (let i = 0; i < length; i++) {
        if (i >= MAX_ITEMS || room <= 0) return text + ", … " + toText(length - i) + " more";
        text += (i > 0 ? ", " : "") + item(at[i], depth + 1);
      }
      return text;
    }
    function members(at: object, depth: number): string {
      const names = keys(at);
      let text = "";
      for (let i = 0; i < names.length; i++) {
        if (i >= MAX_ITEMS || room <= 0) return text + ", … " + toText(names.length - i) + " more";
        text += (i > 0 ? ", " : "") + stringify(names[i]) + ": " +
          item(member(at, names[i]!), depth + 1);
      }
      return text;
    }
    function special(at: object, depth: number): string {
      const brand = brandOf(at);
      if (brand === "map" || brand === "set") {
        intrinsics.apply(brand === "map" ? mapForEach : setForEach, at, [collect]);
        const shown = list(collected, depth);
        collected = intrinsics.setPrototypeOf([], null);
        return brand === "map" ? "Map(" + shown + ")" : "Set(" + shown + ")";
      }
      if (brand === "bytes") return "[bytes]";
      if (brand === "boxed") return "[boxed]";
      if (brand === "weak") return "[weak collection]";
      return toText(at);
    }

    if (typeof value === "string") return clip(value, maxLength);
    return clip(item(value, 0), maxLength);
  }

  let collected: unknown[] = intrinsics.setPrototypeOf([], null);
  const mapForEach = Map.prototype.forEach;
  const setForEach = Set.prototype.forEach;
  function collect(value: unknown, key: unknown): void {
    if (collected.length > MAX_ITEMS) return;
    collected[collected.length] = value === key
      ? value
      : intrinsics.setPrototypeOf([key, value], null);
  }

  function describe(error: unknown): { text: string; stack: string; name: string } {
    let text = "", stack = "", name = "";
    let at: unknown = error;
    for (let depth = 0; depth < 4; depth++) {
      const described = describeOne(at);
      text += (depth > 0 ? " (cause: " : "") + described.text;
      if (depth === 0) {
        stack = described.stack;
        name = described.name;
      }
      const cause: unknown = typeof at === "object" && at !== null && brandIs(at, "error")
        ? member(at, "cause")
        : undefined;
      if (cause === undefined || cause === at) {
        for (let i = 0; i < depth; i++) text += ")";
        break;
      }
      at = cause;
    }
    return { text: clip(text, MAX_TEXT), stack: slice(stack, 0, 4000), name };
  }

  function brandIs(at: object, brand: string): boolean {
    try {
      return brandOf(at) === brand;
    } catch {
      return false;
    }
  }

  function describeOne(error: unknown): { text: string; stack: string; name: string } {
    if (typeof error !== "object" || error === null || !brandIs(error, "error")) {
      const text = error === "" ? "(an empty string)" : show(error, MAX_TEXT);
      return { text, stack: "", name: "" };
    }
    const name = member(error, "name");
    const message = member(error, "message");
    const stack = member(error, "stack");
    const safeName = typeof name === "string" && name !== "" ? slice(name, 0, 100) : "Error";
    const safeMessage = typeof message === "string" ? clip(message, MAX_TEXT) : "";
    return {
      text: safeMessage === "" ? safeName : safeName + ": " + safeMessage,
      stack: typeof stack === "string" ? stack : "",
      name: safeName,
    };
  }

  return { show, describe, clip };
}
