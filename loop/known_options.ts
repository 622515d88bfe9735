/**
 * Names of what a loop and a request can be given. A misspelt one would be left out without a word, and with it a policy, a limit or a redactor: types tell, but programs are
 * also run unchecked.
 */
import type { LoopConfig, RunRequest } from "../contracts/loop.ts";
import { shown } from "./passage.ts";

const OF_A_LOOP: Readonly<Record<keyof LoopConfig, true>> = {
  llm: true,
  sessions: true,
  steps: true,
  protocol: true,
  sandboxBuilder: true,
  tools: true,
  toolExpander: true,
  policy: true,
  approve: true,
  approveAll: true,
  calls: true,
  model: true,
  agent: true,
  maxIterations: true,
  forceFinalText: true,
  reviewAnswer: true,
  runTimeoutMs: true,
  historyWindow: true,
  compactor: true,
  contextBudget: true,
  limits: true,
  scopeLimits: true,
  ledger: true,
  prices: true,
  redactor: true,
  results: true,
  events: true,
  memory: true,
  tracer: true,
  now: true,
  random: true,
};

const OF_A_REQUEST: Readonly<Record<keyof RunRequest, true>> = {
  sessionId: true,
  message: true,
  scope: true,
  userId: true,
  context: true,
  turnContext: true,
  onEvent: true,
  signal: true,
  approve: true,
  model: true,
  agent: true,
  tools: true,
  toolExpander: true,
  memory: true,
  maxIterations: true,
  maxTokens: true,
  timeoutMs: true,
  limits: true,
};

/**
 * Demands that a configuration holds nothing that is not known.
 *
 * @throws {TypeError} naming what is not, and what there is.
 */
export function checkOptionNames(config: LoopConfig): void {
  refuseUnknown("createLoop", config, OF_A_LOOP);
}

/**
 * The same of a request.
 *
 * @throws {TypeError} naming what is not known, and what there is.
 */
export function checkRequestNames(request: RunRequest): void {
  refuseUnknown("run", request, OF_A_REQUEST);
}

/**
 * Demands that an object holds nothing that is not known: what was misspelt would hold for nothing, without a word.
 *
 * @throws {TypeError} naming what is not known, and what there is.
 */
export function refuseUnknown(
  caller: string,
  given: object,
  known: Readonly<Record<string, true>>,
): void {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(known, name));
  if (unknown === undefined) return;
  throw new TypeError(
    `${caller}: there is no option ${shown(unknown)}; there are ${Object.keys(known).join(", ")}`,
  );
}
