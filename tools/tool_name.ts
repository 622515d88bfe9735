/** Names of tools, under rules that suit every provider, and the identifiers that scripts know them by. */
import { SCRIPT_WORDS } from "../contracts/script_words.ts";

/**
 * The rules of the providers at once. OpenAI takes `[A-Za-z0-9_-]` up to 64 characters, Anthropic the same (newer models up to 128), Gemini wants a letter or
 * `_` first.
 */
const NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

/**
 * Checks a tool's name.
 *
 * @throws {TypeError} when providers would refuse it.
 */
export function checkToolName(name: unknown): asserts name is string {
  if (typeof name === "string" && NAME.test(name)) return;
  throw new TypeError(
    `${
      JSON.stringify(name)?.slice(0, 100)
    } is no name of a tool: letters, digits, "_" and "-", first a letter or "_", at most 64 characters`,
  );
}

/**
 * The name of a tool in scripts: `-` becomes `_`.
 *
 * @throws {TypeError} when it is a word that scripts need.
 */
export function scriptName(name: string): string {
  const identifier = name.replaceAll("-", "_");
  if (!SCRIPT_WORDS.has(identifier)) return identifier;
  throw new TypeError(
    `the tool "${name}" cannot be a function: scripts need the word ${identifier}`,
  );
}
