/** Failures of the world, brought to the one form in which a run reports them. */
import { AgentLoopError, type ErrorCode } from "../contracts/errors.ts";

/** What was being done when something failed. */
export interface Doing {
  /** What it was, to stand behind "Could not". */
  readonly doing: string;
  /** The code for failures that bring none. */
  readonly code: ErrorCode;
}

/** Does something with the world; what fails there and has no code of its own gets one. */
export function attempt<T>(what: Doing, work: () => T | PromiseLike<T>): Promise<T> {
  try {
    return Promise.resolve(work()).catch((cause) => {
      throw toAgentLoopError(cause, what);
    });
  } catch (cause) {
    return Promise.reject(toAgentLoopError(cause, what));
  }
}

/** A thrown value as an error with a code: itself when it has one. */
export function toAgentLoopError(cause: unknown, { doing, code }: Doing): AgentLoopError {
  if (cause instanceof AgentLoopError) return cause;
  const why = cause instanceof Error ? cause.message : String(cause);
  return new AgentLoopError(`Could not ${doing}: ${why}`, { code, cause });
}
