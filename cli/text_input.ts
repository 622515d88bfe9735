/**
 * Text that comes from outside: the message from stdin, `@file` values. Always UTF-8, always within a bound.
 */
import { CliError, messageOf, usageError } from "./failure.ts";
import { requirePermissions } from "./permission.ts";
import { oneLine } from "./terminal_text.ts";
import { formatBytes } from "./units.ts";

/** Bytes of a message or a file at most: 4 MiB, far beyond what any model takes, so that a wrong file is noticed before it is sent. */
export const MAX_INPUT_BYTES = 4 * 1024 * 1024;

/** stdin, as far as it is used. */
export interface InputStream {
  /** The bytes. */
  readonly readable: ReadableStream<Uint8Array>;
  /** Whether a person would have to type them. */
  isTerminal(): boolean;
}

/**
 * The message that the words of the command line make. A word `-` stands for what comes on stdin, and so does the absence of words unless stdin is a
 * terminal; in every other case stdin is not touched, so an open pipe that nobody writes to holds nothing up.
 *
 * @throws {CliError} `usage` when there is no message, `input` when stdin cannot be read as text.
 */
export async function readMessage(
  words: readonly string[],
  stdin: InputStream,
  signal: AbortSignal,
): Promise<string> {
  const wanted = words.includes("-") || (words.length === 0 && !stdin.isTerminal());
  if (!wanted) {
    const message = words.join(" ").trim();
    if (message !== "") return message;
    throw usageError(
      words.length === 0
        ? "what should be answered? Give a message: agentloop MESSAGE…"
        : "the message is empty",
    );
  }
  const input = (await readStream(stdin.readable, "stdin", signal)).trim();
  if (input === "") throw usageError("the message is empty: nothing came on stdin");
  const at = Math.max(0, words.indexOf("-"));
  const before = words.slice(0, at).join(" ");
  const after = words.slice(at + 1).join(" ");
  return [before, input, after].filter((part) => part !== "").join("\n\n");
}

/**
 * The value of an option that is text or `@FILE`; `@@` at the head stands for one `@`.
 *
 * @throws {CliError} `input` when the file cannot be read as text.
 * @throws the signal's reason when it ends: a pipe in the place of the file may never be written to.
 */
export async function readTextOption(
  name: string,
  value: string,
  { signal }: { readonly signal: AbortSignal },
): Promise<string> {
  if (value.startsWith("@@")) return value.slice(1);
  if (!value.startsWith("@")) return value;
  const path = value.slice(1);
  const what = `the file ${oneLine(path, 200)} for --${name}`;
  if (path === "") throw usageError(`--${name} @ names no file: --${name} @FILE`);
  requirePermissions([{ name: "read", path }], { problem: `Cannot read ${what}` });
  try {
    const file = await openUntil(path, signal);
    return await readStream(file.readable, what, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof CliError) throw error;
    throw new CliError("input", `Cannot read ${what}: ${reasonOf(error)}`, {
      cause: error,
      hint: `To give text that begins with @, write it twice: --${name} @@…`,
    });
  }
}

/** Opens a file. To open a pipe takes until somebody writes to it; who was told to end does not wait for that. */
async function openUntil(path: string, signal: AbortSignal): Promise<Deno.FsFile> {
  const stopped = Promise.withResolvers<never>();
  const stop = () => stopped.reject(signal.reason);
  signal.throwIfAborted();
  signal.addEventListener("abort", stop);
  try {
    return await Promise.race([Deno.open(path), stopped.promise]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

async function readStream(
  stream: ReadableStream<Uint8Array>,
  what: string,
  signal: AbortSignal,
): Promise<string> {
  const reader = stream.getReader();
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const stop = () => void reader.cancel(signal.reason).catch(() => {});
  signal.addEventListener("abort", stop);
  let text = "";
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) break;
      bytes += value.length;
      if (bytes > MAX_INPUT_BYTES) {
        stop();
        throw new CliError(
          "input",
          `Cannot use ${what}: it is larger than ${formatBytes(MAX_INPUT_BYTES)}.`,
        );
      }
      text += decoder.decode(value, { stream: true });
    }
    return text + decoder.decode();
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof CliError) throw error;
    const told = error instanceof TypeError
      ? `Cannot use ${what}: it is not UTF-8 text.`
      : `Cannot read ${what}: ${reasonOf(error)}`;
    throw new CliError("input", told, { cause: error });
  } finally {
    signal.removeEventListener("abort", stop);
    reader.releaseLock();
  }
}

/** The reason in a few words, without the runtime's error numbers. */
export function reasonOf(error: unknown): string {
  if (error instanceof Deno.errors.NotFound) return "there is no such file.";
  if (error instanceof Deno.errors.PermissionDenied) return "permission denied.";
  if (error instanceof Deno.errors.IsADirectory) return "it is a directory.";
  return messageOf(error);
}
