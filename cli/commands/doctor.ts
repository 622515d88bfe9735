/**
 * `doctor`: checks everything that a run stands on and says what was found. The checks are shown as they are made.
 */
import type { CommandContext, Outcome } from "../command.ts";
import { checkLine, type CheckResult, checkText } from "../doctor/checks.ts";
import { checkDatabase } from "../doctor/database_check.ts";
import { checkEndpoint } from "../doctor/endpoint_checks.ts";
import { checkPermissions } from "../doctor/permission_checks.ts";
import { checkProject } from "../doctor/project_checks.ts";
import { checkSandbox } from "../doctor/sandbox_checks.ts";
import { checkReach } from "../doctor/wall_check.ts";
import { EXIT_ERROR, type Failure, usageError } from "../failure.ts";
import { countOf } from "../units.ts";

/** Runs `doctor`. Its outcome is a failure of type `check` when one of the checks failed. */
export async function doctor(context: CommandContext): Promise<Outcome> {
  const { words, output, status, interrupt } = context;
  if (words.length > 0) throw usageError("doctor takes no arguments");
  const columns = columnsOfTerminal();
  const failed: string[] = [];
  for await (const check of allChecks(context)) {
    // What a signal cut short has not been checked.
    interrupt.signal.throwIfAborted();
    status.setLive();
    output.text(`${checkText(check, columns)}\n`);
    output.line(checkLine(check));
    // The live line shares the terminal with stdout: it is drawn only between two finished lines.
    await output.flush();
    if (check.state === "failed") failed.push(check.name);
    status.setLive("checking…");
  }
  if (failed.length === 0) return { exitCode: 0, status: "completed" };
  const failure: Failure = {
    type: "check",
    message: `${countOf(failed.length, "check")} failed: ${failed.join(", ")}.`,
    exitCode: EXIT_ERROR,
    cause: undefined,
  };
  return { exitCode: EXIT_ERROR, status: "error", reason: "check", failure };
}

async function* allChecks(
  { options, interrupt }: CommandContext,
): AsyncGenerator<CheckResult> {
  yield* checkEndpoint(options, interrupt.signal);
  yield* checkSandbox(interrupt.signal);
  yield await checkDatabase(options);
  yield* checkProject(options);
  yield* checkPermissions(options);
  yield checkReach(options);
}

/** Where the output goes into a pipe a check is one line, whatever its length. */
function columnsOfTerminal(): number | undefined {
  if (!Deno.stdout.isTerminal()) return undefined;
  try {
    return Deno.consoleSize().columns || 80;
  } catch {
    return 80;
  }
}
