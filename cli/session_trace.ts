/**
 * The trace of a session in the order in which it happened: steps, and among them the calls that scripts made. Pure; for people and as JSON lines.
 */
import type { CallRow } from "../contracts/call_log.ts";
import type { JsonValue } from "../contracts/json.ts";
import { type RunStep, STEP_TYPE_SUMMARY } from "../contracts/step.ts";
import { agentOf, writtenArguments } from "../loop/call_steps.ts";
import { pendingOf } from "../loop/pending.ts";
import { callLine, callText } from "./call_line.ts";
import { pendingText } from "./pending_text.ts";
import { countOf, formatCount, formatDuration, formatMoment } from "./units.ts";

/** Something that happened in a session. */
export type TraceEntry = { readonly step: RunStep } | { readonly call: CallRow };

/** Steps that name the agent. */
const CALL_STEPS: ReadonlySet<string> = new Set(["llm_call", "tool_call", "tool_result"]);
/** Calls of one script that are shown to people; it may make a thousand. */
const CALLS_SHOWN = 20;

/** Puts each call before the result of the script that made it; one whose script has no result stands at the end of its run. */
export function mergeTrace(steps: readonly RunStep[], calls: readonly CallRow[]): TraceEntry[] {
  const waiting = new Map<string, CallRow[]>();
  for (const call of calls) {
    const sameRun = waiting.get(call.runId);
    if (sameRun === undefined) waiting.set(call.runId, [call]);
    else sameRun.push(call);
  }
  const lastOfRun = new Map(steps.map((step) => [step.runId, step.stepIndex]));
  return steps.flatMap((step) => {
    const pending = waiting.get(step.runId) ?? [];
    const before = step.stepType === "execute_js_result"
      ? pending.splice(0, countWhile(pending, (call) => call.startedAt <= step.createdAt))
      : [];
    const after = lastOfRun.get(step.runId) === step.stepIndex ? pending.splice(0) : [];
    return [...before.map(asCall), { step }, ...after.map(asCall)];
  });
}

function asCall(call: CallRow): TraceEntry {
  return { call };
}

function countWhile<T>(values: readonly T[], holds: (value: T) => boolean): number {
  const at = values.findIndex((value) => !holds(value));
  return at < 0 ? values.length : at;
}

/** What is no longer sent as it was, and the step that stands for it. */
export interface Folding {
  /** Index of the summary. */
  readonly summaryStep: number;
  /** Index of the step before which everything is folded. */
  readonly retainFromStep: number;
}

/** What the newest summary stands for; `undefined` when there is none. */
export function foldingOf(steps: readonly RunStep[]): Folding | undefined {
  const step = steps.findLast((step) => retainFromStep(step) !== undefined);
  const from = step && retainFromStep(step);
  return step === undefined || from === undefined
    ? undefined
    : { summaryStep: step.stepIndex, retainFromStep: from };
}

function retainFromStep({ stepType, toolArgs }: RunStep): number | undefined {
  if (stepType !== STEP_TYPE_SUMMARY || toolArgs === undefined) return undefined;
  const from: unknown = JSON.parse(toolArgs)?.retain_from_step;
  return typeof from === "number" ? from : undefined;
}

/** One entry as the object of a JSON line. */
export function traceLine(entry: TraceEntry): JsonValue {
  if ("call" in entry) return callLine(entry.call);
  const { step } = entry;
  return {
    type: "step",
    step_index: step.stepIndex,
    run_id: step.runId,
    step_type: step.stepType,
    content: step.content,
    tool_args: step.toolArgs === undefined ? null : JSON.parse(step.toolArgs),
    duration_ms: step.durationMs,
    prompt_tokens: step.promptTokens,
    completion_tokens: step.completionTokens,
    created_at: step.createdAt.toISOString(),
  };
}

/** The entries as lines for people; control characters are still in them. */
export function traceText(entries: readonly TraceEntry[]): string[] {
  let runId = "";
  let callsInARow = 0;
  return entries.flatMap((entry, index) => {
    if ("call" in entry) {
      const { call } = entry;
      // What a script calls that goes on after a wait comes before the first step of its run.
      const head = call.runId === runId ? [] : headOf(call.runId, call.startedAt);
      callsInARow = call.runId === runId ? callsInARow + 1 : 1;
      runId = call.runId;
      const next = entries[index + 1];
      const isLast = next === undefined || !("call" in next) || next.call.runId !== runId;
      const more = isLast && callsInARow > CALLS_SHOWN
        ? [`   … and ${countOf(callsInARow - CALLS_SHOWN, "more call")}; --json shows all`]
        : [];
      const gap = callsInARow === 1 ? [""] : [];
      return [
        ...head,
        ...gap,
        ...(callsInARow <= CALLS_SHOWN ? [`   call  ${callText(call)}`] : []),
        ...more,
      ];
    }
    callsInARow = 0;
    const { step } = entry;
    const head = step.runId === runId ? [] : headOf(step.runId, step.createdAt);
    runId = step.runId;
    return [
      ...head,
      "",
      `${step.stepIndex}  ${figuresOf(step)}`,
      ...(step.stepType === "approval" ? [`   ${pendingText(pendingOf(step))}`] : []),
      ...bodyOf(step),
    ];
  });
}

/** Arguments are not shortened: secrets are taken out of the whole text afterwards, and of half a one they could not be. */
function bodyOf({ stepType, content, toolArgs }: RunStep): string[] {
  const given = stepType === "tool_call" ? writtenArguments(toolArgs) : "";
  const text = `${content} ${given}`.trimEnd();
  return text === "" ? [] : text.split(/\r?\n/).map((line) => `   ${line}`.trimEnd());
}

function headOf(runId: string, at: Date): string[] {
  return ["", `run ${runId}, ${formatMoment(at)}`];
}

function figuresOf(step: RunStep): string {
  const from = retainFromStep(step);
  return [
    from === undefined ? step.stepType : `${step.stepType} of the steps before ${from}`,
    ...agentsOf(step),
    ...(step.durationMs > 0 ? [formatDuration(step.durationMs)] : []),
    ...(step.promptTokens + step.completionTokens > 0
      ? [`${formatCount(step.promptTokens)} + ${formatCount(step.completionTokens)} tokens`]
      : []),
  ].join(", ");
}

/** Who made a named call, where a program gave its agents names. */
function agentsOf({ stepType, toolArgs }: RunStep): string[] {
  if (!CALL_STEPS.has(stepType)) return [];
  const agent = agentOf(toolArgs);
  return agent === undefined ? [] : [`by ${agent}`];
}
