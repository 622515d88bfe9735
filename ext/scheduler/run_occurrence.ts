/**
 * One occurrence, from claim to end. Its row says `started` before anything is done, so that a crash in between is seen by whoever comes next; what was begun is
 * never begun again unless it is known that nothing was done.
 */
import type { Channel, ChannelMessage, Delivery } from "../../contracts/channel.ts";
import {
  type ClaimedOccurrence,
  type OccurrenceEnding,
  occurrenceId,
} from "../../contracts/schedule.ts";
import { agentMessage, type DueTimes, failedText, MAX_MISSED, unknownText } from "./due_text.ts";
import { openRecurrence, type Recurrence } from "./recurrence.ts";
import type { FilledRunOptions, OccurrenceReport } from "./run_options.ts";
import { SESSION_CHANNEL } from "./scheduler_options.ts";

/** Time between two attempts at most, where the channel asks for none. */
const MAX_RETRY_DELAY_MS = 3_600_000;
/** What a channel may ask for at most: a day. */
const MAX_ASKED_DELAY_MS = 86_400_000;

/** Missed times that are counted without a break. */
const LOOKS_AT_ONCE = 16;

type Ended =
  | { readonly state: "done" | "unknown"; readonly detail?: string }
  | { readonly state: "failed"; readonly detail: string }
  | {
    readonly state: "retrying";
    readonly detail: string;
    readonly retryAfterMs?: number;
    readonly busy?: boolean;
  };

/** Does an occurrence that was claimed, and ends it. Nothing when it was not the worker's any more. */
export async function runOccurrence(
  claim: ClaimedOccurrence,
  options: FilledRunOptions,
): Promise<OccurrenceReport | undefined> {
  const { task, occurrence } = claim;
  const { schedule, now } = options;
  const recurrence = await recurrenceOf(claim);
  const times = await timesOf(claim, { recurrence, now: now() });
  let ended: Ended;
  if (claim.interrupted) {
    ended = await afterLoss(claim, options);
  } else {
    if (!await schedule.start(claim, { now: now(), leaseMs: options.leaseMs })) return undefined;
    ended = await whileLeased(
      claim,
      options,
      (signal) => effect(claim, { times, options, signal }),
    );
  }
  const at = now();
  const ending = endingOf(ended, { claim, recurrence, at, options });
  const { state } = ending;
  const why = ending.detail ?? "";
  // Told before it is over: a worker that is lost in between leaves it to the next, which tells it again under the same id.
  if (state === "unknown") await notify(unknownText(task, times), { claim, times, state, options });
  if (state === "failed") {
    await notify(failedText(task, { ...times, why }), { claim, times, state, options });
  }
  if (!await schedule.finish(claim, ending)) return undefined;
  return {
    occurrenceId: occurrenceId(occurrence),
    task,
    state,
    ...times,
    ...(ending.detail === undefined ? {} : { detail: ending.detail }),
    ...("retryAt" in ending ? { retryAt: ending.retryAt } : {}),
    ...("next" in ending && ending.next !== undefined ? { next: ending.next } : {}),
  };
}

/** A rule that cannot be read any more ends its task after this occurrence. */
async function recurrenceOf({ task }: ClaimedOccurrence): Promise<Recurrence> {
  try {
    return await openRecurrence(task);
  } catch {
    return { next: () => undefined };
  }
}

async function timesOf(
  { occurrence: { dueAt } }: ClaimedOccurrence,
  { recurrence, now }: { readonly recurrence: Recurrence; readonly now: Date },
): Promise<DueTimes> {
  let missed = 0;
  for (let at = recurrence.next(dueAt); at !== undefined && at <= now; at = recurrence.next(at)) {
    if (++missed >= MAX_MISSED) break;
    // Some rules take milliseconds for each: whatever else the program does goes on meanwhile.
    if (missed % LOOKS_AT_ONCE === 0) await new Promise((resolve) => setTimeout(resolve));
  }
  return { dueAt, lateMs: Math.max(0, now.getTime() - dueAt.getTime()), missed };
}

/** What is known of an occurrence whose worker was lost. */
async function afterLoss(
  { task, occurrence }: ClaimedOccurrence,
  { channels }: FilledRunOptions,
): Promise<Ended> {
  const channel = channels.find(({ name }) => name === task.channel);
  const id = occurrenceId(occurrence);
  try {
    if (
      task.mode === "message" && await channel?.hasDelivered?.({ id, sessionId: task.sessionId })
    ) {
      return { state: "done", detail: "delivered by a program that ended right after" };
    }
  } catch {
    // Then it is not known.
  }
  return { state: "unknown", detail: "the program that had begun it ended before it was over" };
}

/** Does something while the lease is kept up; what it does is given up when the lease is lost. */
async function whileLeased<T>(
  claim: ClaimedOccurrence,
  { schedule, now, leaseMs, timers, signal }: FilledRunOptions,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const lost = new AbortController();
  let timer: unknown;
  const renewLater = () => {
    timer = timers.set(async () => {
      try {
        if (!await schedule.renew(claim, { now: now(), leaseMs })) {
          return lost.abort(new Error("another worker took this over"));
        }
      } catch {
        // The store may be back before the lease ends.
      }
      if (timer !== undefined) renewLater();
    }, leaseMs / 3);
  };
  renewLater();
  try {
    return await work(AbortSignal.any([signal, lost.signal]));
  } finally {
    timers.clear(timer);
    timer = undefined;
  }
}

interface Effect {
  readonly times: DueTimes;
  readonly options: FilledRunOptions;
  readonly signal: AbortSignal;
}

