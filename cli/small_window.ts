/**
 * What there is no room for in a small window of the model. The protocol and the default functions take some 840 tokens, those of the project 450 more.
 */
import type { CliOptions } from "./option_table.ts";

/** Below so many tokens of window the project's functions come only where an option of theirs is given. */
const FUNCTIONS_WINDOW = 4096;

/** Below so many, instructions of the project leave no room to work in, beside its functions or without them. */
const INSTRUCTIONS_WINDOW = { withFunctions: 3072, alone: 2048 };

/** What decides over room. */
export type WindowOptions = Pick<
  CliOptions,
  "contextWindow" | "cwd" | "allowExec" | "dangerouslyAllowShell"
>;

/** Whether scripts get the project's functions. */
export function hasRoomForFunctions(options: WindowOptions): boolean {
  const { contextWindow = Infinity, cwd, allowExec, dangerouslyAllowShell } = options;
  const isAskedFor = cwd !== undefined || allowExec !== undefined || dangerouslyAllowShell;
  return contextWindow >= FUNCTIONS_WINDOW || isAskedFor;
}

/** Whether the prompt gets the project's instructions. */
export function hasRoomForInstructions(options: WindowOptions): boolean {
  const { contextWindow = Infinity } = options;
  const { withFunctions, alone } = INSTRUCTIONS_WINDOW;
  return contextWindow >= (hasRoomForFunctions(options) ? withFunctions : alone);
}
