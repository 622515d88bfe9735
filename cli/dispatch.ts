/**
 * From arguments to exit code: parses, runs one command, prints its text or its failure, writes the one result line of JSON mode.
 * Every way out but the second signal goes through here.
 */
import { showAnswer } from "./answer.ts";
import {
  asksForJson,
  parseCommandLine,
  type ParsedCommandLine,
  refuseUnused,
} from "./arguments.ts";
import { type CommandContext, type Outcome, succeeded } from "./command.ts";
import { COMMANDS, type CommandSpec } from "./command_table.ts";
import { findConfig } from "./config/find_config.ts";
import { describeFailure, EXIT_BROKEN_PIPE, EXIT_ERROR, ofCommand } from "./failure.ts";
import { listenForInterrupts } from "./interrupt.ts";
import type { SecretOptions } from "./failure_without_secrets.ts";
import type { CliOptions } from "./option_table.ts";
import { openOutput, ReaderGone } from "./output.ts";
import { printFailure } from "./print_failure.ts";
import { resultLine } from "./result_line.ts";
import { openStatus, type Status } from "./status.ts";
import { oneLine } from "./terminal_text.ts";
import { isDumb, mayStyle, terminalSize } from "./terminal_size.ts";
import { VERSION } from "./version.ts";

/** A second signal ends the program at once, but for this time, in ms: output that somebody reads is written by then. */
const LEAVING_MS = 100;

/** Runs the command that the arguments name and resolves with the exit code, all output written. Never throws. */
export async function dispatch(args: readonly string[]): Promise<number> {
  const startedAt = performance.now();
  const output = openOutput(Deno.stdout, asksForJson(args));
  let status = openStatus(Deno.stderr);
  let given: SecretOptions & Pick<CliOptions, "raw" | "noColor"> = { raw: false, noColor: false };
  const last = (outcome: Outcome) => resultLine(outcome, performance.now() - startedAt);
  let isTold = false;
  async function leave(exitCode: number): Promise<never> {
    status.setLive();
    // What is being written just now is written to its end where somebody reads, so that the result is a line of its own behind it.
    await Promise.race([output.flush(), new Promise((resolve) => setTimeout(resolve, LEAVING_MS))]);
    if (!isTold) output.lastLine(last(stopped(exitCode)));
    Deno.exit(exitCode);
  }
  using interrupt = listenForInterrupts((exitCode) => void leave(exitCode));

  async function attempt(): Promise<Outcome> {
    let name: string | undefined;
    try {
      const parsed = parseCommandLine(args);
      const { command, words } = parsed;
      name = command.name;
      given = parsed.options;
      const { options, told } = await withConfig(parsed);
      given = options;
      refuseUnused(parsed, options);
      status = openStatusFor(options);
      if (told !== undefined) status.detail(told);
      const context = { commands: COMMANDS, options, words, output, status, interrupt };
      return await Promise.race([runCommand(command, context), strayError()]);
    } catch (error) {
      const { exitCode } = interrupt;
      return exitCode === undefined ? failed(error, name) : stopped(exitCode);
    }
  }

  const outcome = await withoutSecrets(await attempt(), given);
  status.setLive();
  if (outcome.text !== undefined) {
    if (outcome.isAnswer) await showAnswer(outcome.text, { output, options: given });
    else output.text(outcome.text.endsWith("\n") ? outcome.text : `${outcome.text}\n`);
  }
  isTold = true;
  output.line(last(outcome));
  await output.flush();
  if (output.closed.aborted) {
    if (output.closed.reason instanceof ReaderGone) return EXIT_BROKEN_PIPE;
    printFailure(describeFailure(output.closed.reason), status);
    return outcome.exitCode || EXIT_ERROR;
  }
  if (outcome.failure !== undefined) printFailure(outcome.failure, status);
  return outcome.exitCode;
}

async function withoutSecrets(
  outcome: Outcome,
  given: SecretOptions,
): Promise<Outcome> {
  const { failure } = outcome;
  if (failure === undefined) return outcome;
  const { failureWithoutSecrets } = await import("./failure_without_secrets.ts");
  return { ...outcome, failure: failureWithoutSecrets(failure, given) };
}

/** The options of the command line, and below them those of the project's config file, with a line about these. */
async function withConfig(
  parsed: ParsedCommandLine,
): Promise<{ readonly options: CliOptions; readonly told?: string }> {
  const { command, options } = parsed;
  // A command that cannot be told to leave the file out reads none: it works where the file is broken.
  const reads = command.options.includes("noConfig") && !options.noConfig && !options.version;
  const file = reads ? await findConfig(options.cwd) : undefined;
  if (file === undefined) return { options };
  const { applyConfig } = await import("./config/apply_config.ts");
  const applied = await applyConfig(parsed, file);
  const told = `options of ${oneLine(file.path, 300)}: ${applied.keys.join(", ") || "none"}`;
  return { options: applied.options, told };
}

async function runCommand(command: CommandSpec, context: CommandContext): Promise<Outcome> {
  if (context.options.version) return succeeded(`agentloop ${VERSION}`);
  const run = await command.load();
  return await run(context);
}

/** Rejects with the first error that nobody awaited, so that it ends the program like any other failure. */
function strayError(): Promise<never> {
  return new Promise((_, reject) => {
    globalThis.addEventListener("unhandledrejection", (event) => {
      event.preventDefault();
      reject(event.reason);
    });
    globalThis.addEventListener("error", (event) => {
      event.preventDefault();
      reject(event.error);
    });
  });
}

function failed(error: unknown, command?: string): Outcome {
  const described = describeFailure(error);
  const failure = command === undefined ? described : ofCommand(described, command);
  return { exitCode: failure.exitCode, status: "error", reason: failure.type, failure };
}

function stopped(exitCode: number): Outcome {
  const failure = { type: "aborted", message: "Stopped.", exitCode, cause: undefined } as const;
  return { exitCode, status: "error", reason: "aborted", failure };
}

function openStatusFor(options: CliOptions): Status {
  const terminal = Deno.stderr.isTerminal() && !isDumb();
  return openStatus(Deno.stderr, {
    // A program reads the events from stdout: the same again as prose would only be in its way.
    level: options.verbose ? "verbose" : options.quiet || options.json ? "quiet" : "normal",
    color: terminal && mayStyle(options),
    live: terminal,
    columns: () => terminalSize().columns,
  });
}
