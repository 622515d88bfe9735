/**
 * What calls that wait were given, where that holds a secret: the trace has it without. It is kept whole beside the session's data, as scripts that wait are, for the
 * call is to be made with what a person said yes to.
 */
import type { ModelToolCall } from "../contracts/model.ts";
import type { ScriptClaim, ScriptJournal } from "../contracts/script_journal.ts";
import type { SessionStore } from "../contracts/session.ts";
import { untilAborted } from "./abort.ts";
import { attempt } from "./failure.ts";
import type { OpenBatch } from "./pending.ts";
import type { RunState } from "./run_state.ts";

/** Why calls cannot wait that hold a secret; nothing when they can. */
export function whyNotKept(
  run: RunState,
  calls: readonly ModelToolCall[],
): string | undefined {
  if (run.parts.sessions.scripts !== undefined || !holdSecret(run, calls)) return undefined;
  return "a secret stands in what a call of this reply was given, and nothing keeps that until somebody decides";
}

/** Keeps what calls were given, before the trace says that they wait. Does nothing where the trace has all of it, and says so by false. */
export async function keepArguments(
  run: RunState,
  { calls, stepIndex }: {
    readonly calls: readonly ModelToolCall[];
    /** Of the reply that brought them. */
    readonly stepIndex: number;
  },
): Promise<boolean> {
  if (!holdSecret(run, calls)) return false;
  const { sessionId } = run.request;
  // The trace knows calls by what is left of their ids without secrets.
  const { redact } = run.recorder;
  const given = Object.fromEntries(
    calls.map(({ id, argumentsJson }) => [redact(id), argumentsJson]),
  );
  const kept = { sessionId, stepIndex, claim: 0, json: JSON.stringify({ given }), calls: [] };
  await inStore(run, "keep", (scripts) => scripts.keep(kept));
  return true;
}

/** The open calls as they were given; nothing where that was kept beside the trace, and is not there. */
export async function withArguments(
  { scripts }: SessionStore,
  { sessionId, batch }: { readonly sessionId: string; readonly batch: OpenBatch },
): Promise<OpenBatch | undefined> {
  const kept = await attempt(
    { doing: `read what the calls of session ${sessionId} were given`, code: "store_failed" },
    async () => await scripts?.kept(sessionId),
  );
  const { given }: { given?: Readonly<Record<string, string>> } =
    kept?.stepIndex === batch.stepIndex ? JSON.parse(kept.json) : {};
  if (batch.isKeptBeside && batch.calls.some(({ id }) => given?.[id] === undefined)) {
    return undefined;
  }
  const calls = batch.calls.map((call) => ({
    ...call,
    argumentsJson: given?.[call.id] ?? call.argumentsJson,
  }));
  return { ...batch, calls };
}

/** Forgets what calls were given that have been made. What fails here only leaves it in the store. */
export async function forgetArguments(
  run: RunState,
  { stepIndex }: Pick<ScriptClaim, "stepIndex">,
): Promise<void> {
  const { sessionId } = run.request;
  try {
    await inStore(run, "forget", (scripts) => scripts.drop({ sessionId, stepIndex }));
  } catch (error) {
    if (run.signal.aborted) throw error;
    const content = error instanceof Error ? error.message : String(error);
    run.recorder.emit({ type: "warning", content });
  }
}

function holdSecret({ recorder }: RunState, calls: readonly ModelToolCall[]): boolean {
  return calls.some(({ argumentsJson }) => recorder.redact(argumentsJson) !== argumentsJson);
}

async function inStore(
  { parts, request, signal }: RunState,
  what: string,
  work: (scripts: ScriptJournal) => Promise<unknown>,
): Promise<void> {
  const { scripts } = parts.sessions;
  if (scripts === undefined) return;
  const doing = `${what} what the calls of session ${request.sessionId} were given`;
  await untilAborted(signal, attempt({ doing, code: "store_failed" }, () => work(scripts)));
}
