/** Hands a script to the sandbox, for the first time or again, and stops it where it comes to wait for a person's word. */
import type { Approve } from "../contracts/approval.ts";
import type { EvaluateRequest, Execution, HostCall } from "../contracts/sandbox.ts";
import { untilAborted } from "./abort.ts";
import { attempt } from "./failure.ts";
import { answerDiscovery } from "./run_discovery.ts";
import type { RunState, TurnContext } from "./run_state.ts";
import type { Answering, PastCalls, ScriptCalls } from "./script_calls.ts";
import { type Trace, traced } from "./trace.ts";
import { utf8Bytes } from "./utf8.ts";
import { endWaiting, failedBy, journalOf, openCalls, type SentScript } from "./waiting_script.ts";

/** A script on its way, for the first time or again. */
export interface Performance {
  readonly script: SentScript;
  /** The turn, from 1; where it goes on, the one in which it waited. */
  readonly turn: number;
  /** The span around it. */
  readonly trace: Trace;
  /** What is known of its earlier evaluation. */
  readonly past?: PastCalls;
  /** A person's word on the call that it waited at. */
  readonly word?: Approve;
}

/**
 * Runs a script in a span of its own. What the model is to be told of its calls stands among the notes.
 *
 * @throws {WaitingForApproval} when there is no word yet on one of its calls; then it is kept.
 * @throws {AgentLoopError} when the store or the sandbox fails, and the run's reason when it is ended meanwhile.
 */
export function executeScript(run: RunState, given: Performance): Promise<Execution> {
  const { script: { source }, trace } = given;
  const attributes = { "agentloop.execute_js.source_bytes": utf8Bytes(source) };
  return traced(trace, { name: "agentloop.execute_js", attributes }, async (span) => {
    const execution = await execute(run, { ...given, trace: span });
    span.set({
      "agentloop.execute_js.ok": execution.failure === undefined,
      "agentloop.execute_js.guest_ms": execution.guestMs,
      "agentloop.execute_js.host_calls": execution.hostCalls,
    });
    if (execution.failure !== undefined) {
      span.fail(`${execution.failure.kind}: ${execution.failure.message}`);
    }
    return execution;
  });
}

async function execute(
  run: RunState,
  { script, past, word, turn, trace }: Performance,
): Promise<Execution> {
  const calls = openCalls(run, { script, ...(past === undefined ? {} : { past }) });
  const own: string[] = [];
  const counted: HostCall[] = [];
  const context: TurnContext = {
    turn,
    note: calls === undefined ? (text) => void own.push(text) : calls.note,
    trace,
    ...(calls === undefined
      ? {}
      : { begin: calls.begin, onCount: (call: HostCall) => void counted.push(call) }),
    ...(calls === undefined || journalOf(run) === undefined ? {} : { wait: calls.wait }),
  };
  const live = answerDiscovery(run, context, run.openGate(context));
  if (calls === undefined) {
    const execution = await evaluate(run, { ...script, onCall: live, now: run.parts.now });
    return { ...execution, notes: [...execution.notes, ...own] };
  }
  const answering = {
    live,
    word: word && run.openGate({ ...context, approve: word }),
  };
  const execution = await evaluateStoppable(run, { script, turn, calls, counted, answering });
  return { ...execution, notes: [...execution.notes, ...calls.notes] };
}

/** Evaluates a script that may have to be stopped at one of its calls. */
async function evaluateStoppable(
  run: RunState,
  { script, turn, calls, counted, answering }: {
    readonly script: SentScript;
    readonly turn: number;
    readonly calls: ScriptCalls;
    /** Those that the run has counted. */
    readonly counted: readonly HostCall[];
    readonly answering: Answering;
  },
): Promise<Execution> {
  const end = new AbortController();
  try {
    const evaluation = evaluate(run, {
      ...script,
      onCall: (call) => calls.answer(call, answering),
      onSleep: (call, sleep) => calls.answer(call, { live: sleep }),
      now: calls.now,
      signal: end.signal,
    });
    // When it is stopped nobody listens to it any more.
    evaluation.catch(() => {});
    const first = await Promise.race([evaluation, calls.stopped]);
    if (!("kind" in first)) {
      const why = ENDED_BY_ITSELF.has(first.failure?.kind) ? calls.divergence() : undefined;
      return why === undefined ? first : failedBy(why, first.hostCalls);
    }
    // What has begun comes to its end, and is kept.
    await untilAborted(run.signal, calls.drain());
    switch (first.kind) {
      case "failed":
        throw first.cause;
      case "diverged":
        return failedBy(first.message, calls.entries.length);
      case "waiting": {
        const open = counted.filter((call) => calls.isOpen(call)).length;
        return await endWaiting(run, { script, turn, calls, open, stop: first });
      }
    }
  } finally {
    calls.close();
    end.abort(STOPPED);
  }
}

/** Ends of a script to which its own way has led. */
const ENDED_BY_ITSELF: ReadonlySet<string | undefined> = new Set([
  undefined,
  "threw",
  "result",
  "syntax",
]);
const STOPPED = new DOMException("the script was stopped", "AbortError");

/** Runs a script in the sandbox; ends at once when the run does. */
function evaluate(
  run: RunState,
  { source, seed, onCall, onSleep, now, signal }: Omit<EvaluateRequest, "argsJson">,
): Promise<Execution> {
  return untilAborted(
    run.signal,
    attempt({ doing: "run the script", code: "sandbox_lost" }, () =>
      run.sandbox.evaluate({
        source,
        ...(run.data === undefined ? {} : { argsJson: run.data.json }),
        onCall,
        ...(onSleep === undefined ? {} : { onSleep }),
        seed,
        now,
        signal: signal === undefined ? run.signal : AbortSignal.any([run.signal, signal]),
      })),
  );
}
