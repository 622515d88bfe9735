/**
 * Which calls of a session are wanted: by name, by how they ended, by when they began. Everything that is given must hold. Pure; wrong use throws a `CliError` of
 * type `usage`.
 */
import type { CallRow, CallRowOutcome } from "../contracts/call_log.ts";
import { type CliError, usageError } from "./failure.ts";
import { MOMENT_FORMS, parseMoment } from "./moment.ts";
import type { CliOptions } from "./option_table.ts";
import { shownValue } from "./option_value.ts";

/** The word for calls that have no outcome: their program died, or is still at it. */
const UNENDED = "never-ended";

const OUTCOMES: Readonly<Record<CallRowOutcome | typeof UNENDED, true>> = {
  ok: true,
  error: true,
  timeout: true,
  refused: true,
  result: true,
  cancelled: true,
  [UNENDED]: true,
};

/** The words of `--outcome`. */
export const OUTCOME_WORDS: readonly string[] = Object.keys(OUTCOMES);

/** Whether a call is wanted. */
export type CallFilter = (call: CallRow) => boolean;

/** The options that choose calls. */
export type CallFilterOptions = Pick<CliOptions, "name" | "outcome" | "since" | "until">;

/** Makes the filter that the options ask for. `--since` takes its moment in, `--until` does not. */
export function callFilter(options: CallFilterOptions, now: Date): CallFilter {
  const names = options.name && new Set(options.name);
  const outcomes = options.outcome && new Set(options.outcome);
  for (const word of outcomes ?? []) {
    if (!OUTCOME_WORDS.includes(word)) {
      throw wrong(`--outcome takes ${OUTCOME_WORDS.join(", ")}, not ${shownValue(word)}`);
    }
  }
  const since = momentOf("--since", options.since, { now });
  const until = momentOf("--until", options.until, { now, endOfDay: true });
  if (since !== undefined && until !== undefined && since >= until) {
    throw wrong("--since names a moment that is not before that of --until: nothing lies between");
  }
  return (call) =>
    (names === undefined || names.has(call.name)) &&
    (outcomes === undefined || outcomes.has(call.outcome ?? UNENDED)) &&
    (since === undefined || call.startedAt >= since) &&
    (until === undefined || call.startedAt < until);
}

function momentOf(
  name: string,
  text: string | undefined,
  options: { readonly now: Date; readonly endOfDay?: boolean },
): Date | undefined {
  if (text === undefined) return undefined;
  const moment = parseMoment(text, options);
  if (moment === undefined) throw wrong(`${name} takes ${MOMENT_FORMS}; not ${shownValue(text)}`);
  return moment;
}

function wrong(message: string): CliError {
  return usageError(message, "sessions calls");
}
