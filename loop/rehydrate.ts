/**
 * Which of a session's steps are replayed to the model when a run begins. The choice moves in strides and not with every step, so that the
 * prompt's beginning stays the same over several runs.
 */
import { isAside, type RunStep, STEP_TYPE_SUMMARY, type StepStore } from "../contracts/step.ts";
import { isMarked } from "./protocol.ts";
import { openReach, PENDING_REACH, waitsForWord } from "./pending.ts";

/** What to load. */
export interface RehydrateOptions {
  /** The session. */
  readonly sessionId: string;
  /** Steps that are replayed at most, the rest of the exchange in which they begin not counted. `Infinity` is all, 0 is none. */
  readonly window: number;
  /** Whether a summary, and all that follows it, is looked for beyond the window too. @default false */
  readonly keepsAll?: boolean;
  /** Whether a run goes on that waited: what it waited in is among the steps, whatever the window. @default false */
  readonly resumes?: boolean;
}

/** So many steps before the window the start of the exchange is looked for in which it begins: a run of 50 turns. */
const REACH = 100;
/** So many windows back a summary is looked for: further than a run of 200 turns can push it out of the default window. */
const SUMMARY_WINDOWS = 16;

/**
 * The steps to replay, oldest first, grouped by run: the newest summary, then what it does not stand for. They begin with a message of the
 * user wherever one is in reach.
 */
export async function rehydrate(store: StepStore, asked: RehydrateOptions): Promise<RunStep[]> {
  const { sessionId } = asked;
  const least = asked.resumes === true ? openReach(await store.lastN(sessionId, PENDING_REACH)) : 0;
  const window = Math.max(asked.window, least);
  const options = { ...asked, window };
  if (window === 0) return [];
  let steps = await store.lastN(sessionId, window);
  const first = firstIndex(steps, window);
  if (options.keepsAll) steps = await withSummary(store, { ...options, steps });
  const summary = newestSummary(steps);
  const from = summary === undefined ? -1 : retainedFrom(summary);
  if (summary !== undefined && from >= (options.keepsAll ? firstLoaded(steps) : first)) {
    return [summary, ...retained(placeAsides(steps), from)];
  }
  if (!hasExchangeStart(steps, first) && firstLoaded(steps) > 0) {
    steps = await store.lastN(sessionId, window + REACH);
  }
  const kept = fromExchangeStart(steps, first).filter((step) => step.stepIndex >= from);
  const replayed = groupByRun(placeAsides(kept.filter(isNoSummary)));
  return [...(summary === undefined ? [] : [summary]), ...replayed];
}

/**
 * The steps with those that were put in beside runs moved behind the exchange in which they came: they would stand between a script or a call and its result where a
 * run waited for a word. As long as it waits they are left out.
 */
function placeAsides(steps: readonly RunStep[]): RunStep[] {
  const asides: RunStep[] = [];
  const placed = steps.flatMap((step) => {
    if (!isAside(step)) return step.stepType === "user" ? [...asides.splice(0), step] : [step];
    asides.push(step);
    return [];
  });
  return waitsForWord(placed) ? placed : [...placed, ...asides];
}

/** The steps, and as many more as it takes to hold a summary and all that follows it; those there are when there is none in reach. */
async function withSummary(
  store: StepStore,
  { sessionId, window, steps }: RehydrateOptions & { readonly steps: readonly RunStep[] },
): Promise<RunStep[]> {
  let loaded = [...steps];
  for (let windows = 4; windows <= SUMMARY_WINDOWS; windows *= 4) {
    const summary = newestSummary(loaded);
    if (firstLoaded(loaded) === 0) return loaded;
    if (summary !== undefined && retainedFrom(summary) >= firstLoaded(loaded)) return loaded;
    loaded = await store.lastN(sessionId, window * windows);
  }
  return newestSummary(loaded) === undefined ? [...steps] : loaded;
}

