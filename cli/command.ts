/**
 * What a command is given and what it gives back. A command never writes the result line and never picks how a failure is printed: `dispatch.ts` does,
 * so that there is exactly one result however a command ends.
 */
import type { JsonValue } from "../contracts/json.ts";
import type { RunResult } from "../contracts/loop.ts";
import type { RunStatus } from "../contracts/session.ts";
import type { Failure } from "./failure.ts";
import type { Interrupt } from "./interrupt.ts";
import type { CliOptions } from "./option_table.ts";
import type { Output } from "./output.ts";
import type { Status } from "./status.ts";

/** What help says of a command. */
export interface CommandInfo {
  /** Its name: one word, or two for a command of a group (`sessions ls`). */
  readonly name: string;
  /** What follows the name. */
  readonly usage: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** More lines for `help NAME`. */
  readonly details: readonly string[];
  /** The options that it takes, by field. */
  readonly options: readonly (keyof CliOptions)[];
  /** What an option does here, where that is not what it does elsewhere. */
  readonly optionHelp?: Partial<Readonly<Record<keyof CliOptions, string>>>;
}

/** What a command works with. */
export interface CommandContext {
  /** Every command, in the order of the help text. */
  readonly commands: readonly CommandInfo[];
  /** The options. */
  readonly options: CliOptions;
  /** The words behind the command's name. */
  readonly words: readonly string[];
  /** stdout. */
  readonly output: Output;
  /** stderr: activity, warnings. */
  readonly status: Status;
  /** Ctrl-C and its kin. */
  readonly interrupt: Interrupt;
}

/** How a command ended. */
export interface Outcome {
  /** The exit code. */
  readonly exitCode: number;
  /** `completed` for everything that did what it was asked. */
  readonly status: RunStatus;
  /** What goes to stdout, or into the result line. Absent: nothing is printed. */
  readonly text?: string;
  /** The text is a model's answer. @default false */
  readonly isAnswer?: boolean;
  /** More about the end, as `RunResult.reason`. */
  readonly reason?: string;
  /** What failed; printed to stderr. */
  readonly failure?: Failure;
  /** The run behind it, where there was one. */
  readonly run?: RunResult;
  /** Fields of the result line beside the usual ones; names in snake_case. */
  readonly extra?: { readonly [key: string]: JsonValue };
}

/** A command. What it throws is printed and ends the program with the exit code that belongs to it. */
export type Command = (context: CommandContext) => Promise<Outcome>;

/** The outcome of a command that did what it was asked. */
export function succeeded(text?: string): Outcome {
  return { exitCode: 0, status: "completed", ...(text === undefined ? {} : { text }) };
}
