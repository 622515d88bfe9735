/**
 * Runs inside the guest realm: dates and numbers in words. The engine has no Intl and would ignore a locale and its options without a word, so the
 * formatting is done by the runtime around it, which has all of it. Sent to the realm as text.
 */
import type { Intrinsics } from "./realm_intrinsics.ts";

/** What is to be formatted, as the realm asks for it. */
export interface FormatRequest {
  /** A method of `Date.prototype` or `Number.prototype`. */
  readonly method: "toLocaleString" | "toLocaleDateString" | "toLocaleTimeString";
  readonly kind: "date" | "number";
  readonly value: number;
  readonly locales?: unknown;
  readonly options?: unknown;
}

/** Puts the `toLocale…` methods and the two formats of `Intl` that models use into the realm. */
export function installIntl(
  host: (operation: "format", text: string) => string,
  intrinsics: Intrinsics,
): void {
  const { apply, defineProperty, setPrototypeOf, stringify, slice, rangeError, typeError } =
    intrinsics;
  const getTime = Date.prototype.getTime;
  const valueOf = Number.prototype.valueOf;

  function format(request: FormatRequest): string {
    const reply = host("format", stringify(setPrototypeOf(request, null)));
    if (reply[0] === "!") throw rangeError(slice(reply, 1));
    return slice(reply, 1);
  }
  function define(on: object, name: string, value: unknown): void {
    defineProperty(on, name, { value, writable: true, enumerable: false, configurable: true });
  }
  function dateMethod(method: FormatRequest["method"]): unknown {
    return {
      [method](this: Date, locales?: unknown, options?: unknown): string {
        const value = apply(getTime, this, []) as number;
        if (value !== value) return "Invalid Date";
        return format({ method, kind: "date", value, locales, options });
      },
    }[method];
  }
  define(Date.prototype, "toLocaleString", dateMethod("toLocaleString"));
  define(Date.prototype, "toLocaleDateString", dateMethod("toLocaleDateString"));
  define(Date.prototype, "toLocaleTimeString", dateMethod("toLocaleTimeString"));
  define(
    Number.prototype,
    "toLocaleString",
    function (this: number, locales?: unknown, options?: unknown): string {
      const value = apply(valueOf, this, []) as number;
      if (!intrinsics.isFinite(value)) return intrinsics.toText(value);
      return format({ method: "toLocaleString", kind: "number", value, locales, options });
    },
  );

  /** A constructor that, like the standard's, may be called without `new`. */
  function formatter(kind: FormatRequest["kind"]): unknown {
    const method = kind === "date" ? "toLocaleDateString" : "toLocaleString";
    function Formatter(locales?: unknown, options?: unknown): object {
      const made = setPrototypeOf({}, Formatter.prototype);
      define(made, "format", (value?: unknown): string => {
        const number = value === undefined && kind === "date" ? Date.now() : Number(value);
        if (kind === "date" && number !== number) throw rangeError("Invalid time value");
        if (!intrinsics.isFinite(number)) return intrinsics.toText(number);
        return format({ method, kind, value: number, locales, options });
      });
      return made;
    }
    return Formatter;
  }
  /** A constructor that says what there is instead. */
  function missing(name: string): unknown {
    return function (): never {
      throw typeError(
        "Intl." + name +
          " is not here; there are DateTimeFormat and NumberFormat, each with format()",
      );
    };
  }
  const Intl = {};
  define(Intl, "DateTimeFormat", formatter("date"));
  define(Intl, "NumberFormat", formatter("number"));
  const absent = [
    "Collator",
    "ListFormat",
    "PluralRules",
    "RelativeTimeFormat",
    "Segmenter",
    "DisplayNames",
  ];
  for (let i = 0; i < absent.length; i++) {
    const name = absent[i]!;
    define(Intl, name, missing(name));
  }
  define(globalThis, "Intl", Intl);
}
