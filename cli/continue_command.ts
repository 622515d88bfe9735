/**
 * The command that goes on with a session, to be copied to a shell. Pure.
 */
import { saysSomething } from "./contradictions.ts";
import { unmetNeed } from "./needed_options.ts";
import { type CliOptions, OPTIONS, type OptionSpec } from "./option_table.ts";
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

/** Options that a command may have had and that say nothing of how its run goes on, or stand elsewhere in the line. */
const NOT_OF_THE_RUN: ReadonlySet<keyof CliOptions> = new Set([
  ...REPEATED.map(([field]) => field),
  "noConfig",
  "approve",
  ...["session", "continue", "ephemeral", "system"] as const,
  ...["allow", "args", "deny", "call"] as const,
  ...["json", "quiet", "verbose", "raw", "noColor", "help", "version"] as const,
]);

/**
 * `agentloop resume ID --allow` with the options that were given: a run goes on with what it can call and reach, or not at all.
 */
export function resumeCommand(
  options: Parameters<typeof continueCommand>[0] & Partial<CliOptions>,
  { sessionId }: { readonly sessionId: string },
): string {
  const others = OPTIONS.filter(({ field }) =>
    !NOT_OF_THE_RUN.has(field) && unmetNeed(field, { command: "resume", options }) === undefined
  );
  return [
    "agentloop resume",
    ...repeatedOptions(options),
    ...(options.approve === "wait" ? ["--approve wait"] : []),
    ...others.flatMap((spec) => optionWords(spec, options[spec.field])),
    "--allow",
    ...(sessionId.startsWith("-") ? ["--"] : []),
    shellWord(sessionId),
  ].join(" ");
}

function optionWords({ name, kind }: OptionSpec, value: CliOptions[keyof CliOptions]): string[] {
  if (!saysSomething(value)) return [];
  if (kind === "flag") return [`--${name}`];
  const text = kind === "duration" ? `${value}ms` : String(value);
  return [`--${name}${separatorOf(text)}${shellWord(text)}`];
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
