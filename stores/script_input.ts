/** The border of every script journal in this folder: checks what a caller hands in. Pure. */
import type { JournalCall, KeptScript, ScriptClaim } from "../contracts/script_journal.ts";
import { checkedSessionId, count, text } from "./step_input.ts";

/**
 * Checks which script is meant.
 *
 * @throws {TypeError} when a text is missing or of the wrong type.
 * @throws {RangeError} when a number is no whole number of at least 0.
 */
export function checkedScript(
  { sessionId, stepIndex }: Pick<ScriptClaim, "sessionId" | "stepIndex">,
): Pick<ScriptClaim, "sessionId" | "stepIndex"> {
  return {
    sessionId: checkedSessionId(sessionId),
    stepIndex: count(stepIndex, "The index of a script's step"),
  };
}

/**
 * Checks a claim.
 *
 * @throws {TypeError} when a text is missing or of the wrong type.
 * @throws {RangeError} when a number is no whole number of at least 0.
 */
export function checkedClaim(claim: ScriptClaim): ScriptClaim {
  return { ...checkedScript(claim), claim: count(claim.claim, "A claim") };
}

/**
 * Checks a call.
 *
 * @throws {TypeError} when a text is missing or of the wrong type.
 * @throws {RangeError} when a number is no whole number of at least 0.
 */
export function checkedCall({ position, json }: JournalCall): JournalCall {
  return { position: count(position, "A call's position"), json: text(json, "A call") };
}

/**
 * Checks a script, and puts its calls in order. Of two at one position the later one counts.
 *
 * @throws {TypeError} when a text is missing or of the wrong type.
 * @throws {RangeError} when a number is no whole number of at least 0.
 */
export function checkedKeptScript(script: KeptScript): KeptScript {
  if (!Array.isArray(script.calls)) throw new TypeError("The calls of a script must be a list.");
  const calls = new Map(
    script.calls.map(checkedCall).map((call) => [call.position, call] as const),
  );
  return {
    ...checkedClaim(script),
    json: text(script.json, "A script"),
    calls: [...calls.values()].sort((a, b) => a.position - b.position),
  };
}