async function effect(
  claim: ClaimedOccurrence,
  { times, options, signal }: Effect,
): Promise<Ended> {
  const { task, occurrence } = claim;
  if (task.mode === "message") {
    return await deliver(task.text, { kind: "message", claim, times, options, signal });
  }
  let text = occurrence.result;
  if (text === undefined) {
    const outcome = await answer(claim, { times, options, signal });
    if (!outcome.ok) return endOf(outcome);
    text = outcome.text;
    await options.schedule.keepResult(claim, text);
  }
  // The run itself stands in its session.
  if (task.channel === SESSION_CHANNEL) return { state: "done" };
  return await deliver(text, { kind: "answer", claim, times, options, signal });
}

async function answer({ task, occurrence }: ClaimedOccurrence, { times, options, signal }: Effect) {
  const { runAgent } = options;
  if (runAgent === undefined) throw new TypeError("runDue: a task in agent mode needs runAgent");
  try {
    return await runAgent({
      occurrenceId: occurrenceId(occurrence),
      sessionId: task.sessionId,
      ...(task.scope === undefined ? {} : { scope: task.scope }),
      ...(task.userId === undefined ? {} : { userId: task.userId }),
      message: agentMessage(task, times),
      task,
      signal,
    });
  } catch (error) {
    return { ok: false, reason: reasonOf(error), retry: false } as const;
  }
}

interface Sending extends Effect {
  readonly kind: ChannelMessage["kind"];
  readonly claim: ClaimedOccurrence;
}

async function deliver(
  text: string,
  { kind, claim, times, options, signal }: Sending,
): Promise<Ended> {
  const { task, occurrence } = claim;
  const channel = options.channels.find(({ name }) => name === task.channel);
  if (channel === undefined) {
    return {
      state: "retrying",
      detail: `there is no channel ${JSON.stringify(task.channel)} here`,
    };
  }
  const message = messageOf(text, { kind, claim, times, options, id: occurrenceId(occurrence) });
  const delivery = await send(channel, message, signal);
  return delivery.ok ? { state: "done" } : endOf(delivery);
}

/** What a failure of a run or a delivery comes to. */
function endOf(
  { reason: detail, retry, retryAfterMs, busy = false }: Delivery & { readonly ok: false },
): Ended {
  if (!retry) return { state: "failed", detail };
  return {
    state: "retrying",
    detail,
    busy,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

async function send(
  channel: Channel,
  message: ChannelMessage,
  signal: AbortSignal,
): Promise<Delivery> {
  try {
    return await channel.deliver(message, { signal });
  } catch (error) {
    return { ok: false, reason: reasonOf(error), retry: true };
  }
}

/** Tells what became of an occurrence, once: on the task's channel, and in its session. What cannot be told stands in the row. */
async function notify(
  text: string,
  { claim, times, state, options }: {
    readonly claim: ClaimedOccurrence;
    readonly times: DueTimes;
    readonly state: string;
    readonly options: FilledRunOptions;
  },
): Promise<void> {
  const names = new Set([claim.task.channel, SESSION_CHANNEL]);
  const id = `${occurrenceId(claim.occurrence)}#${state}`;
  for (const channel of options.channels.filter(({ name }) => names.has(name))) {
    const message = messageOf(text, { kind: "notice", claim, times, options, id });
    await send(channel, message, options.signal);
  }
}

function messageOf(
  text: string,
  { kind, claim: { task }, times, options, id }:
    & Pick<Sending, "kind" | "claim" | "times" | "options">
    & { readonly id: string },
): ChannelMessage {
  return {
    id,
    kind,
    taskId: task.id,
    sessionId: task.sessionId,
    ...(task.title === undefined ? {} : { title: task.title }),
    text,
    zone: task.zone,
    ...times,
    at: options.now(),
  };
}

function endingOf(
  ended: Ended,
  { claim: { occurrence }, recurrence, at, options }: {
    readonly claim: ClaimedOccurrence;
    readonly recurrence: Recurrence;
    readonly at: Date;
    readonly options: FilledRunOptions;
  },
): OccurrenceEnding {
  if (ended.state === "retrying" && ended.busy) {
    const delay = Math.min(ended.retryAfterMs ?? options.retryDelayMs, MAX_ASKED_DELAY_MS);
    const retryAt = new Date(at.getTime() + delay);
    return { state: "retrying", now: at, detail: ended.detail, retryAt, uncounted: true };
  }
  if (ended.state === "retrying" && occurrence.attempts < options.maxAttempts) {
    const backoff = options.retryDelayMs * 2 ** (occurrence.attempts - 1);
    const delay = Math.max(
      Math.min(backoff, MAX_RETRY_DELAY_MS),
      Math.min(ended.retryAfterMs ?? 0, MAX_ASKED_DELAY_MS),
    );
    const retryAt = new Date(at.getTime() + delay);
    return { state: "retrying", now: at, detail: ended.detail, retryAt };
  }
  // The grid goes on behind the present, so that what was missed is not made up for; a clock that was set back repeats nothing.
  const next = recurrence.next(at > occurrence.dueAt ? at : occurrence.dueAt);
  const detail = ended.state === "retrying"
    ? `${ended.detail} (given up after ${occurrence.attempts} attempts)`
    : ended.detail;
  return {
    state: ended.state === "retrying" ? "failed" : ended.state,
    now: at,
    ...(detail === undefined ? {} : { detail }),
    ...(next === undefined ? {} : { next }),
  };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
