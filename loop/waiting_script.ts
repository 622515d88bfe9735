/** A script that waits for a person's word: what is kept of it, and how it is taken up again. What is kept is whole, like session data, and shown to nobody. */
import type { PendingApproval } from "../contracts/approval.ts";
import type { Execution } from "../contracts/sandbox.ts";
import type { KeptScript, ScriptClaim, ScriptJournal } from "../contracts/script_journal.ts";
import { type CallEntry, keptCall, namesOf, readCalls, unknownCalls } from "./call_entry.ts";
import { untilAborted } from "./abort.ts";
import { DISCOVER_TOOLS } from "./discover_wish.ts";
import { attempt } from "./failure.ts";
import { anotherGoesOn } from "./hold_session.ts";
import {
  approvalStep,
  callIdPrefix,
  isOvertaken,
  OVERTAKEN,
  PENDING_REACH,
  type Taken,
  WaitingForApproval,
} from "./pending.ts";
import type { RunState } from "./run_state.ts";
import { type PastCalls, ScriptCalls, type ScriptStop } from "./script_calls.ts";

/** What one script may have fetched and still wait: as much as a turn may hand on by default. */
const MAX_JOURNAL_BYTES = 8 * 1024 * 1024;

/** A script as it was sent, without what it came with. */
export interface SentScript {
  readonly source: string;
  /** Blocks of the same reply that are not run. */
  readonly ignoredBlocks: number;
  /** Seed of its random numbers. */
  readonly seed: number;
  /** Where it stands. */
  readonly claim: ScriptClaim;
}

/** A script that is taken up again. */
export interface OpenScript {
  readonly kind: "script";
  /** The call that the trace says it waits at. */
  readonly pending: PendingApproval;
  /** What the run had taken until then. */
  readonly taken: Taken;
  readonly script: SentScript;
  readonly past: PastCalls;
  readonly secrets: KeptSecrets;
}

/** Secrets that the script used: values that it has anyway, and names of those that were filled in behind the gate. */
interface KeptSecrets {
  readonly shown: Readonly<Record<string, string>>;
  readonly filled: readonly string[];
}

/** Where scripts of a run are kept that wait; nothing where none can. */
export function journalOf({ parts, request }: Pick<RunState, "parts" | "request">):
  | ScriptJournal
  | undefined {
  return (request.approve ?? parts.approve) === undefined ? undefined : parts.sessions.scripts;
}

/** Reads a script that is kept; `undefined` when it cannot be read. */
export function readScript(
  kept: KeptScript,
  { pending, taken }: Pick<OpenScript, "pending" | "taken">,
): OpenScript | undefined {
  try {
    const { source, ignored_blocks, seed, start_ms, pending: position, secrets } = JSON
      .parse(kept.json);
    const { sessionId, stepIndex, claim } = kept;
    const isMeant = pending.callId === `${callIdPrefix(kept)}_${position}`;
    return {
      kind: "script",
      pending,
      taken,
      script: {
        source,
        ignoredBlocks: ignored_blocks,
        seed,
        claim: { sessionId, stepIndex, claim },
      },
      past: {
        entries: readCalls(kept.calls),
        startMs: start_ms,
        // Kept, but not told in the trace before the process died: then the word is about a call that was made already.
        pending: isMeant ? position : undefined,
      },
      secrets,
    };
  } catch {
    return undefined;
  }
}

/**
 * Takes a script on: from now on this process alone may write what becomes of its calls. Gives it as it is then: whoever was at it before may have gone on since it was
 * read.
 *
 * @throws {AgentLoopError} `not_waiting` when another process was faster.
 */
export async function claimScript(
  run: RunState,
  open: OpenScript,
): Promise<OpenScript> {
  const claim = await takeOver(run, open.script.claim);
  const kept = await inStore(run, "read", (scripts) => scripts.kept(claim.sessionId));
  const own = kept?.claim === claim.claim && kept.stepIndex === claim.stepIndex
    ? readScript(kept, open)
    : undefined;
  if (own === undefined) throw anotherGoesOn(claim.sessionId);
  return own;
}

/**
 * Makes sure, before the outcome of a script is told, that it is this process's to tell: nobody who takes the script up from now on comes to the same.
 *
 * @throws {AgentLoopError} `not_waiting` when another process goes on with it.
 */
export async function closeScript(run: RunState, { claim }: SentScript): Promise<void> {
  await takeOver(run, claim);
}

async function takeOver(run: RunState, claim: ScriptClaim): Promise<ScriptClaim> {
  const isMine = await inStore(run, "take up", (scripts) => scripts.claim(claim));
  if (isMine !== true) throw anotherGoesOn(claim.sessionId);
  return { ...claim, claim: claim.claim + 1 };
}

/** What the model is told in place of an outcome when a process died while calls of the script were under way; nothing where none were. */
export function unknownOutcome({ past }: OpenScript): Execution | undefined {
  const unknown = unknownCalls(past.entries);
  if (unknown.length === 0) return undefined;
  const done = past.entries.filter(({ begun, end }) => begun === true && end !== undefined);
  const before = done.length === 0 ? "" : ` Called before, and not called again: ${namesOf(done)}.`;
  const message = `the program ended while ${
    namesOf(unknown)
  } was under way. It may have happened or not, and was not made again; the script was not gone on with.${before} Look before you do anything again.`;
  return failedBy(message, past.entries.length);
}

