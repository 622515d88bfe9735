/** The way to a run's first turn: what can go on at once does. Store reads and the making of the sandbox run in parallel. */
import type { RunRequest } from "../contracts/loop.ts";
import type { Sandbox } from "../contracts/sandbox.ts";
import type { Session } from "../contracts/session.ts";
import type { RunStep } from "../contracts/step.ts";
import { untilAborted } from "./abort.ts";
import { PromptBudget } from "./budget.ts";
import { searchesOf } from "./call_steps.ts";
import { checkCarried } from "./carried_bound.ts";
import { carryJson } from "./carried_data.ts";
import { attempt } from "./failure.ts";
import { assertPresentFits, isTooLong } from "./fit_request.ts";
import { openGate } from "./gate.ts";
import { Conversation } from "./history.ts";
import { KeptResults } from "./kept_results.ts";
import { showsReturned } from "./observation.ts";
import type { GateOptions } from "./passage.ts";
import type { Taken } from "./pending.ts";
import { actBy } from "./act_by.ts";
import { type Protocol, protocolOf } from "./protocol.ts";
import type { Recorder } from "./recorder.ts";
import { openDiscovery } from "./run_discovery.ts";
import { redactedCalls } from "./redacted_calls.ts";
import { rehydrate } from "./rehydrate.ts";
import { replay } from "./replay.ts";
import { compactHistory } from "./run_compaction.ts";
import type { RunSecrets } from "./run_secrets.ts";
import type { RunState, RunTally, TurnContext } from "./run_state.ts";
import { type RunTools, toolSandbox } from "./run_tools.ts";
import type { SandboxLease } from "./sandbox_lease.ts";
import type { Spending } from "./spending.ts";
import { type Trace, traced } from "./trace.ts";
import type { LoopParts } from "./validate.ts";
import type { WarmUp } from "./warm_up.ts";
import { watchCalls, watchReservations } from "./watched_calls.ts";

/** What a run is prepared from. */
export interface RunSetup {
  /** The run goes on where another ended: there is no message. */
  readonly resumes: boolean;
  /** What it had taken when it ended there. */
  readonly taken: Taken;
  readonly tools: RunTools;
  readonly parts: LoopParts;
  readonly request: RunRequest;
  readonly agent: string | undefined;
  readonly runId: string;
  /** Ends with the run. */
  readonly signal: AbortSignal;
  readonly recorder: Recorder;
  readonly tally: RunTally;
  readonly spending: Spending;
  readonly secrets: RunSecrets;
  readonly trace: Trace;
  readonly lease: SandboxLease;
  readonly warmUp: WarmUp;
  /** Lets the run's wall time stand still. */
  readonly pauseWall: () => Disposable;
}

/**
 * Brings a run to where its first model call can be made. The user's message is stored by then, and a history that is too long is compacted.
 *
 * @throws {AgentLoopError} when a store or the sandbox builder fails, or the run is ended meanwhile.
 * @throws {LimitReached} when the session carries more than the run may.
 */
export async function prepareRun(setup: RunSetup): Promise<RunState> {
  const { request, signal } = setup;
  const sessionRead = readSession(setup);
  const building = sessionRead.then((session) => startSandbox(setup, session));
  // It may fail while something else is waited for; the wait for it comes below.
  building.catch(() => {});
  const [session, steps] = await untilAborted(signal, Promise.all([sessionRead, readSteps(setup)]));
  // A window of none replays nothing, and yet the form that the model keeps is known.
  const form = steps.length > 0 ? steps : await untilAborted(signal, newestSteps(setup));
  const stepIndex = setup.resumes ? undefined : await recordMessage(setup);
  if (!setup.resumes) await forgetWaiting(setup);
  const sandbox = await untilAborted(signal, building);
  const run = beginRun(setup, {
    session,
    sandbox,
    protocol: protocolOf(setup.parts.protocol, form),
    scriptsAsCalls: protocolOf("auto", form).name === "code-tool",
  });
  await run.discovery?.recall(steps.flatMap(searchesOf));
  run.droppedBefore = replay(run, steps);
  if (stepIndex !== undefined) {
    run.conversation.addUser({
      message: request.message,
      appendix: appendixOf(run, steps),
      stepIndex,
    });
  } else run.conversation.addToMessage(request.turnContext?.trim() ?? "");
  checkCarried(run);
  const force = isTooLong(run);
  if (force) assertPresentFits(run);
  await compactHistory(run, { force });
  return run;
}

