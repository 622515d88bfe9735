/**
 * What the model is told of a script that ended: its log, the digest of what it returned or the failure, and notes. Written once and stored,
 * so it is the same in every later request.
 */
import type { Execution, ExecutionFailure } from "../contracts/sandbox.ts";
import type { RunStep } from "../contracts/step.ts";
import { argsLine, failureHints, repetitionLines } from "./observation_hints.ts";
import { clipMiddle, utf8Bytes } from "./utf8.ts";

/** What an observation is made of. */
export interface ObservationInput {
  /** How the script ended. */
  readonly execution: Execution;
  /** Digest of what it returned; left out when it returned nothing. */
  readonly digest?: string;
  /** Blocks of the reply that were not run. */
  readonly ignoredBlocks: number;
  /** Model calls that the run has left. */
  readonly turnsLeft: number;
  /** Bytes of log that are shown; below zero for all. */
  readonly logBytes: number;
  /** The script. */
  readonly source: string;
  /** The scripts that this run ran before. */
  readonly earlierScripts: readonly string[];
  /** Whether the script got args: something was returned before. */
  readonly hadArgs: boolean;
  /** Names of what scripts can call. */
  readonly functions: Iterable<string>;
}

/** A sandbox caps its logs itself and may add a line that says so; only what is longer still is cut here. */
const LOG_SLACK_BYTES = 256;
/** From this many turns on the model is told how many are left. */
const LAST_TURNS = 2;

/** Begins the line that tells the digest of what was returned. */
const RETURNED = "returned (now args): ";

/** Whether the newest observation among steps that tells of a returned value tells this digest. */
export function showsReturned(steps: readonly RunStep[], digest: string): boolean {
  const newest = steps.findLast((step) =>
    step.stepType === "execute_js_result" && step.content.includes(RETURNED)
  );
  return newest?.content.split("\n").includes(RETURNED + digest) ?? false;
}

/** The text of an observation. */
export function writeObservation(input: ObservationInput): string {
  const { execution } = input;
  return [
    ...logLines(execution.logs, input.logBytes),
    ...execution.notes.map((note) => `note: ${note}`),
    ...(execution.failure === undefined
      ? [outcomeLine(execution, input.digest)]
      : failureLines(execution.failure, input)),
    ...repetitionLines(input),
    ...ignoredLines(input.ignoredBlocks),
    ...(execution.answerJson === undefined ? turnsLeftLines(input.turnsLeft) : []),
  ].join("\n");
}

function logLines(logs: string, maxBytes: number): string[] {
  const text = logs.replace(/\n+$/, "");
  if (text === "") return [];
  const fits = maxBytes < 0 || utf8Bytes(text) <= maxBytes + LOG_SLACK_BYTES;
  return ["log:", fits ? text : clipMiddle(text, maxBytes)];
}

function outcomeLine(execution: Execution, digest: string | undefined): string {
  if (digest !== undefined) return RETURNED + digest;
  return execution.answerJson === undefined ? "returned nothing; args is unchanged" : "answered";
}

function failureLines(failure: ExecutionFailure, input: ObservationInput): string[] {
  const where = failure.line === undefined ? "" : ` at line ${failure.line}`;
  return [
    `failed${where}: ${failure.message}`,
    ...failureHints(failure, input),
    argsLine(input),
  ];
}

function ignoredLines(count: number): string[] {
  if (count === 0) return [];
  const others = count === 1 ? "1 more block was" : `${count} more blocks were`;
  return [`note: only your first block was run, ${others} not; send one block a turn`];
}

function turnsLeftLines(turnsLeft: number): string[] {
  if (turnsLeft < 1 || turnsLeft > LAST_TURNS) return [];
  return turnsLeft === 1
    ? ["note: 1 turn left for this message; call answer(...) in it"]
    : [`note: ${turnsLeft} turns left for this message; finish with answer(...)`];
}
