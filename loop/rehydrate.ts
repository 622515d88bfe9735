/**
 * Which of a session's steps are replayed to the model when a run begins. The choice moves in strides and not with every step, so that the
 * prompt's beginning stays the same over several runs.
 */
import { type RunStep, STEP_TYPE_SUMMARY, type StepStore } from "../contracts/step.ts";

/** What to load. */
export interface RehydrateOptions {
  /** The session. */
  readonly sessionId: string;
  /** Steps that are replayed at most, the rest of the exchange in which they begin not counted. `Infinity` is all, 0 is none. */
  readonly window: number;
}

/** So many steps before the window the start of the exchange is looked for in which it begins: a run of 50 turns. */
const REACH = 100;

/** The steps to replay, oldest first, grouped by run. They begin with a message of the user wherever one is in reach. */
export async function rehydrate(store: StepStore, options: RehydrateOptions): Promise<RunStep[]> {
  const { sessionId, window } = options;
  if (window === 0) return [];
  let steps = await store.lastN(sessionId, window);
  const first = firstIndex(steps, window);
  if (!hasExchangeStart(steps, first) && (steps[0]?.stepIndex ?? 0) > 0) {
    steps = await store.lastN(sessionId, window + REACH);
  }
  return groupByRun(afterSummary(fromExchangeStart(steps, first)));
}

/** Index of the first step that a window holds: a multiple of a quarter of the window, so that it moves once in so many steps. */
function firstIndex(steps: readonly RunStep[], window: number): number {
  const count = (steps.at(-1)?.stepIndex ?? -1) + 1;
  if (count <= window) return 0;
  const stride = Math.max(1, Math.floor(window / 4));
  return Math.ceil((count - window) / stride) * stride;
}

function hasExchangeStart(steps: readonly RunStep[], first: number): boolean {
  return steps.some((step) => step.stepType === "user" && step.stepIndex <= first);
}

/** The steps from the start of the exchange that holds the step with index `first`; without one, from the next exchange on. */
function fromExchangeStart(steps: readonly RunStep[], first: number): RunStep[] {
  const before = steps.findLastIndex((step) => step.stepType === "user" && step.stepIndex <= first);
  if (before >= 0) return steps.slice(before);
  const after = steps.findIndex((step) => step.stepType === "user" && step.stepIndex > first);
  // One exchange longer than all that is in reach: its newest part is what there is to show.
  const script = steps.findIndex((step) =>
    step.stepType === "execute_js" && step.stepIndex >= first
  );
  const start = after >= 0 ? after : script;
  return start < 0 ? [] : steps.slice(start);
}

/** Leaves out what the newest summary stands for, and puts it first. */
function afterSummary(steps: readonly RunStep[]): RunStep[] {
  const summary = steps.findLast((step) =>
    step.stepType === STEP_TYPE_SUMMARY && retainedFrom(step) !== undefined
  );
  const kept = steps.filter((step) =>
    step.stepType !== STEP_TYPE_SUMMARY &&
    (summary === undefined || step.stepIndex >= (retainedFrom(summary) ?? 0))
  );
  return summary === undefined ? kept : [summary, ...kept];
}

/** The index at which the steps go on that a summary does not stand for; nothing when it does not say. */
function retainedFrom(step: RunStep): number | undefined {
  try {
    const from: unknown = JSON.parse(step.toolArgs ?? "")?.retain_from_step;
    return Number.isSafeInteger(from) ? from as number : undefined;
  } catch {
    return undefined;
  }
}

/** Steps of runs that went on at once stand among each other; each run's own are put together, in the order in which the runs began. */
function groupByRun(steps: readonly RunStep[]): RunStep[] {
  return [...Map.groupBy(steps, (step) => step.runId).values()].flat();
}
