/** What the functions of the scheduler are given, and its defaults. */
import { refuseUnknown } from "../../contracts/known_names.ts";
import type { ScheduleStore } from "../../contracts/schedule.ts";
import { checkedZone } from "./zoned_time.ts";

/** The channel of a task that names none: the session itself. */
export const SESSION_CHANNEL = "session";
/** How often a recurring message may be due at most, unless told otherwise: once a minute, which is as fine as rules are. */
export const MIN_MESSAGE_INTERVAL_MS = 60_000;
/** How often a recurring run may be due at most, unless told otherwise: every 15 minutes. Each costs money, and nobody watches. */
export const MIN_AGENT_INTERVAL_MS = 900_000;

/** Options of {@linkcode schedulerCapability} and {@linkcode schedulerTools}. */
export interface SchedulerOptions {
  /** Keeps the tasks: `schedule` of a `MemoryStore` or a `SqliteStore`, or a store of your own. */
  readonly schedule: ScheduleStore;
  /** The zone of tasks that name none: a name of the IANA database. @default the zone of this machine */
  readonly timezone?: string;
  /** Names of the channels that tasks may be delivered to; the first is that of tasks that name none. @default ["session"] */
  readonly channels?: readonly string[];
  /** Least time between two occurrences of a recurring message, in ms. @default 60_000 */
  readonly minMessageIntervalMs?: number;
  /** Least time between two occurrences of a recurring run, in ms. @default 900_000 */
  readonly minAgentIntervalMs?: number;
  /** The clock. @default () => new Date() */
  readonly now?: () => Date;
}

/** Options whose defaults are filled in. */
export type FilledOptions = Required<SchedulerOptions>;

const OPTIONS: Readonly<Record<keyof SchedulerOptions, true>> = {
  schedule: true,
  timezone: true,
  channels: true,
  minMessageIntervalMs: true,
  minAgentIntervalMs: true,
  now: true,
};

/**
 * Checks options and fills in the defaults.
 *
 * @throws {TypeError} when there is no store, or a list that is none.
 * @throws {RangeError} when the zone is none, or an interval no number of at least 0.
 */
export function filledOptions(options: SchedulerOptions, caller: string): FilledOptions {
  refuseUnknown(caller, options ?? {}, OPTIONS);
  const { schedule, channels = [SESSION_CHANNEL] } = options ?? {};
  for (const method of ["add", "get", "list", "cancel"] as const) {
    if (typeof schedule?.[method] === "function") continue;
    throw new TypeError(`${caller}: schedule must be a schedule store; it lacks ${method}`);
  }
  if (channels.length === 0 || channels.some((name) => typeof name !== "string" || name === "")) {
    throw new TypeError(`${caller}: channels must be a list of names that is not empty`);
  }
  const intervals = {
    minMessageIntervalMs: options.minMessageIntervalMs ?? MIN_MESSAGE_INTERVAL_MS,
    minAgentIntervalMs: options.minAgentIntervalMs ?? MIN_AGENT_INTERVAL_MS,
  };
  for (const [name, ms] of Object.entries(intervals)) {
    if (!(ms >= 0)) throw new RangeError(`${caller}: ${name} must be a number of at least 0`);
  }
  const timezone = options.timezone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return {
    schedule,
    channels: [...channels],
    ...intervals,
    timezone: checkedZone(timezone),
    now: options.now ?? (() => new Date()),
  };
}
