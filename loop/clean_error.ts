/**
 * Makes what a host function threw fit for a script: a name and a short message, without stack, control characters or paths of the host.
 */
import { clipMiddle } from "./utf8.ts";

/** What a script may know of an error. */
export interface CleanError {
  /** The error's name, when it has one. */
  readonly name?: string;
  /** The message; never empty. */
  readonly message: string;
}

/** A message is cut to this many bytes. */
const MAX_MESSAGE_BYTES = 1024;
/** Only so much of a message is cleaned at all. */
const MAX_RAW_CHARACTERS = 16_384;

/** A thrown value as a script may see it. Never throws, whatever was thrown. */
export function cleanError(thrown: unknown): CleanError {
  const name = readText(thrown, "name");
  const message = cleanMessage(
    typeof thrown === "string" ? thrown : readText(thrown, "message") ?? "",
  );
  return {
    ...(name !== undefined && /^[A-Z]\w{0,39}$/.test(name) ? { name } : {}),
    message: message === "" ? "it failed without saying why" : message,
  };
}

/** A message without stack lines, escapes and host paths, cut to 1 KiB. */
export function cleanMessage(text: string): string {
  const cleaned = text.slice(0, MAX_RAW_CHARACTERS)
    .replace(ANSI_ESCAPE, "")
    .replace(/^[ \t]+at [^\n]*$/gm, "")
    .replace(HOST_PATH, (_path, name: string) => name)
    .replace(/[^\P{Cc}\n]+/gu, " ")
    .replace(/\n{2,}/g, "\n")
    .trim();
  return clipMiddle(cleaned, MAX_MESSAGE_BYTES);
}

// deno-lint-ignore no-control-regex
const ANSI_ESCAPE = /\x1b\[[0-9;?]*[A-Za-z]/g;

/** Absolute paths below the roots that operating systems have, and file URLs; the last segment is what remains. */
const HOST_PATH =
  /(?:file:\/\/\/?|\b[A-Za-z]:\\|(?<![\w.:/-])\/(?:home|Users|root|tmp|var|usr|etc|opt|private|mnt|srv|run|proc|dev|Volumes)\/)(?:[^\s"'`<>|:*?/\\]+[/\\])*([^\s"'`<>|:*?/\\]*)/g;

/** Reads a text property of a thrown value; getters that throw count as absent. */
function readText(value: unknown, key: "name" | "message"): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  try {
    const text: unknown = Reflect.get(value, key);
    return typeof text === "string" ? text : undefined;
  } catch {
    return undefined;
  }
}
