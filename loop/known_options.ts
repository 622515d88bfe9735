/** Names of what a loop and a request can be given. */
import { refuseUnknown } from "../contracts/known_names.ts";
import type { LoopConfig, RunRequest } from "../contracts/loop.ts";

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
