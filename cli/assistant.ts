/**
 * What `--assistant` makes of a run: the preset, and what an assistant's scripts can call beside everything else. Loaded only when it is wanted.
 */
import type { Capability } from "../contracts/sandbox.ts";
import type { StepStore } from "../contracts/step.ts";
import { type Assistant, createAssistant } from "../ext/assistant/mod.ts";
import { type CallableParts, NOTHING_TO_CALL } from "./callable_parts.ts";
import type { CliOptions } from "./option_table.ts";

/** The preset and its functions. */
export interface AssistantParts {
  /** What the loop and each message get. */
  readonly assistant: Assistant;
  /** What scripts can call because of it. */
  readonly capabilities: readonly Capability[];
}

/**
 * The parts, over the store of the command. `timeZone` is checked by then.
 *
 * Whatever an assistant can do is added here: its capability to `capabilities`, from which the guidelines take what they tell of, and where it gives addresses,
 * `isKnownAddress` to the preset.
 */
export function assistantParts(
  options: Pick<CliOptions, "timezone" | "maxSteps">,
  { store, brought = NOTHING_TO_CALL }: {
    readonly store: StepStore;
    /** What the command lets runs call anyway; the guidelines tell of it too. @default nothing */
    readonly brought?: CallableParts | undefined;
  },
): AssistantParts {
  const { timezone, maxSteps } = options;
  const capabilities: readonly Capability[] = [];
  const callable = [...capabilities, ...brought.capabilities];
  const has = (wanted: string) => callable.some(({ name }) => name === wanted);
  const { isKnownAddress } = brought;
  const assistant = createAssistant({
    steps: store,
    ...(timezone === undefined ? {} : { timeZone: timezone }),
    ...(maxSteps === undefined ? {} : { maxIterations: maxSteps }),
    ...(isKnownAddress === undefined ? {} : { isKnownAddress }),
    guidelines: { artifacts: has("artifacts"), scheduler: has("scheduler") },
  });
  return { assistant, capabilities };
}
