// deno-lint-ignore-file require-await -- the interface is asynchronous, and a bad argument is to reject, not to throw
/** Scripts that wait, in this process's memory. */
import type {
  JournalCall,
  KeptScript,
  ScriptClaim,
  ScriptJournal,
} from "../contracts/script_journal.ts";
import { checkedCall, checkedClaim, checkedKeptScript, checkedScript } from "./script_input.ts";
import { checkedSessionId } from "./step_input.ts";

interface Kept extends Omit<KeptScript, "claim" | "calls"> {
  claim: number;
  readonly calls: Map<number, JournalCall>;
}

/** A journal of scripts in memory. */
export class MemoryScripts implements ScriptJournal {
  readonly #kept = new Map<string, Kept>();
  readonly #touch: (sessionId: string) => void;

  /** `touch` makes a session if need be. */
  constructor(touch: (sessionId: string) => void) {
    this.#touch = touch;
  }

  /** Keeps a script; with a claim only where it is kept under it. */
  async keep(script: KeptScript): Promise<boolean> {
    const checked = checkedKeptScript(script);
    if (checked.claim > 0 && this.#find(checked) === undefined) return false;
    this.#touch(checked.sessionId);
    const calls = new Map(checked.calls.map((call) => [call.position, call]));
    this.#kept.set(checked.sessionId, { ...checked, calls });
    return true;
  }

  /** The script of a session. */
  async kept(sessionId: string): Promise<KeptScript | undefined> {
    const kept = this.#kept.get(checkedSessionId(sessionId));
    if (kept === undefined) return undefined;
    const calls = [...kept.calls.values()].sort((a, b) => a.position - b.position);
    return { ...kept, calls: calls.map((call) => ({ ...call })) };
  }

  /** Takes a script on. */
  async claim(claim: ScriptClaim): Promise<boolean> {
    const kept = this.#find(checkedClaim(claim));
    if (kept !== undefined) kept.claim++;
    return kept !== undefined;
  }

  /** Keeps a call. */
  async keepCall(claim: ScriptClaim, call: JournalCall): Promise<boolean> {
    const checked = checkedCall(call);
    const kept = this.#find(checkedClaim(claim));
    kept?.calls.set(checked.position, checked);
    return kept !== undefined;
  }

  /** Forgets a script. */
  async drop(script: Pick<ScriptClaim, "sessionId" | "stepIndex">): Promise<void> {
    const { sessionId, stepIndex } = checkedScript(script);
    if (this.#kept.get(sessionId)?.stepIndex === stepIndex) this.#kept.delete(sessionId);
  }

  /** Forgets what a session that is deleted kept. */
  forget(sessionId: string): void {
    this.#kept.delete(sessionId);
  }

  #find({ sessionId, stepIndex, claim }: ScriptClaim): Kept | undefined {
    const kept = this.#kept.get(sessionId);
    return kept?.stepIndex === stepIndex && kept.claim === claim ? kept : undefined;
  }
}
