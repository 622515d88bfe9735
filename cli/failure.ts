/**
 * Failures as the command tells them: one message, one type for programs, one exit code.
 * Nothing outside this folder turns an error into text or an exit code.
 */
import { AgentLoopError, type ErrorCode } from "../contracts/errors.ts";
import { flagInMessage } from "./permission_flag.ts";

/** Exit code of a completed run, and of every command that did what it was asked. */
export const EXIT_OK = 0;
/** Exit code of a failure of any kind that has no code of its own. */
export const EXIT_ERROR = 1;
/** Exit code of wrong use of the command. */
export const EXIT_USAGE = 3;
/** Exit code when the reader of stdout went away: 128 + SIGPIPE, as a program has that dies of it. */
export const EXIT_BROKEN_PIPE = 141;

/**
 * What failed, as one word for programs: a code of `AgentLoopError`, or one of the command's own: `usage` (wrong arguments), `input` (a file or stdin
 * that cannot be read), `output` (stdout cannot be written), `session_missing` (no such session), `artifact_missing` (no such artifact, or not in this version), `permission` (the runtime was not allowed something),
 * `check` (a check of `doctor` or `demo` did not pass), `max_iterations`, `limit` and `waiting` (the run ended without an answer, and can be continued).
 */
export type FailureType =
  | ErrorCode
  | "usage"
  | "input"
  | "output"
  | "session_missing"
  | "artifact_missing"
  | "permission"
  | "check"
  | "max_iterations"
  | "limit"
  | "waiting";

/** A failure that a user can cause or can mend; shown without a stack. */
export class CliError extends Error {
  /** What failed, for programs. */
  readonly type: FailureType;
  /** What to try, as a line of its own; shown to people only. */
  readonly hint?: string;

  /** Creates a failure of a type with a message for people. */
  constructor(
    type: FailureType,
    message: string,
    options: { readonly hint?: string; readonly cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "CliError";
    this.type = type;
    if (options.hint !== undefined) this.hint = options.hint;
  }
}

/** A failure that is wrong use of the command, with a pointer to the help of the command where it is known. */
export function usageError(message: string, command?: string): CliError {
  return new CliError("usage", message, { hint: helpHint(command) });
}

/** Where help is; that of a message is the overview. */
function helpHint(command?: string): string {
  return `Try: agentloop help${command === undefined ? "" : ` ${command.split(" ")[0]}`}`;
}

/** The same failure, with a pointer to the help of the command where it has one to the overview. */
export function ofCommand(failure: Failure, command: string): Failure {
  if (failure.hint !== helpHint() || command === "run" || command === "help") return failure;
  return { ...failure, hint: helpHint(command) };
}

/** A failure in the form in which it is printed. */
export interface Failure {
  /** What failed, for programs. */
  readonly type: FailureType;
  /** What failed, for people. */
  readonly message: string;
  /** What to try. */
  readonly hint?: string;
  /** The exit code that belongs to it. */
  readonly exitCode: number;
  /** What was thrown, for whoever looks for the defect. */
  readonly cause: unknown;
}

/** Turns whatever was thrown into what is printed. */
export function describeFailure(error: unknown): Failure {
  if (error instanceof CliError) {
    return {
      type: error.type,
      message: error.message,
      ...(error.hint === undefined ? {} : { hint: error.hint }),
      exitCode: error.type === "usage" ? EXIT_USAGE : EXIT_ERROR,
      cause: error,
    };
  }
  if (error instanceof AgentLoopError && error.code !== "internal") {
    const hint = hintFor(error);
    return {
      type: error.code,
      message: error.message,
      ...(hint === undefined ? {} : { hint }),
      exitCode: EXIT_ERROR,
      cause: error,
    };
  }
  if (error instanceof Deno.errors.NotCapable) {
    return {
      type: "permission",
      message: `The runtime was not allowed something that is needed: ${error.message}`,
      hint: grantHint(error.message),
      exitCode: EXIT_ERROR,
      cause: error,
    };
  }
  return {
    type: "internal",
    message: `Internal error: ${messageOf(error)}`,
    hint: "This is a defect of agentloop. AGENTLOOP_DEBUG=1 shows where it happened.",
    exitCode: EXIT_ERROR,
    cause: error,
  };
}

function grantHint(message: string): string {
  const flag = flagInMessage(message);
  const whole = "deno run -A cli.ts grants everything";
  return flag === undefined
    ? `Start the command with more permissions; ${whole}.`
    : `Start it with deno run ${flag} beside the flags that it has; ${whole}.`;
}

/** Variables that messages name, and the options that say the same for one run. */
const OPTION_OF_VARIABLE = {
  OPENAI_CHAT_MODEL: "--model NAME",
  OPENAI_BASE_URL: "--base-url URL",
} as const;

function hintFor({ message }: AgentLoopError): string | undefined {
  const options = Object.entries(OPTION_OF_VARIABLE)
    .filter(([variable]) => message.includes(variable)).map(([, option]) => option);
  return options.length === 0 ? undefined : `On the command line: ${options.join(", ")}.`;
}

/** The message of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
