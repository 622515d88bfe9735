/** The way to a run's first turn: what can go on at once does. Store reads, the sandbox and the model client's own start run in parallel. */
import type { RunRequest } from "../contracts/loop.ts";
import type { Sandbox } from "../contracts/sandbox.ts";
import type { Session } from "../contracts/session.ts";
import type { RunStep } from "../contracts/step.ts";
import { untilAborted } from "./abort.ts";
import { type CarriedData, carryJson } from "./carried_data.ts";
import { attempt } from "./failure.ts";
import { openGate } from "./gate.ts";
import { Conversation } from "./history.ts";
import type { GateOptions } from "./passage.ts";
import { showsReturned } from "./observation.ts";
import { composeSystemPrompt } from "./prompt.ts";
import type { Recorder } from "./recorder.ts";
import { rehydrate } from "./rehydrate.ts";
import type { RunState, RunTally } from "./run_state.ts";
import type { SandboxLease } from "./sandbox_lease.ts";
import { addUsage } from "./usage.ts";
import type { LoopParts } from "./validate.ts";

/** What a run is prepared from. */
export interface RunSetup {
  readonly parts: LoopParts;
  readonly request: RunRequest;
  readonly runId: string;
  /** Ends with the run. */
  readonly signal: AbortSignal;
  readonly recorder: Recorder;
  readonly tally: RunTally;
  readonly lease: SandboxLease;
  /** Lets the run's wall time stand still. */
  readonly pauseWall: () => Disposable;
}

/**
 * Brings a run to where its first model call can be made. The user's message is stored by then.
 *
 * @throws {AgentLoopError} when a store or the sandbox builder fails, or the run is ended meanwhile.
 */
export async function prepareRun(setup: RunSetup): Promise<RunState> {
  const { parts, request, signal, recorder, tally } = setup;
  warmUp(parts);
  const sessionRead = readSession(setup);
  const building = sessionRead.then((session) => startSandbox(setup, session));
  // It may fail while something else is waited for; the wait for it comes below.
  building.catch(() => {});
  const [session, steps] = await untilAborted(signal, Promise.all([sessionRead, readSteps(setup)]));
  await recorder.record({ stepType: "user", content: request.message }, {
    type: "user",
    content: request.message,
  });
  const data = session.data === undefined ? undefined : carryJson(session.data);
  const sandbox = await untilAborted(signal, building);
  tally.systemPrompt = composeSystemPrompt(
    session.systemPrompt ?? "",
    sandbox.prompt,
    request.context,
  );
  return {
    parts,
    request,
    model: request.model ?? session.model ?? parts.model,
    maxIterations: request.maxIterations ?? parts.maxIterations,
    signal,
    recorder,
    tally,
    sandbox,
    openGate: (turn, note) => openGate(gateOptions(setup, { sandbox, turn, note })),
    conversation: beginConversation({ request, steps, data }),
    data,
    scripts: [],
    unsettled: [],
  };
}

/** Lets the client load what it needs. Whether that works shows at the first call. */
function warmUp({ llm }: LoopParts): void {
  Promise.try(() => llm.warmUp?.()).catch(() => {});
}

function readSession({ parts, request }: RunSetup): Promise<Session> {
  const { sessionId } = request;
  return attempt(
    { doing: `read session ${sessionId}`, code: "store_failed" },
    () => parts.sessions.get(sessionId),
  );
}

function readSteps({ parts, request }: RunSetup): Promise<RunStep[]> {
  const { sessionId } = request;
  return attempt(
    { doing: `read the steps of session ${sessionId}`, code: "store_failed" },
    () => rehydrate(parts.steps, { sessionId, window: parts.historyWindow }),
  );
}

function startSandbox(setup: RunSetup, session: Session): Promise<Sandbox> {
  const { parts, request, runId, signal, recorder, lease } = setup;
  return lease.start(() =>
    attempt({ doing: "make the sandbox", code: "sandbox_start" }, () =>
      parts.sandboxBuilder.build({
        session,
        runId,
        ...(request.scope === undefined ? {} : { scope: request.scope }),
        ...(request.userId === undefined ? {} : { userId: request.userId }),
        signal,
        emit: recorder.emit,
      }))
  );
}

function gateOptions(
  setup: RunSetup,
  { sandbox, turn, note }: {
    readonly sandbox: Sandbox;
    readonly turn: number;
    readonly note: (text: string) => void;
  },
): GateOptions {
  const { parts, request, runId, signal, recorder, tally, pauseWall } = setup;
  const approve = request.approve ?? parts.approve;
  return {
    functions: sandbox.functions,
    limits: sandbox.limits,
    policy: parts.policy,
    turn,
    note,
    ...(approve === undefined ? {} : { approve }),
    approveAll: parts.approveAll,
    ...(parts.calls === undefined ? {} : { calls: parts.calls }),
    pauseWall,
    signal,
    runId,
    sessionId: request.sessionId,
    ...(request.scope === undefined ? {} : { scope: request.scope }),
    ...(request.userId === undefined ? {} : { userId: request.userId }),
    emit: recorder.emit,
    spend: (tokens) => {
      tally.tokens = addUsage(tally.tokens, tokens);
    },
    now: parts.now,
  };
}

/** The conversation so far, the user's message at its end. */
function beginConversation(
  { request, steps, data }: {
    readonly request: RunRequest;
    readonly steps: readonly RunStep[];
    readonly data: CarriedData | undefined;
  },
): Conversation {
  const conversation = new Conversation();
  for (const step of steps) conversation.add(step);
  const carried = data === undefined || showsReturned(steps, data.digest)
    ? ""
    : `[args, carried over from before: ${data.digest}]`;
  const appendix = [carried, request.turnContext?.trim() ?? ""].filter((part) => part !== "");
  conversation.addUser(request.message, appendix.join("\n\n"));
  return conversation;
}
