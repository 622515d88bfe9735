/**
 * The help texts, made of the tables of commands and options. Pure.
 */
import type { CommandInfo } from "./command.ts";
import { type CliOptions, OPTIONS } from "./option_table.ts";

/** The overview. */
export function overview(commands: readonly CommandInfo[]): string {
  const width = Math.max(...commands.map((spec) => invocation(spec).length));
  return [
    "agentloop: an agent that thinks by writing JavaScript",
    "",
    "Usage: agentloop [OPTIONS] MESSAGE…",
    "       agentloop COMMAND [OPTIONS]",
    "",
    "Commands",
    ...commands.map((spec) => `  ${invocation(spec).padEnd(width)}  ${spec.summary}`),
    "",
    "Options",
    ...optionLines(OPTIONS.map((spec) => spec.field)),
    "",
    "Environment",
    "  OPENAI_API_KEY      the key, where the endpoint wants one",
    "  OPENAI_BASE_URL     the endpoint (default https://api.openai.com/v1)",
    "  OPENAI_CHAT_MODEL   the model",
    "  OPENAI_MAX_RETRIES  retries of a failed request (default 3)",
    "  AGENTLOOP_DB        the database file",
    "  AGENTLOOP_TOKEN     what clients of serve have to show",
    "  AGENTLOOP_WEBHOOK_SECRET",
    "                      the key that posts to --webhook are signed with",
    "  XDG_DATA_HOME       the folder of the database when no file is named",
    "  AGENTLOOP_DEBUG     where an error happened, when set",
    "  NO_COLOR            no colors when set",
    "",
    "Exit codes",
    "  0 completed   1 error   2 model calls used up   3 wrong use   4 limit reached",
    "  5 waiting for an approval   129 SIGHUP   130 Ctrl-C   143 SIGTERM",
    "",
    "agentloop help COMMAND says more about one. No key yet? Try: agentloop demo",
  ].join("\n");
}

/** The help of one command. */
export function commandHelp(command: CommandInfo): string {
  return [
    `agentloop ${command.name}: ${command.summary}`,
    "",
    `Usage: agentloop ${invocation(command)}${command.options.length > 0 ? " [OPTIONS]" : ""}`,
    ...(command.details.length === 0 ? [] : ["", ...command.details]),
    ...(command.options.length === 0
      ? []
      : ["", "Options", ...optionLines(command.options, command.optionHelp)]),
  ].join("\n");
}

function invocation(command: CommandInfo): string {
  return command.usage === "" ? command.name : `${command.name} ${command.usage}`;
}

function optionLines(
  fields: readonly (keyof CliOptions)[],
  otherwise: CommandInfo["optionHelp"] = {},
): string[] {
  const rows = OPTIONS.filter((spec) => fields.includes(spec.field)).map((spec) => {
    const short = spec.short === undefined ? "    " : `-${spec.short}, `;
    const value = spec.value === undefined ? "" : ` ${spec.value}`;
    return { left: `${short}--${spec.name}${value}`, help: otherwise[spec.field] ?? spec.help };
  });
  const width = Math.max(...rows.map((row) => row.left.length));
  return rows.map((row) => `  ${row.left.padEnd(width)}  ${row.help}`);
}
