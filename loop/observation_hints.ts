/**
 * What an observation adds to a bare outcome, because models go wrong there again and again: small ones repeat a script word for word, forget that nothing
 * but args survives, and leave an await out. Each was seen to mend the next reply.
 */
import type { Execution, ExecutionFailure } from "../contracts/sandbox.ts";
import { declaredNames } from "./code_scan.ts";

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
export function failureHints(failure: ExecutionFailure, input: HintInput): string[] {
  const line = failure.line === undefined
    ? undefined
    : input.source.split("\n")[failure.line - 1]?.trim();
  return [
    ...(line ? [`  ${failure.line} | ${line.slice(0, MAX_QUOTED_CHARACTERS).toWellFormed()}`] : []),
    ...redefineHint(failure, input.earlierScripts),
    ...awaitHint(failure, line ?? "", input),
  ];
}

/** A name that an earlier script of the run declared is missed because no realm outlives its turn: say so. */
function redefineHint(failure: ExecutionFailure, earlierScripts: readonly string[]): string[] {
  if (failure.kind !== "threw") return [];
  const name = /ReferenceError: ['"]?([A-Za-z_$][\w$]*)['"]? is not defined/
    .exec(failure.message)?.[1];
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

/** Whether a script uses the name beyond naming its parameter. */
function usesArgs(source: string): boolean {
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
