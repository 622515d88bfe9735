/**
 * The border of every store in this folder: checks what a caller hands in and gives it the one form that is stored.
 * Pure; leaves storing to the stores. What passes here is safe to keep and to read back unchanged.
 */
import type { FinalizeSummary } from "../contracts/session.ts";
import type { NewRunStep, RunStep } from "../contracts/step.ts";

/** A step whose defaults are filled in and whose text is well-formed; only its index is missing. */
export type CheckedStep = Omit<RunStep, "stepIndex">;

/**
 * Checks a step and fills in its defaults. The date is copied, so that a caller who changes it later changes nothing here.
 *
 * Lone surrogates become U+FFFD: UTF-8 cannot hold them, and a provider that is strict refuses every request that repeats one.
 *
 * @throws {TypeError} when a field is missing or of the wrong type.
 * @throws {RangeError} when a number is negative, or too large to be kept exactly.
 */
export function checkedStep(step: NewRunStep): CheckedStep {
  const { createdAt } = step;
  if (!(createdAt instanceof Date)) {
    throw new TypeError(`A step's createdAt must be a Date, not ${typeName(createdAt)}.`);
  }
  if (Number.isNaN(createdAt.getTime())) {
    throw new RangeError("A step's createdAt is not a valid date.");
  }
  const toolArgs = optionalText(step.toolArgs, "A step's toolArgs");
  return {
    sessionId: checkedSessionId(step.sessionId),
    runId: text(step.runId, "A step's runId"),
    stepType: text(step.stepType, "A step's stepType") as NewRunStep["stepType"],
    content: text(step.content, "A step's content"),
    ...(toolArgs === undefined ? {} : { toolArgs }),
    durationMs: duration(step.durationMs ?? 0, "A step's durationMs"),
    promptTokens: count(step.promptTokens ?? 0, "A step's promptTokens"),
    completionTokens: count(step.completionTokens ?? 0, "A step's completionTokens"),
    createdAt: new Date(createdAt),
  };
}

/**
 * Checks steps that are to be appended together.
 *
 * @throws {TypeError} when they belong to several sessions; for the rest like `checkedStep`.
 */
export function checkedSteps(steps: readonly NewRunStep[]): CheckedStep[] {
  const checked = steps.map(checkedStep);
  if (checked.some(({ sessionId }) => sessionId !== checked[0]?.sessionId)) {
    throw new TypeError("Steps that are appended together must be of one session.");
  }
  return checked;
}

/**
 * Checks a session id: any text but the empty one. Ill-formed text is refused, since replacing it could make two ids one.
 *
 * @throws {TypeError} when it is not such a text.
 */
export function checkedSessionId(sessionId: string): string {
  if (typeof sessionId !== "string" || sessionId === "") {
    throw new TypeError(
      `A session id must be a non-empty string, not ${
        sessionId === "" ? '""' : typeName(sessionId)
      }.`,
    );
  }
  if (!sessionId.isWellFormed()) {
    throw new TypeError("A session id must be well-formed Unicode; this one has a lone surrogate.");
  }
  return sessionId;
}

/**
 * Checks the number of steps that `lastN` is asked for.
 *
 * @throws {RangeError} when it is not a whole number of at least 0, or `Infinity`.
 */
export function checkedStepLimit(n: number): number {
  if (n === Infinity || (Number.isInteger(n) && n >= 0)) return n;
  throw new RangeError(`lastN needs a whole number of at least 0, or Infinity, not ${String(n)}.`);
}

/**
 * Checks the number of sessions that `list` is asked for.
 *
 * @throws {RangeError} when it is not a whole number of at least 0, or `Infinity`.
 */
export function checkedListLimit(limit: number = Infinity): number {
  if (limit === Infinity || (Number.isInteger(limit) && limit >= 0)) return limit;
  throw new RangeError(
    `list needs a limit that is a whole number of at least 0, not ${String(limit)}.`,
  );
}

/**
 * Checks a session's data: JSON text, which is not parsed here.
 *
 * @throws {TypeError} when it is not a string.
 */
export function checkedData(json: string): string {
  return text(json, "A session's data");
}

/**
 * Checks the figures of an ended run.
 *
 * @throws {TypeError} when a field has the wrong type.
 * @throws {RangeError} when a figure is not a number that can be kept exactly.
 */
export function checkedSummary(summary: FinalizeSummary): FinalizeSummary {
  const reason = optionalText(summary.reason, "A run's reason");
  const { dataBytesCarried } = summary;
  if (!Number.isSafeInteger(dataBytesCarried)) {
    throw new RangeError(
      `A run's dataBytesCarried must be a whole number within ±(2^53 − 1), not ${
        String(dataBytesCarried)
      }.`,
    );
  }
  return {
    runId: text(summary.runId, "A run's runId"),
    status: text(summary.status, "A run's status") as FinalizeSummary["status"],
    ...(reason === undefined ? {} : { reason }),
    promptTokens: count(summary.promptTokens, "A run's promptTokens"),
    completionTokens: count(summary.completionTokens, "A run's completionTokens"),
    stepCount: count(summary.stepCount, "A run's stepCount"),
    durationMs: duration(summary.durationMs, "A run's durationMs"),
    dataBytesCarried,
  };
}

/**
 * Checks a text that may be left out.
 *
 * @throws {TypeError} when it is neither a string nor undefined.
 */
export function optionalText(value: string | undefined, what: string): string | undefined {
  return value === undefined ? undefined : text(value, what);
}

/**
 * Adds a figure to a total, of a session or a scope.
 *
 * @throws {RangeError} when the sum can no longer be kept exactly.
 */
export function addToTotal(total: number, figure: number, what: string): number {
  const sum = total + figure;
  if (Number.isSafeInteger(sum)) return sum;
  throw new RangeError(
    `The sum of the ${what} would pass 2^53 − 1 and could not be kept exactly.`,
  );
}

export function text(value: string, what: string): string {
  if (typeof value === "string") return value.toWellFormed();
  throw new TypeError(`${what} must be a string, not ${typeName(value)}.`);
}

export function count(value: number, what: string): number {
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new RangeError(
    `${what} must be a whole number from 0 to 2^53 − 1, not ${String(value)}.`,
  );
}

export function duration(value: number, what: string): number {
  if (typeof value === "number" && Number.isFinite(value) && value >= 0) return value;
  throw new RangeError(`${what} must be a number of at least 0, not ${String(value)}.`);
}

export function typeName(value: unknown): string {
  return value === null ? "null" : typeof value;
}
