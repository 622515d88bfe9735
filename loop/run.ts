/** One run from message to answer: prepares it, takes its turns, and sees to its end whatever happens on the way. */
import type { RunEvent } from "../contracts/event.ts";
import type { ResumeRequest, RunRequest, RunResult } from "../contracts/loop.ts";
import { RunWall } from "./abort.ts";
import { EventFeed } from "./event_feed.ts";
import { giveHeldBack, giveUnasked, type TurnEnd } from "./give_answer.ts";
import { MemoryFeed } from "./memory_feed.ts";
import { goesOnIn, NOTHING_TAKEN, type Taken } from "./pending.ts";
import { prepareRun } from "./prepare.ts";
import { Recorder } from "./recorder.ts";
import { rememberRun } from "./remember_run.ts";
import { endEarly, report, type RunEnd, type RunLife, settle } from "./run_end.ts";
import { readOpenWait, resumeOpen } from "./resume.ts";
import { createRunId } from "./run_id.ts";
import type { RunState } from "./run_state.ts";
import { RunSecrets } from "./run_secrets.ts";
import { NO_TOOLS, takeTools } from "./run_tools.ts";
import { SandboxLease } from "./sandbox_lease.ts";
import { Spending } from "./spending.ts";
import { startTrace } from "./trace.ts";
import { takeOutcome, takeTurn } from "./turn.ts";
import type { LoopParts } from "./validate.ts";
import { WarmUp } from "./warm_up.ts";

/**
 * Runs one checked request. Never rejects: failures of the world are the result's.
 *
 * @param listener hears of every event, in order
 */
export async function executeRun(
  { parts, request, resume }: {
    readonly parts: LoopParts;
    readonly request: RunRequest;
    /** The word with which a run goes on that ended waiting for it. */
    readonly resume?: Pick<ResumeRequest, "decision" | "callId">;
  },
  listener?: (event: RunEvent) => void,
): Promise<RunResult> {
  const life = beginLife({ parts, request }, listener);
  const lived = await live(life, resume);
  const memoryUsed = await rememberRun(life, lived);
  const end = memoryUsed === undefined ? lived : { ...lived, memoryUsed };
  await settle(life, end);
  return report(life, end);
}

function beginLife(
  { parts, request }: { readonly parts: LoopParts; readonly request: RunRequest },
  listener: ((event: RunEvent) => void) | undefined,
): RunLife {
  const startedAt = parts.now();
  const runId = createRunId(startedAt.getTime(), parts.random);
  const { sessionId, scope } = request;
  const { scopeLimits, ledger, prices, now, steps, tracer } = parts;
  const secrets = new RunSecrets(parts.redactor);
  const heard = listener === undefined ? {} : { listener };
  const warn = (content: string) => recorder.emit({ type: "warning", content });
  const { sink } = parts.memory ?? {};
  const memory = request.memory === true
    ? new MemoryFeed({ sink, scope, userId: request.userId, warn })
    : undefined;
  const events = parts.events &&
    new EventFeed({ sink: parts.events, streamId: sessionId, now, warn });
  const taken = { observe: events?.add, onStep: memory?.add };
  const agent = request.agent ?? parts.agent;
  const whose = { sessionId, runId, agent };
  const recorder = new Recorder({ steps, ...heard, ...taken, ...whose, now, secrets });
  const spending = new Spending({
    limits: { ...parts.limits, ...request.limits },
    scopeLimits,
    ledger,
    scope,
    prices,
    now,
    warn,
  });
  const attributes = {
    "agentloop.session.id": sessionId,
    "agentloop.run.id": runId,
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.agent.name": agent ?? "agentloop",
    "gen_ai.conversation.id": sessionId,
    "gen_ai.request.model": request.model ?? parts.model,
  };
  return {
    parts,
    request,
    agent,
    runId,
    recorder,
    tally: { dataBytesCarried: 0, systemPrompt: "", durationMs: 0 },
    spending,
    secrets,
    trace: startTrace({ tracer, secrets }, { name: "agentloop.run", attributes }),
    lease: new SandboxLease(),
    memory,
    events,
    startedAt,
  };
}

/** The run itself, within its wall. When this returns, the run's signal has ended and with it all that was done in its name. */
async function live(
  life: RunLife,
  resume: Pick<ResumeRequest, "decision" | "callId"> | undefined,
): Promise<RunEnd> {
  const { parts, request } = life;
  using wall = new RunWall({
    ...(request.signal === undefined ? {} : { signal: request.signal }),
    timeoutMs: request.timeoutMs ?? parts.runTimeoutMs,
  });
  using warmUp = new WarmUp(parts.llm);
  life.recorder.heed(wall.signal);
  try {
    const { sessionId } = request;
    const discovers = (request.toolExpander ?? parts.toolExpander) !== undefined;
    const open = resume && await readOpenWait(parts, { ...resume, sessionId });
    if (open !== undefined) life.spending.goOnFrom(open.taken.spent);
    const run = await prepareRun({
      ...life,
      resumes: resume !== undefined,
      taken: open?.taken ?? NOTHING_TAKEN,
      tools: parts.protocol === "tools"
        ? takeTools(request.tools ?? parts.tools, { discovers })
        : NO_TOOLS,
      warmUp,
      signal: wall.signal,
      pauseWall: () => wall.pause(),
    });
    if (resume !== undefined && open !== undefined) {
      const { decision } = resume;
      const answer = await resumeOpen(run, { open, decision, trace: life.trace });
      const end = await takeOutcome(run, { text: answer, turn: goesOnIn(open.taken) });
      if (end.kind === "answered") return completed(end);
    }
    const end = await takeTurns(run, open?.taken ?? NOTHING_TAKEN);
    return end.kind === "answered" ? completed(end) : { status: "max_iterations", finalText: "" };
  } catch (cause) {
    return await endEarly(life, cause);
  }
}

async function takeTurns(run: RunState, { turns }: Taken): Promise<TurnEnd> {
  try {
    for (let turn = turns + 1; turn <= run.lastTurn; turn++) {
      const end = await takeTurn(run, turn);
      if (end.kind === "answered") return end;
    }
    return await giveHeldBack(run);
  } catch (cause) {
    const end = await giveUnasked(run, cause);
    if (end.kind === "answered") return end;
    throw cause;
  }
}

function completed({ kind: _, ...answer }: TurnEnd & { readonly kind: "answered" }): RunEnd {
  return { status: "completed", ...answer };
}
