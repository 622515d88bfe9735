/**
 * The command that goes on with a session, to be copied to a shell. Pure.
 */
import type { CliOptions } from "./option_table.ts";
import { escapeControls } from "./terminal_text.ts";

/** The options that say where a session is and what answers it; without them the command would go on somewhere else. */
const REPEATED = [["db", "db"], ["model", "model"], ["baseUrl", "base-url"]] as const;

/** `agentloop --session ID "go on"` with the options that were given; with `chat` in place of a message where one is going on. */
export function continueCommand(
  options: Pick<CliOptions, "db" | "model" | "baseUrl"> & Partial<Pick<CliOptions, "noConfig">>,
  { sessionId, chat = false }: { readonly sessionId: string; readonly chat?: boolean },
): string {
  return [
    "agentloop",
    ...(chat ? ["chat"] : []),
    ...repeatedOptions(options),
    `--session${separatorOf(sessionId)}${shellWord(sessionId)}`,
    ...(chat ? [] : ['"go on"']),
  ].join(" ");
}

/** `agentloop resume ID --allow` with the options that were given. */
export function resumeCommand(
  options: Parameters<typeof continueCommand>[0] & Partial<Pick<CliOptions, "approve">>,
  { sessionId }: { readonly sessionId: string },
): string {
  return [
    "agentloop resume",
    ...repeatedOptions(options),
    ...(options.approve === "wait" ? ["--approve wait"] : []),
    "--allow",
    ...(sessionId.startsWith("-") ? ["--"] : []),
    shellWord(sessionId),
  ].join(" ");
}

function repeatedOptions(options: Parameters<typeof continueCommand>[0]): string[] {
  const repeated = REPEATED.flatMap(([field, name]) => {
    const value = options[field];
    if (value === undefined) return [];
    const shown = field === "baseUrl" && holdsSecrets(value) ? "…" : shellWord(value);
    return [`--${name}${separatorOf(value)}${shown}`];
  });
  return [...repeated, ...(options.noConfig ? ["--no-config"] : [])];
}

/** Whether an address has a part that is nobody else's business. */
function holdsSecrets(url: string): boolean {
  const { username = "", password = "", search = "" } = URL.parse(url) ?? {};
  return username + password + search !== "";
}

function separatorOf(value: string): string {
  return value.startsWith("-") ? "=" : " ";
}

function shellWord(text: string): string {
  const word = escapeControls(text);
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
