/**
 * The options that hold for nothing without another, once: for the command line, and for lines that are shown to be copied. Pure. In a config file
 * such an option may stand for the times when the other one is given.
 */
import { saysSomething } from "./contradictions.ts";
import type { CliOptions } from "./option_table.ts";

/** What an option needs. */
export interface Need {
  /** The option. */
  readonly field: keyof CliOptions;
  /** The one that it needs. */
  readonly needs: keyof CliOptions;
  /** What it is for. */
  readonly why: string;
  /** The commands in which it holds by itself. */
  readonly except: readonly string[];
}

const NEEDS: readonly Need[] = [
  {
    field: "timezone",
    needs: "assistant",
    why: "it says where the user of an assistant is",
    // Whatever runs there can schedule, and tasks that name no zone get this one.
    except: ["serve"],
  },
];

/** What an option needs, where it needs one. */
export function needOf(field: keyof CliOptions): Need | undefined {
  return NEEDS.find((need) => need.field === field);
}

/** What an option needs and has not, in a command. */
export function unmetNeed(
  field: keyof CliOptions,
  { command, options }: { readonly command: string; readonly options: Partial<CliOptions> },
): Need | undefined {
  const need = needOf(field);
  if (need === undefined || need.except.includes(command)) return undefined;
  return saysSomething(options[need.needs]) ? undefined : need;
}
