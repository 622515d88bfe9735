/**
 * How an invocation answers what the policy wants asked: by a person at the terminal, by the program that drives it, always yes, always no, or later.
 */
import { usageError } from "../failure.ts";
import type { CliOptions } from "../option_table.ts";

/** The ways. */
export type ApprovalMode = "prompt" | "stdio" | "auto" | "deny" | "wait";

/**
 * The way that the options and the terminal ask for. Where nobody can be asked, and nothing is said, the answer is no: a run that nobody watches
 * must not wait for ever.
 *
 * @throws {CliError} `usage` for a way that there is not, for `prompt` where there is no terminal, for `stdio` without JSON lines, and for `wait` where nothing is kept.
 */
export function approvalMode(
  { approve, json, ephemeral }: Pick<CliOptions, "approve" | "json" | "ephemeral">,
  isTerminal: boolean,
): ApprovalMode {
  switch (approve) {
    case undefined:
      return isTerminal && !json ? "prompt" : "deny";
    case "auto":
    case "deny":
      return approve;
    case "prompt":
      if (isTerminal) return "prompt";
      throw usageError(
        "--approve prompt needs a terminal for stdin and stderr; without one, --approve auto or --approve deny decide",
      );
    case "stdio":
      if (json) return "stdio";
      throw usageError("--approve stdio needs --json: the questions are lines on stdout");
    case "wait":
      if (!ephemeral) return "wait";
      throw usageError("--approve wait needs a session that is kept: leave --ephemeral out");
    default:
      throw usageError(
        `--approve takes prompt, stdio, auto, deny or wait, not ${JSON.stringify(approve)}`,
      );
  }
}

/** Whether a person can be asked. */
export function isAtTerminal(): boolean {
  return Deno.stdin.isTerminal() && Deno.stderr.isTerminal();
}
