// deno-lint-ignore-file require-await -- the interface is asynchronous, and a bad argument is to reject, not to throw
/** Long results in this process's memory. Part of `MemoryStore`. */
import type { LongResult, ResultStore } from "../contracts/long_result.ts";
import { checkedCallId, checkedResult } from "./result_input.ts";
import { checkedSessionId } from "./step_input.ts";

/** Keeps long results in memory. */
export class MemoryResults implements ResultStore {
  readonly #sessions = new Map<string, Map<string, string>>();

  /** Keeps a result. */
  async keepResult(result: LongResult): Promise<void> {
    const { sessionId, callId, text } = checkedResult(result);
    const kept = this.#sessions.get(sessionId) ?? new Map<string, string>();
    kept.set(callId, text);
    this.#sessions.set(sessionId, kept);
  }

  /** The text of a result. */
  async readResult(sessionId: string, callId: string): Promise<string | undefined> {
    const id = checkedCallId(callId);
    return this.#sessions.get(checkedSessionId(sessionId))?.get(id);
  }

  /** Removes the results of a session and gives their number. */
  async deleteResults(sessionId: string): Promise<number> {
    const id = checkedSessionId(sessionId);
    const count = this.#sessions.get(id)?.size ?? 0;
    this.#sessions.delete(id);
    return count;
  }
}
