/**
 * The keys of the result line. Imports nothing, so that the line can be written even when nothing else of the command could be loaded.
 */

/** The result of a command that did nothing. Every result has these keys. */
export const RESULT_BASE = {
  type: "result",
  status: "error",
  text: "",
  reason: null,
  error: null,
  forced: false,
  flagged: false,
  pending: null,
  session_id: null,
  run_id: null,
  steps: 0,
  tokens: { prompt: 0, completion: 0 },
  spent: { tokens: 0, cost: 0, host_calls: 0 },
  data_bytes_carried: 0,
  duration_ms: 0,
  exit_code: 1,
} as const;
