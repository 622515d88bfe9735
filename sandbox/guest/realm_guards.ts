/**
 * Runs inside the guest realm: bounds the length that Array methods accept. The engine does not poll its interrupt inside
 * these builtins, so `new Array(2 ** 32 - 1).join("x")` could only be stopped by killing the process. Sent to the realm as text.
 */
import type { Intrinsics } from "./realm_intrinsics.ts";

/** Wraps the methods that walk from 0 to `length` without a poll. */
export function installGuards(intrinsics: Intrinsics): void {
  const { apply, defineProperty, rangeError, toText } = intrinsics;
  // A walk over this many empty slots takes about a second; no memory limit allows as many real elements.
  const MAX_LENGTH = 20_000_000;
  const METHODS = [
    "join",
    "indexOf",
    "lastIndexOf",
    "includes",
    "forEach",
    "map",
    "filter",
    "some",
    "every",
    "find",
    "findIndex",
    "findLast",
    "findLastIndex",
    "fill",
    "reverse",
    "sort",
    "reduce",
    "reduceRight",
    "slice",
    "splice",
    "concat",
    "flat",
    "flatMap",
    "copyWithin",
    "shift",
    "unshift",
    "toString",
    "toLocaleString",
    "toReversed",
    "toSorted",
    "toSpliced",
    "with",
  ];
  const prototype = Array.prototype as unknown as Record<string, unknown>;
  for (let i = 0; i < METHODS.length; i++) {
    const name = METHODS[i]!;
    const original = prototype[name];
    if (typeof original !== "function") continue;
    const guarded = {
      [name](this: { length?: unknown } | null | undefined, ...args: unknown[]): unknown {
        const length = this === null || this === undefined ? 0 : this.length;
        if (typeof length === "number" && length > MAX_LENGTH) {
          throw rangeError(
            "Array.prototype." + name + ": the length " + toText(length) +
              " is over the limit of " +
              toText(MAX_LENGTH),
          );
        }
        return apply(original, this, args);
      },
    };
    const value = guarded[name]!;
    defineProperty(value, "length", {
      value: (original as { length: number }).length,
      configurable: true,
    });
    defineProperty(prototype, name, {
      value,
      writable: true,
      enumerable: false,
      configurable: true,
    });
  }
}
