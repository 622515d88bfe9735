/** The `scheduler` capability: the functions that scripts call, and what a model is told of them. */
import type { JsonValue } from "../../contracts/json.ts";
import type { Capability, Pack } from "../../contracts/sandbox.ts";
import type { ToolArguments } from "../../contracts/tool.ts";
import { checkArguments } from "./check_arguments.ts";
import { schedulerFunctions } from "./scheduler_functions.ts";
import { filledOptions, type SchedulerOptions } from "./scheduler_options.ts";

/**
 * A capability named `scheduler`: `proactive_create`, `proactive_list` and `proactive_cancel`, each with one object.
 *
 * The default policy lets a message to the session itself pass, and asks about every other task: see `OWN_MESSAGE_TARGET`. To list and to cancel the session's own tasks
 * passes. Something has to run what is due: `startScheduler`, or `runDue`.
 *
 * @throws {TypeError} when there is no schedule store, or no such option.
 * @throws {RangeError} when the zone is none, or an interval no number of at least 0.
 */
export function schedulerCapability(options: SchedulerOptions): Capability {
  const pack = schedulerPack(options);
  return { name: "scheduler", description: "messages and runs for later", build: () => [pack] };
}

/**
 * The pack of {@linkcode schedulerCapability}, for those who compose capabilities of their own.
 *
 * @throws {TypeError} see there.
 */
export function schedulerPack(options: SchedulerOptions): Pack {
  const filled = filledOptions(options, "schedulerCapability");
  const functions = schedulerFunctions(filled);
  return {
    name: "scheduler",
    prompt: promptFor(filled),
    functions: functions.map(({ name, sideEffect, target, preview, execute, ...rest }) => ({
      name,
      sideEffect,
      ...(target === undefined ? {} : { target: ([args]) => target(objectOf(args)) }),
      ...(preview === undefined ? {} : { preview: ([args]) => preview(objectOf(args)) }),
      execute: (args, context) => {
        const checked = checkArguments(args[0] ?? {}, rest);
        if (!checked.ok) throw new TypeError(`${name}: ${checked.issues.join("; ")}`);
        return execute(checked.value as ToolArguments, context);
      },
    })),
  };
}

function promptFor(
  { channels, timezone }: { readonly channels: readonly string[]; readonly timezone: string },
): string {
  const channel = channels.length > 1
    ? ` channel?: ${channels.map((name) => JSON.stringify(name)).join(" | ")};`
    : "";
  return `/** Schedules text for later: "message" delivers it, "agent" has an agent do what it says. Give one of at ("2026-03-01T09:00"), delay ("2m", "1h30m"), delay_ms, cron (five fields; if day of month and day of week are both set, either is enough), rrule (at is then its start). timezone: IANA name, default ${timezone}. */
declare function proactive_create(task: { title?: string; text: string; execution_mode: "message" | "agent"; at?: string; delay?: string; delay_ms?: number; cron?: string; rrule?: string; timezone?: string;${channel} }): { id: string; due: string[]; timezone: string; recurring: boolean; note?: string };
/** The tasks of this conversation. */
declare function proactive_list(): { id: string; title?: string; text: string; execution_mode: string; state: string; due?: string; last?: { outcome: string } }[];
declare function proactive_cancel(task: { id: string }): boolean;`;
}

/** The arguments as they were written, without what was left out by `null`. */
function objectOf(args: JsonValue | undefined): ToolArguments {
  if (typeof args !== "object" || args === null || Array.isArray(args)) return {};
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null));
}
