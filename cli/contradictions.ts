/**
 * The options that exclude each other, once: for the command line, for a config file, and for where both meet. Pure.
 */
import type { CliOptions } from "./option_table.ts";

/** Two options that cannot both hold. */
export interface Contradiction {
  /** The two. */
  readonly fields: readonly [keyof CliOptions, keyof CliOptions];
  /** Why not. */
  readonly why: string;
}

const NOTHING_TO_REACH = "without the functions there is nothing to allow";
const NOTHING_TO_RUN = "without the function there is nothing to allow";

/** Every pair. */
export const CONTRADICTIONS: readonly Contradiction[] = [
  { fields: ["session", "continue"], why: "both choose the session" },
  { fields: ["ephemeral", "continue"], why: "a session in memory has nothing to go on with" },
  { fields: ["ephemeral", "db"], why: "an ephemeral run writes no database" },
  { fields: ["ephemeral", "memory"], why: "what is remembered would be gone with the run" },
  { fields: ["noNetwork", "allowNet"], why: NOTHING_TO_REACH },
  { fields: ["noNetwork", "allowPrivateNet"], why: NOTHING_TO_REACH },
  { fields: ["noNetwork", "search"], why: "a search reaches a network" },
  { fields: ["noExec", "allowExec"], why: NOTHING_TO_RUN },
  { fields: ["noExec", "dangerouslyAllowShell"], why: NOTHING_TO_RUN },
  { fields: ["noSkills", "skillsDir"], why: "without skills no folder has any" },
  { fields: ["allow", "deny"], why: "they are opposite words" },
  { fields: ["deny", "args"], why: "what is refused is made with no arguments" },
  { fields: ["allow", "args"], why: "--args alone makes the call, with these arguments" },
  { fields: ["quiet", "verbose"], why: "they ask for opposite things" },
];

/** Whether an option says anything: a flag that is not set and an empty list do not. */
export function saysSomething(value: CliOptions[keyof CliOptions]): boolean {
  return value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0);
}

/** The first pair of which both hold. */
export function contradictionIn(options: Partial<CliOptions>): Contradiction | undefined {
  return CONTRADICTIONS.find(({ fields }) =>
    fields.every((field) => saysSomething(options[field]))
  );
}

/** The options that an option excludes. */
export function excludedBy(field: keyof CliOptions): readonly (keyof CliOptions)[] {
  return CONTRADICTIONS.flatMap(({ fields: [one, other] }) =>
    one === field ? [other] : other === field ? [one] : []
  );
}