/** Newest steps of a session among which one tells how its scripts come. */
const FORM_REACH = 20;

/** A message in place of a word: what waited will never go on, whatever the trace says of it. */
async function forgetWaiting({ parts, request }: RunSetup): Promise<void> {
  const { sessionId } = request;
  const { scripts } = parts.sessions;
  if (scripts === undefined) return;
  await attempt(
    { doing: `forget what session ${sessionId} waited at`, code: "store_failed" },
    async () => {
      const kept = await scripts.kept(sessionId);
      if (kept !== undefined) await scripts.drop(kept);
    },
  );
}

async function recordMessage({ recorder, request }: RunSetup): Promise<number> {
  const { message: content } = request;
  const { stepIndex } = await recorder.record({ stepType: "user", content }, {
    type: "user",
    content,
  });
  return stepIndex;
}

/** The run's state, before anything was said in it. */
function beginRun(
  setup: RunSetup,
  { session, sandbox, protocol, scriptsAsCalls }: Pick<RunState, "scriptsAsCalls"> & {
    readonly session: Session;
    readonly sandbox: Sandbox;
    readonly protocol: Protocol;
  },
): RunState {
  const {
    parts,
    request,
    agent,
    runId,
    signal,
    recorder,
    secrets,
    tally,
    spending,
    trace,
    warmUp,
    tools,
  } = setup;
  const budget = new PromptBudget(parts.contextBudget, request.maxTokens);
  const model = request.model ?? session.model ?? parts.model;
  const maxIterations = request.maxIterations ?? parts.maxIterations;
  spending.model = model;
  const reserve = watchReservations({
    spending,
    estimate: budget.estimate,
    onLimit: (limit) => run.reached ??= limit,
  });
  let gate: RunGate | undefined;
  const run: RunState = {
    parts,
    request,
    agent,
    model,
    runId,
    maxIterations,
    lastTurn: lastTurnOf(setup, maxIterations),
    heldBack: undefined,
    maxArgsBytes: request.limits?.argsBytes ?? parts.limits.argsBytes ?? Infinity,
    signal,
    recorder,
    secrets,
    tally,
    spending,
    trace,
    warmUp,
    protocol,
    scriptsAsCalls,
    tools,
    discovery: undefined,
    kept: new KeptResults({
      sessionId: request.sessionId,
      steps: parts.steps,
      results: parts.results,
      signal,
    }),
    sandbox,
    openGate: (turn) => {
      const handler = openGate({
        ...(gate ??= runGate(setup, reserve)),
        ...turnGate(setup, { sandbox, turn }),
      });
      const { trace, onCount } = turn;
      return watchCalls(handler, { spending, trace, onCount, onLimit: limitTeller(run) });
    },
    conversation: new Conversation({
      estimate: budget.estimate,
      nativeCalls: protocol.name === "tools",
      scriptCalls: protocol.name === "code-tool",
    }),
    budget,
    systemMessage: { role: "system", content: "" },
    systemTokens: 0,
    persona: session.systemPrompt ?? "",
    droppedBefore: 0,
    compactionIsOver: false,
    reached: undefined,
    warnedOfArgs: false,
    data: session.data === undefined ? undefined : carryJson(session.data),
    scripts: [],
    unsettled: [],
    reminders: 0,
  };
  actBy(run, protocol);
  run.discovery = openDiscovery(run);
  return run;
}

/** A run that goes on and has no turn left still gets the one for its last text, where it has one. */
function lastTurnOf({ parts, taken, resumes }: RunSetup, maxIterations: number): number {
  const isForced = parts.forceFinalText && resumes;
  return isForced ? Math.max(maxIterations, taken.turns + 1) : maxIterations;
}

/** Keeps the limit that a call would have passed. Listeners hear of the first one only: a script can make a million. */
function limitTeller(run: RunState): Parameters<typeof watchCalls>[1]["onLimit"] {
  return (limit, { name }) => {
    if (run.reached === undefined) {
      const args = { kind: "host_call", name, outcome: "quota", duration_ms: 0 };
      run.recorder.emit({ type: "sandbox_event", args });
    }
    run.reached ??= limit;
  };
}

