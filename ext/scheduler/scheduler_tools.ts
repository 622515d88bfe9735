/** The scheduler as tools, for models that call by name. They fit into a `ToolRegistry` beside those of `defineTool`. */
import type { Tool } from "../../contracts/tool.ts";
import { checkArguments } from "./check_arguments.ts";
import { schedulerFunctions } from "./scheduler_functions.ts";
import { filledOptions, type SchedulerOptions } from "./scheduler_options.ts";

/**
 * The tools `proactive_create`, `proactive_list` and `proactive_cancel`. What they need and do is the same as for scripts.
 *
 * @throws {TypeError} when there is no schedule store, or no such option.
 * @throws {RangeError} when the zone is none, or an interval no number of at least 0.
 */
export function schedulerTools(options: SchedulerOptions): readonly Tool[] {
  return schedulerFunctions(filledOptions(options, "schedulerTools"))
    .map(({ properties, required, ...rest }) => {
      const parameters = {
        type: "object",
        properties: { ...properties },
        required: [...required],
        additionalProperties: false,
      };
      const check = (args: unknown) =>
        Promise.resolve(checkArguments(args, { properties, required }));
      // `check` makes sure of what these get.
      return { ...rest, parameters, check } as Tool;
    });
}
