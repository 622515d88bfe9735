/** Dates and numbers in words, for realms, whose engine has no Intl. Takes plain data that a script made up, and gives text or says why not. */
import type { FormatRequest } from "./realm_intl.ts";

/** More than any locale needs; `Intl` itself bounds the digits. */
const MAX_REQUEST_CHARACTERS = 2_000;

/** The text, behind `+`; or why there is none, behind `!`. Times are UTC unless the options name a zone. */
export function formatForRealm(requestJson: string): string {
  if (requestJson.length > MAX_REQUEST_CHARACTERS) return "!the locale or its options are too long";
  try {
    const { kind, method, value, locales, options } = JSON.parse(requestJson) as FormatRequest;
    const given = locales as string | string[] | undefined;
    if (kind === "number") {
      return "+" + value.toLocaleString(given ?? "en-US", options as Intl.NumberFormatOptions);
    }
    const date = new Date(value);
    const inUtc = { timeZone: "UTC", ...options as Intl.DateTimeFormatOptions };
    return "+" + date[method](given ?? "en-US", inUtc);
  } catch (error) {
    return "!" + (error instanceof Error ? error.message : "it cannot be formatted");
  }
}
