/**
 * What `--assistant` makes of a run: the preset, and what an assistant can call beside everything else. Loaded only when it is wanted.
 */
import type { StepStore } from "../contracts/step.ts";
import { type Assistant, createAssistant } from "../ext/assistant/mod.ts";
import { artifactParts } from "./artifact_parts.ts";
import { type CallableParts, joinParts, NOTHING_TO_CALL } from "./callable_parts.ts";
import type { CliOptions } from "./option_table.ts";
import { schedulerParts } from "./schedule_parts.ts";
import { hasRoomForFunctions } from "./small_window.ts";
import type { Store } from "./store_access.ts";

/** What an assistant can call in a run that no server makes: it saves artifacts and schedules. */
export function assistantFunctions(
  options: Pick<
    CliOptions,
    "timezone" | "contextWindow" | "cwd" | "allowExec" | "dangerouslyAllowShell"
  >,
  store: Store,
): CallableParts {
  const parts = joinParts([artifactParts(store), schedulerParts(store, { options, channels: [] })]);
  return hasRoomForFunctions(options) ? parts : { ...parts, capabilities: [] };
}

/** The preset, over the store of the command. `timeZone` is checked by then; the guidelines tell of what is `brought`. */
export function commandAssistant(
  options: Pick<CliOptions, "timezone" | "maxSteps">,
  { store, brought = NOTHING_TO_CALL }: {
    readonly store: StepStore;
    /** What the command lets runs call. @default nothing */
    readonly brought?: CallableParts | undefined;
  },
): Assistant {
  const { timezone, maxSteps } = options;
  const has = (wanted: string) => brought.capabilities.some(({ name }) => name === wanted);
  const { isKnownAddress } = brought;
  return createAssistant({
    steps: store,
    ...(timezone === undefined ? {} : { timeZone: timezone }),
    ...(maxSteps === undefined ? {} : { maxIterations: maxSteps }),
    ...(isKnownAddress === undefined ? {} : { isKnownAddress }),
    guidelines: { artifacts: has("artifacts"), scheduler: has("scheduler") },
  });
}
