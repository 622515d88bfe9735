/** What is remembered of a run once it has ended: the rest of its messages, and the facts that are made of it. Nothing here changes how the run ended. */
import { AgentLoopError } from "../contracts/errors.ts";
import type { FactOwner } from "../contracts/fact.ts";
import { isAside } from "../contracts/step.ts";
import type { DistilledRun, FinishedRun } from "../contracts/memory.ts";
import { within } from "./abort.ts";
import type { RunEnd, RunLife } from "./run_end.ts";
import { estimateTokens } from "./tokens.ts";

/** Facts of one run that are kept at most. */
const MAX_FACTS_A_RUN = 20;
/** A sink that does not answer holds up the end of a run no longer than this. */
const SINK_MS = 5_000;
/** Nor do facts that are being made. */
const DISTILL_MS = 30_000;
/** Newest steps of a session in which a run that went on finds what was asked. */
const REACH = 500;
/** What an instruction and its reply take at most, in tokens; the run's own texts come on top. */
const DISTILL_TOKENS = 2_048;

/**
 * Lets the run's memory take what is left, and makes facts of a run that completed. Tells whether anything was remembered; nothing where the request
 * did not ask for it. Never rejects.
 */
export async function rememberRun(life: RunLife, end: RunEnd): Promise<boolean | undefined> {
  const { memory, recorder } = life;
  if (memory === undefined) return undefined;
  await orWarn(
    life,
    "hand the rest of the run to its memory",
    () =>
      within(
        SINK_MS,
        memory.settled(),
        () => new Error(`it has not taken it within ${SINK_MS / 1000} s`),
      ),
  );
  let facts = 0;
  if (end.status === "completed") {
    if (life.parts.memory?.distill !== undefined) {
      // Nothing runs any more, and a model may take its time.
      await orWarn(life, "give the sandbox back", () => life.lease.end());
    }
    const make = async () => {
      for (const fact of await distill(life, end)) {
        await orWarn(life, "remember a fact of the run", async () => {
          await life.parts.memory?.facts?.remember(ownerOf(life), fact);
          facts++;
        });
      }
    };
    const late = () => new Error("a store does not answer");
    await orWarn(life, "make facts of the run", () => within(DISTILL_MS + SINK_MS, make(), late));
  }
  if (facts > 0) recorder.emit({ type: "sandbox_event", args: { kind: "facts_distilled", facts } });
  return memory.taken + facts > 0;
}

/** The facts of a run, without the secrets that it knows. */
async function distill(life: RunLife, end: RunEnd): Promise<DistilledRun["facts"]> {
  const { parts, request, runId, recorder, spending, memory } = life;
  const { sessionId } = request;
  const make = parts.memory?.distill;
  if (make === undefined || memory === undefined) return [];
  const message = await messageOf(life);
  const estimate = estimateTokens(message) + estimateTokens(end.finalText) + DISTILL_TOKENS;
  if (!await spending.hasRoomFor(estimate)) return [];
  const { messages } = memory;
  const run: FinishedRun = {
    sessionId,
    runId,
    ...ownerOf(life),
    message,
    finalText: end.finalText,
    messages,
  };
  const { facts, tokens } = await bounded(life, (signal) => make(run, { signal }));
  if (tokens !== undefined) spending.add(tokens);
  if (!Array.isArray(facts)) throw new TypeError("distill gave no list of facts");
  return facts.slice(0, MAX_FACTS_A_RUN).map(({ text, tags = [] }) => ({
    text: recorder.redact(text),
    tags: tags.map((tag: string) => recorder.redact(tag)),
  }));
}

/** What the user said; of a run that went on after a wait, what the one before it was asked. */
async function messageOf({ request, parts, recorder }: RunLife): Promise<string> {
  if (request.message !== "") return recorder.redact(request.message);
  const steps = await parts.steps.lastN(request.sessionId, REACH);
  return steps.findLast((step) => step.stepType === "user" && !isAside(step))?.content ?? "";
}

/** Waits for facts, but no longer than they may take, nor beyond the caller's own signal. */
async function bounded(
  { request, spending }: RunLife,
  make: (signal: AbortSignal) => Promise<DistilledRun>,
): Promise<DistilledRun> {
  const own = new AbortController();
  const outer = request.signal;
  const end = Promise.withResolvers<never>();
  const onAbort = () => end.reject(new Error("the run was aborted by its caller"));
  outer?.addEventListener("abort", onAbort, { once: true });
  if (outer?.aborted) onAbort();
  end.promise.catch(() => {});
  try {
    const making = Promise.race([Promise.try(() => make(own.signal)), end.promise]);
    return await within(
      DISTILL_MS,
      making,
      () => new Error(`it took longer than ${DISTILL_MS / 1000} s`),
    );
  } catch (error) {
    if (error instanceof AgentLoopError && error.tokens !== undefined) spending.add(error.tokens);
    throw error;
  } finally {
    outer?.removeEventListener("abort", onAbort);
    own.abort();
  }
}

async function orWarn(
  { recorder }: RunLife,
  doing: string,
  work: () => Promise<unknown>,
): Promise<void> {
  try {
    await work();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    recorder.emit({ type: "warning", content: `Could not ${doing}: ${why}` });
  }
}

function ownerOf({ request: { scope, userId } }: RunLife): FactOwner {
  return {
    ...(scope === undefined ? {} : { scope }),
    ...(userId === undefined ? {} : { userId }),
  };
}