/** Index of the first step that a window holds: a multiple of a quarter of the window, so that it moves once in so many steps. */
function firstIndex(steps: readonly RunStep[], window: number): number {
  const count = (steps.at(-1)?.stepIndex ?? -1) + 1;
  if (count <= window) return 0;
  const stride = Math.max(1, Math.floor(window / 4));
  return Math.ceil((count - window) / stride) * stride;
}

function firstLoaded(steps: readonly RunStep[]): number {
  return steps[0]?.stepIndex ?? 0;
}

function hasExchangeStart(steps: readonly RunStep[], first: number): boolean {
  return steps.some((step) => isExchangeStart(step) && step.stepIndex <= first);
}

/** What was put in beside runs may stand in the middle of one. */
function isExchangeStart(step: RunStep): boolean {
  return step.stepType === "user" && !isAside(step);
}

/** The steps from the start of the exchange that holds the step with index `first`; without one, from the next exchange on. */
function fromExchangeStart(steps: readonly RunStep[], first: number): RunStep[] {
  const upTo = steps.slice(0, steps.findLastIndex(({ stepIndex }) => stepIndex <= first) + 1);
  const own = upTo.findLastIndex(isExchangeStart);
  const before = own >= 0 ? own : upTo.findLastIndex(({ stepType }) => stepType === "user");
  if (before >= 0) return steps.slice(before);
  const after = steps.findIndex((step) => step.stepType === "user" && step.stepIndex > first);
  // One exchange longer than all that is in reach: its newest part is what there is to show.
  const script = steps.findIndex(({ stepType, stepIndex }) =>
    (stepType === "execute_js" || stepType === "llm_call") && stepIndex >= first
  );
  const start = after >= 0 ? after : script;
  return start < 0 ? [] : steps.slice(start);
}

/**
 * The steps that a summary does not stand for. It may have been made in the middle of a run: the message that the run answers then stands
 * before what is left of it, as it did in that run's own requests.
 */
function retained(steps: readonly RunStep[], from: number): RunStep[] {
  const past = steps.filter((step) =>
    isNoSummary(step) && (step.stepType !== "error" || isMarked(step))
  );
  // What was put in beside a run is told behind it: no summary that was made before that stands for it.
  const first = past.findIndex((step) => step.stepIndex >= from && !isAside(step));
  const kept = past.filter((step, at) =>
    step.stepIndex >= from || (isAside(step) && first >= 0 && at > first)
  );
  const runs = [...Map.groupBy(kept, (step) => step.runId)];
  const said = new Set<RunStep>();
  return runs.flatMap(([runId, own]) => {
    if (own[0]?.stepType === "user") return own;
    // A run that went on after a wait answers the message of the one before it.
    const message = steps.find((step) => step.stepType === "user" && step.runId === runId) ??
      steps.findLast((step) => isExchangeStart(step) && step.stepIndex < own[0]!.stepIndex);
    if (message === undefined || message.stepIndex >= from || said.has(message)) return own;
    said.add(message);
    return [message, ...own];
  });
}

/** The newest summary that says where it ends. */
function newestSummary(steps: readonly RunStep[]): RunStep | undefined {
  return steps.findLast((step) => !isNoSummary(step) && retainedFrom(step) >= 0);
}

function isNoSummary(step: RunStep): boolean {
  return step.stepType !== STEP_TYPE_SUMMARY;
}

/** The index at which the steps go on that a summary does not stand for; -1 when it does not say. */
function retainedFrom(step: RunStep): number {
  try {
    const from: unknown = JSON.parse(step.toolArgs ?? "")?.retain_from_step;
    return Number.isSafeInteger(from) && from as number <= step.stepIndex ? from as number : -1;
  } catch {
    return -1;
  }
}

/** Steps of runs that went on at once stand among each other; each run's own are put together, in the order in which the runs began. */
function groupByRun(steps: readonly RunStep[]): RunStep[] {
  return [...Map.groupBy(steps, (step) => step.runId).values()].flat();
}
