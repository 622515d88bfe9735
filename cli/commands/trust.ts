/**
 * `trust`: shows what the project's config file says that needs trust, asks, and remembers the file as it is.
 */
import type { CommandContext, Outcome } from "../command.ts";
import { isAtTerminal } from "../approval/approval_mode.ts";
import { escapeUnseen } from "../approval/approval_text.ts";
import { needsTrust } from "../config/apply_config.ts";
import { type ConfigFile, findConfig } from "../config/find_config.ts";
import { type ConfigEntry, readConfig } from "../config/read_config.ts";
import { recordTrust, trustState } from "../config/trust_record.ts";
import { CliError, usageError } from "../failure.ts";
import { openLines } from "../line_editor/open_lines.ts";
import { terminalSize } from "../terminal_size.ts";
import { oneLine } from "../terminal_text.ts";
import { cutIntoPieces } from "../wrap_text.ts";

/** Before each row on which a value goes on. */
const CONTINUED = "  ┆ ";

/** Runs `trust`. */
export async function trust(context: CommandContext): Promise<Outcome> {
  const { options, words, status } = context;
  if (words.length > 0) throw usageError("trust takes no arguments; --cwd says where", "trust");
  const file = await configOf(options.cwd);
  const entries = (await readConfig(file)).filter(needsTrust);
  const path = oneLine(file.path, 300);
  if (entries.length === 0) {
    status.line(`${path} says nothing that needs trust.`);
    return outcome(file, { entries, trusted: trustState(file) === "trusted" });
  }
  if (trustState(file) === "trusted") {
    status.line(`${path} is trusted already.`);
    return outcome(file, { entries, trusted: true });
  }
  const mayAsk = isAtTerminal() && !options.json;
  if (!options.yes && !mayAsk) {
    throw usageError(
      "trust asks at a terminal, and there is none to ask at; --yes answers with yes",
      "trust",
    );
  }
  if (!options.json) {
    const keys = entries.map(({ key }) => key).join(", ");
    const lines = [`${path} says:`, ...entries.flatMap(shown), `What needs trust is: ${keys}`];
    status.error(lines.join("\n"), "plain");
  }
  if (!options.yes) {
    const answer = await ask(context);
    if (answer !== "yes") {
      status.line("It is not trusted.");
      return {
        exitCode: answer === "stopped" ? context.interrupt.exitCode ?? 130 : 1,
        status: "error",
        reason: "refused",
      };
    }
  }
  recordTrust(file);
  status.line(`${path} is trusted until it changes.`);
  return outcome(file, { entries, trusted: true });
}

/** The config file for a folder. */
export async function configOf(cwd: string | undefined): Promise<ConfigFile> {
  const file = await findConfig(cwd);
  if (file !== undefined) return file;
  throw new CliError(
    "input",
    `There is no .agentloop/config.json for ${
      cwd === undefined ? "this folder" : oneLine(cwd, 200)
    }.`,
    { hint: "agentloop init writes one." },
  );
}

/**
 * One key with its whole value: what is cut off could be what matters. At a terminal no row begins with what the file says, or a value could look like
 * another key.
 */
function shown({ key, written, spec }: ConfigEntry): string[] {
  const text = `${key}: ${escapeUnseen(JSON.stringify(written))}`;
  const rows = Deno.stderr.isTerminal()
    ? cutIntoPieces(text, Math.max(20, terminalSize().columns - 1 - CONTINUED.length))
    : [text];
  return [
    ...rows.map((row, index) => `${index === 0 ? "  " : CONTINUED}${row}`),
    `      ${spec.help}`,
  ];
}

async function ask({ interrupt }: CommandContext): Promise<"yes" | "no" | "stopped"> {
  using lines = openLines();
  const read = await lines.read("Trust it? [y/N] ", interrupt.signal, { remember: false });
  if (read === "interrupt") return "stopped";
  return read !== "end" && /^y(es)?$/i.test(read.line.trim()) ? "yes" : "no";
}

function outcome(
  file: ConfigFile,
  { entries, trusted }: {
    readonly entries: readonly ConfigEntry[];
    readonly trusted: boolean;
  },
): Outcome {
  return {
    exitCode: 0,
    status: "completed",
    extra: { path: file.path, trusted, keys: entries.map(({ key }) => key) },
  };
}
