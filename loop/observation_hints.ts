/**
 * What an observation adds to a bare outcome, because models go wrong there again and again: small ones repeat a script word for word, forget that nothing
 * but args survives, and leave an await out. Each was seen to mend the next reply.
 */
import type { Execution, ExecutionFailure } from "../contracts/sandbox.ts";
import { callsRun, declaredNames } from "./code_scan.ts";
import { DISCOVER_TOOLS } from "./discover_wish.ts";

/** What the hints are made from. */
export interface HintInput {
  readonly execution: Execution;
  readonly source: string;
  readonly earlierScripts: readonly string[];
  readonly hadArgs: boolean;
  readonly functions: Iterable<string>;
}

/** So much of the line that failed is quoted. */
const MAX_QUOTED_CHARACTERS = 160;

/** The line that failed, and what may have been meant. */
export function failureHints(failure: ExecutionFailure, given: HintInput): string[] {
  const input = { ...given, functions: [...given.functions] };
  const line = failure.line === undefined
    ? undefined
    : input.source.split("\n")[failure.line - 1]?.trim();
  return [
    ...(line ? [`  ${failure.line} | ${line.slice(0, MAX_QUOTED_CHARACTERS).toWellFormed()}`] : []),
    ...redefineHint(failure, input.earlierScripts),
    ...absentHint(failure),
    ...discoverHint(failure, input),
    ...moduleHint(failure, line ?? ""),
    ...brokenStringHint(failure),
    ...ownCallHint(failure, input),
    ...awaitHint(failure, line ?? "", input),
  ];
}

/** The name that a script used and that is not there. */
function missingName({ kind, message }: ExecutionFailure): string | undefined {
  if (kind !== "threw") return undefined;
  return /ReferenceError: ['"]?([A-Za-z_$][\w$]*)['"]? is not defined/.exec(message)?.[1];
}

/** What models take for granted and a script does not have, with what there is instead. */
const ABSENT: Readonly<Record<string, string>> = {
  setTimeout: "use sleep(ms)",
  setInterval: "use a loop with sleep(ms)",
  setImmediate: "use sleep(0)",
  structuredClone: "use JSON.parse(JSON.stringify(value))",
  performance: "use Date.now(), which moves at host calls only",
  require: "there are no modules",
  process: "this is no Node",
  Buffer: "this is no Node; use Array.from(text, ...) or plain strings",
  URL: "take the text apart with split and a regular expression",
  URLSearchParams: "join the pairs with encodeURIComponent",
  TextEncoder: "use encodeURIComponent or charCodeAt",
  TextDecoder: "use decodeURIComponent or String.fromCharCode",
  crypto: "use Math.random()",
  fetch: "no host function of that name is declared",
  document: "this is no browser",
  window: "this is no browser",
};

function absentHint(failure: ExecutionFailure): string[] {
  const name = missingName(failure);
  if (name === undefined || !Object.hasOwn(ABSENT, name)) return [];
  return [`there is no ${name} here: ${ABSENT[name]}`];
}

/** A function that was found in this very block, or that may still be found. */
function discoverHint(
  failure: ExecutionFailure,
  { functions, earlierScripts }: HintInput & { readonly functions: readonly string[] },
): string[] {
  const name = missingName(failure);
  if (name === undefined || !functions.includes(DISCOVER_TOOLS.name)) return [];
  if (functions.includes(name)) return [`${name} can be called from your next turn on`];
  const isOwn = Object.hasOwn(ABSENT, name) ||
    earlierScripts.some((source) => declaredNames(source).has(name));
  return isOwn
    ? []
    : [`if ${name} is a function to be found: ${DISCOVER_TOOLS.name}({ names: ["${name}"] })`];
}

/** The engine's words on an import or export that is not in a module help nobody. */
function moduleHint({ kind }: ExecutionFailure, line: string): string[] {
  const word = kind === "syntax" ? /^(import|export)\b/.exec(line)?.[1] : undefined;
  return word === undefined
    ? []
    : [`leave ${word} away: a block is a plain script, without modules`];
}

/** A line break in a string: most of all where a script came as JSON, in which `\n` is one. */
function brokenStringHint({ kind, message }: ExecutionFailure): string[] {
  if (kind !== "syntax" || !message.includes("unexpected end of string")) return [];
  return [
    "a line break stands in that string: write \\n there, in the JSON of a call \\\\n, or use a template",
  ];
}

/** A script that calls run itself, with data that the call which counts does not have. */
function ownCallHint({ kind }: ExecutionFailure, { source, hadArgs }: HintInput): string[] {
  if (kind !== "threw" || hadArgs || !callsRun(source)) return [];
  return [
    "run is called for you, without data: what your own call of run hands over has to stand inside run",
  ];
}

/** A name that an earlier script of the run declared is missed because no realm outlives its turn: say so. */
function redefineHint(failure: ExecutionFailure, earlierScripts: readonly string[]): string[] {
  const name = missingName(failure);
  if (name === undefined) return [];
  const declared = earlierScripts.some((source) => declaredNames(source).has(name));
  return declared ? [`${name}: define it again: only args survives a turn`] : [];
}

/** In an async run a host function gives a promise, and using it as the value fails in many wordings. */
function awaitHint(failure: ExecutionFailure, line: string, input: HintInput): string[] {
  if (failure.kind !== "threw" || !failure.message.startsWith("TypeError")) return [];
  if (!/\basync\b/.test(input.source)) return [];
  for (const name of input.functions) {
    const called = line.indexOf(`${name}(`);
    if (called < 0 || /\bawait\s+$/.test(line.slice(0, called))) continue;
    return [`in an async run, ${name}() returns a promise: use await ${name}(...)`];
  }
  return [];
}

/** What became of args after a failure. */
export function argsLine({ hadArgs, source }: HintInput): string {
  if (hadArgs || !usesArgs(source)) return "args is unchanged";
  return "args is undefined: no block has returned anything yet";
}

/** Whether a script uses the name beyond naming its parameter, or takes its parameter apart. */
function usesArgs(source: string): boolean {
  if (/\brun\b[^\n(]*\(\s*[{[]/.test(source)) return true;
  return source.replace(/\(\s*args\s*\)\s*(?:=>|\{)/, "").search(/\bargs\b/) >= 0;
}

/** Tells a model that it sent the same script twice, before it does so a third time. */
export function repetitionLines({ execution, source, earlierScripts }: HintInput): string[] {
  if (execution.answerJson !== undefined || earlierScripts.at(-1) !== source) return [];
  return execution.failure === undefined
    ? [
      "note: this was the same script as before, with the same outcome. Do not send it again: if the result is known, write it to the user in plain text, without a block",
    ]
    : [
      "note: this was the same script as before, and it fails the same way. Do not send it again: write it in another way",
    ];
}
