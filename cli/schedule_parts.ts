/**
 * The scheduler of the command, as runs can call it. Who does what is due is another matter: `serve` and `schedule run-due`.
 */
import { schedulerCapability, schedulerTools } from "../ext/scheduler/mod.ts";
import type { CallableParts } from "./callable_parts.ts";
import type { CliOptions } from "./option_table.ts";
import type { Store } from "./store_access.ts";

/** What runs can call. */
export function schedulerParts(
  { schedule }: Pick<Store, "schedule">,
  { options: { timezone }, channels }: {
    /** Names the zone of tasks that name none. */
    readonly options: Pick<CliOptions, "timezone">;
    /** Names of the channels beside `session` and `stdout`. */
    readonly channels: readonly string[];
  },
): CallableParts {
  const options = {
    schedule,
    channels: ["session", "stdout", ...channels],
    ...(timezone === undefined ? {} : { timezone }),
  };
  return { capabilities: [schedulerCapability(options)], tools: schedulerTools(options) };
}
