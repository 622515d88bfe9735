/** Names of tools, under rules that suit every provider, and the identifiers that scripts know them by. */

/**
 * The rules of the providers at once. OpenAI takes `[A-Za-z0-9_-]` up to 64 characters, Anthropic the same (newer models up to 128), Gemini wants a letter or
 * `_` first.
 */
const NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

/** Words that no function of a script can have as its name, names that the realm itself defines, and those of the language's own objects. */
const NO_IDENTIFIERS: ReadonlySet<string> = new Set(
  ("answer arguments await break case catch class console const continue debugger default delete do else enum eval export extends false finally for " +
    "function if implements import in instanceof interface let log new null package private protected public return run sleep static super switch this " +
    "throw true try typeof undefined var void while with yield __proto__ Array ArrayBuffer Atomics BigInt Boolean DataView Date Error EvalError Function " +
    "Infinity Intl Iterator JSON Map Math NaN Number Object Promise Proxy RangeError ReferenceError Reflect RegExp Set String Symbol SyntaxError TypeError " +
    "URIError WeakMap WeakRef WeakSet decodeURI decodeURIComponent encodeURI encodeURIComponent escape globalThis isFinite isNaN parseFloat parseInt unescape")
    .split(" "),
);

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
  if (!NO_IDENTIFIERS.has(identifier)) return identifier;
  throw new TypeError(
    `the tool "${name}" cannot be a function: scripts need the word ${identifier}`,
  );
}