function readSession({ parts, request }: RunSetup): Promise<Session> {
  const { sessionId } = request;
  return attempt(
    { doing: `read session ${sessionId}`, code: "store_failed" },
    () => parts.sessions.get(sessionId),
  );
}

function readSteps({ parts, request, resumes }: RunSetup): Promise<RunStep[]> {
  const { sessionId } = request;
  return attempt(
    { doing: `read the steps of session ${sessionId}`, code: "store_failed" },
    () =>
      rehydrate(parts.steps, {
        sessionId,
        window: parts.historyWindow,
        keepsAll: parts.compactor !== undefined,
        resumes,
      }),
  );
}

function newestSteps(
  { parts: { protocol, steps }, request: { sessionId } }: RunSetup,
): Promise<RunStep[]> {
  return attempt(
    { doing: `read the steps of session ${sessionId}`, code: "store_failed" },
    async () => protocol === "auto" ? await steps.lastN(sessionId, FORM_REACH) : [],
  );
}

function startSandbox(setup: RunSetup, session: Session): Promise<Sandbox> {
  const { parts, request, runId, signal, recorder, lease, trace, tools } = setup;
  const { sandboxBuilder } = parts;
  if (parts.protocol === "tools" || sandboxBuilder === undefined) {
    return lease.start(() => Promise.resolve(toolSandbox(tools)));
  }
  const build = () =>
    attempt({ doing: "make the sandbox", code: "sandbox_start" }, () =>
      sandboxBuilder.build({
        session,
        runId,
        ...(request.scope === undefined ? {} : { scope: request.scope }),
        ...(request.userId === undefined ? {} : { userId: request.userId }),
        signal,
        emit: recorder.emit,
      }));
  return lease.start(() => traced(trace, { name: "agentloop.sandbox_build" }, build));
}

/** What the gates of all turns have in common. */
type RunGate = Omit<GateOptions, keyof TurnGate>;

/** What each turn adds. */
type TurnGate = Pick<
  GateOptions,
  | "functions"
  | "limits"
  | "secrets"
  | "turn"
  | "note"
  | "wait"
  | "begin"
  | "approve"
  | "approveAll"
>;

function runGate(
  { parts, request, runId, signal, recorder, spending, secrets, pauseWall }: RunSetup,
  reserve: GateOptions["reserve"],
): RunGate {
  const { calls } = parts;
  return {
    policy: parts.policy,
    calls: calls && redactedCalls(calls, secrets),
    reserve,
    pauseWall,
    signal,
    runId,
    sessionId: request.sessionId,
    scope: request.scope,
    userId: request.userId,
    emit: recorder.emit,
    spend: (tokens) => spending.add(tokens),
    redact: recorder.redact,
    now: parts.now,
  };
}

function turnGate(
  { parts, request, secrets }: RunSetup,
  { sandbox, turn: { turn, note, wait, begin, approve: word } }: {
    readonly sandbox: Sandbox;
    readonly turn: TurnContext;
  },
): TurnGate {
  return {
    // A sandbox that grew may have put others in their place.
    functions: sandbox.functions,
    limits: sandbox.limits,
    secrets: sandbox.secrets && { source: sandbox.secrets, kept: secrets },
    turn,
    note,
    wait,
    begin,
    approve: word ?? request.approve ?? parts.approve,
    // A word was given on this very call: it holds also where the policy would not ask any more.
    approveAll: parts.approveAll || word !== undefined,
  };
}

/** What stands behind the user's message in this run only: data that the replayed history does not show, and the request's own context. */
function appendixOf(
  { data, recorder, request, protocol }: RunState,
  steps: readonly RunStep[],
): string {
  // Results are shown as they are stored: without secrets.
  const digest = data === undefined || protocol.name === "tools"
    ? undefined
    : recorder.redact(data.digest);
  const carried = digest === undefined || showsReturned(steps, digest)
    ? ""
    : `[args, carried over from before: ${digest}]`;
  return [carried, request.turnContext?.trim() ?? ""].filter((part) => part !== "").join("\n\n");
}
