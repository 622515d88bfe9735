/**
 * What a task for a real model is: a message, the host functions that hold its data, and a check of the final text.
 * The tasks themselves stand in tasks.ts and tuning_tasks.ts.
 */
import type { Capability, HostFunction } from "../../contracts/sandbox.ts";

/** One task with a checkable answer. */
export interface Task {
  /** Name in tables and file names: words joined by hyphens. */
  readonly name: string;
  /** What the user says. Everything that the answer depends on is here or behind `capability`. */
  readonly message: string;
  /** The host functions that hold the data, for tasks that have any. */
  readonly capability?: Capability;
  /** Looks at the final text. Gives `undefined` when it is right, else what is missing. Does not throw. */
  readonly check: (finalText: string) => string | undefined;
}

/** A host function that computes its result from its arguments and touches nothing. */
export function dataFunction(name: string, execute: HostFunction["execute"]): HostFunction {
  return { name, execute };
}

/** One capability with one pack that holds the functions of a task. */
export function dataCapability(
  name: string,
  options: { readonly prompt: string; readonly functions: readonly HostFunction[] },
): Capability {
  return {
    name,
    description: `Data of the task ${name}`,
    alwaysOn: true,
    build: () => [{ name, prompt: options.prompt, functions: options.functions }],
  };
}