/** The outcome of a script that was ended for a reason that the model is to know. */
export function failedBy(message: string, hostCalls: number): Execution {
  const failure = { kind: "lost", message } as const;
  return { failure, logs: "", notes: [], guestMs: 0, hostCalls, clockMs: [] };
}

/** Lets the run know again what may not be seen of it. Secrets that were filled in are fetched anew, as far as their source still has them. */
export async function recallSecrets(run: RunState, { secrets }: OpenScript): Promise<void> {
  const { request: { sessionId, scope, userId }, sandbox, signal } = run;
  for (const [name, value] of Object.entries(secrets.shown)) {
    run.secrets.learn(value);
    run.secrets.show(name, value);
  }
  for (const name of secrets.filled) {
    const asked = {
      signal,
      sessionId,
      ...(scope === undefined ? {} : { scope }),
      ...(userId === undefined ? {} : { userId }),
    };
    const found = await Promise.try(() => sandbox.secrets?.get(name, asked)).catch(() => undefined);
    const value = typeof found === "object" ? found.value : found;
    if (typeof value !== "string" || value.trim().length < MIN_SECRET) continue;
    run.secrets.learn(value);
    run.secrets.fill(name, value);
  }
}

/** Shorter values are never given out. */
const MIN_SECRET = 4;

/** The calls of a script that may come to wait, or that goes on; nothing where scripts cannot wait. */
export function openCalls(
  run: RunState,
  { script: { claim }, past }: { readonly script: SentScript; readonly past?: PastCalls },
): ScriptCalls | undefined {
  const { limits } = run.sandbox;
  if (past === undefined && journalOf(run) === undefined) return undefined;
  return new ScriptCalls({
    now: run.parts.now,
    signal: run.signal,
    idPrefix: callIdPrefix(claim),
    maxBytes: MAX_JOURNAL_BYTES,
    // Computing is bounded for the whole script: one that takes longer to its next call does not compute.
    stuckMs: 2 * limits.guestTimeMs,
    isSearch: (name) => run.discovery !== undefined && name === DISCOVER_TOOLS.name,
    ...(past === undefined ? {} : { past, keep: (entry) => keepCall(run, { claim, entry }) }),
  });
}

async function keepCall(
  run: RunState,
  { claim, entry }: { readonly claim: ScriptClaim; readonly entry: CallEntry },
): Promise<void> {
  const isMine = await inStore(
    run,
    "keep a call of",
    (scripts) => scripts.keepCall(claim, keptCall(entry)),
  );
  if (isMine !== true) throw anotherGoesOn(claim.sessionId);
}

/**
 * Keeps a script that waits, and then says in the trace that it does. Where the session went on meanwhile it cannot: then gives the outcome that the model is told.
 *
 * @throws {WaitingForApproval} otherwise, unless the store fails or another process goes on with the script.
 */
export async function endWaiting(
  run: RunState,
  { script, turn, calls, open, stop }: {
    readonly script: SentScript;
    readonly turn: number;
    readonly calls: ScriptCalls;
    /** How many of its calls were counted and are not decided on. */
    readonly open: number;
    readonly stop: ScriptStop & { readonly kind: "waiting" };
  },
): Promise<Execution> {
  const steps = await attempt(
    { doing: `read the steps of session ${run.request.sessionId}`, code: "store_failed" },
    () => run.parts.steps.lastN(run.request.sessionId, PENDING_REACH),
  );
  if (isOvertaken(steps, { stepIndex: script.claim.stepIndex, runId: run.runId })) {
    const done = calls.entries.filter(({ end }) => end !== undefined);
    const before = done.length === 0 ? "" : ` Called before: ${namesOf(done)}.`;
    const message = `${stop.pending.name}: ${OVERTAKEN}. The script was stopped.${before}`;
    return failedBy(message, calls.entries.length);
  }
  const { source, ignoredBlocks, seed, claim } = script;
  const json = JSON.stringify({
    source,
    ignored_blocks: ignoredBlocks,
    seed,
    start_ms: calls.startMs,
    pending: stop.position,
    secrets: {
      shown: Object.fromEntries(run.secrets.shown),
      filled: [...run.secrets.unseen.keys()],
    },
  });
  const kept = { ...claim, json, calls: calls.entries.map(keptCall) };
  const isMine = await inStore(run, "keep", (scripts) => scripts.keep(kept));
  if (isMine !== true) throw anotherGoesOn(claim.sessionId);
  run.spending.takeBack(open);
  const { pending } = stop;
  const step = approvalStep(pending, { turns: turn, spent: run.spending.sinceBegun });
  await run.recorder.record(step, { type: "approval_pending", approval: pending });
  throw new WaitingForApproval(pending);
}

/** Forgets a script that has gone on to its end. What fails here only leaves it in the store. */
export async function forgetScript(run: RunState, { claim }: SentScript): Promise<void> {
  try {
    await inStore(run, "forget", (scripts) => scripts.drop(claim));
  } catch (error) {
    const content = error instanceof Error ? error.message : String(error);
    run.recorder.emit({ type: "warning", content });
  }
}

async function inStore<T>(
  { parts, request, signal }: RunState,
  what: string,
  work: (scripts: ScriptJournal) => Promise<T>,
): Promise<T | undefined> {
  const { scripts } = parts.sessions;
  if (scripts === undefined) return undefined;
  const doing = `${what} the script that session ${request.sessionId} waits in`;
  return await untilAborted(signal, attempt({ doing, code: "store_failed" }, () => work(scripts)));
}
