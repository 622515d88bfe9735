/**
 * Puts the options of a config file below those of the command line: what the line gives counts, and so does what it excludes. What a file may say only when it is trusted
 * is refused as long as it is not.
 */
import { isAbsolute, resolve } from "node:path";
import type { CommandInfo } from "../command.ts";
import { excludedBy, saysSomething } from "../contradictions.ts";
import { CliError } from "../failure.ts";
import type { CliOptions } from "../option_table.ts";
import { OPTION_USES } from "../option_use.ts";
import type { OptionValue } from "../option_value.ts";
import { oneLine } from "../terminal_text.ts";
import { reasonOf } from "../text_input.ts";
import { configError } from "./config_error.ts";
import type { ConfigFile } from "./find_config.ts";
import { type ConfigEntry, readConfig } from "./read_config.ts";
import { trustState } from "./trust_record.ts";

/** What the command line says. */
export interface GivenLine {
  /** The command. */
  readonly command: Pick<CommandInfo, "options">;
  /** The options. */
  readonly options: CliOptions;
  /** Those of them that the line itself gives. */
  readonly given: ReadonlySet<keyof CliOptions>;
}

/** The options with what a file adds. */
export interface AppliedConfig {
  /** All options. */
  readonly options: CliOptions;
  /** The keys of the file that count. */
  readonly keys: readonly string[];
}

/**
 * The options of an invocation with what the file adds.
 *
 * @throws {CliError} `usage` for a file that cannot be used, or that says more than it may.
 */
export async function applyConfig(
  { command, options, given }: GivenLine,
  file: ConfigFile,
): Promise<AppliedConfig> {
  const excluded = new Set([...given].flatMap(excludedBy));
  const used = (await readConfig(file)).filter((entry) => {
    const { field } = entry.spec;
    return command.options.includes(field) && !given.has(field) && !excluded.has(field) &&
      !isUsual(entry);
  });
  refuseUntrusted(used.filter(needsTrust), file);
  const values = used.map((entry) => [entry.spec.field, inProject(entry, file)]);
  return {
    options: { ...options, ...Object.fromEntries(values) },
    keys: used.map(({ key }) => key),
  };
}

/** To ask is what is done anyway where somebody is there; where nobody is, a file's word for it is no mistake of whoever started the command. */
function isUsual({ spec: { field }, value }: ConfigEntry): boolean {
  return field === "approve" && value === "prompt";
}

/** Whether a file may say this only when it is trusted. */
export function needsTrust({ spec: { field }, value }: ConfigEntry): boolean {
  if (value === false || !saysSomething(value)) return false;
  const use = OPTION_USES[field];
  return use.inFile !== "harmless" &&
    !(use.inFile === "trusted" && use.unless?.(value) === true);
}

function refuseUntrusted(entries: readonly ConfigEntry[], file: ConfigFile): void {
  if (entries.length === 0) return;
  const state = trustState(file);
  if (state === "trusted") return;
  const why = state === "changed" ? "has changed since you trusted it" : "is not trusted";
  throw new CliError(
    "usage",
    `${oneLine(file.path, 300)} ${why}, and sets what needs trust: ${
      entries.map(({ key }) => key).join(", ")
    }`,
    { hint: "agentloop trust shows what it says and asks; --no-config leaves the file out." },
  );
}

/** The value of an entry, with paths as seen from where the command was started. */
function inProject(entry: ConfigEntry, file: ConfigFile): OptionValue | false {
  const { spec: { field }, value, key, place } = entry;
  if (typeof value !== "string") return value;
  const inside = (path: string) => isAbsolute(path) ? path : resolve(file.project, path);
  switch (OPTION_USES[field].completes) {
    case "file":
      return inside(value);
    case "folder": {
      const path = inside(value);
      const reason = whyNoFolder(path);
      if (reason !== undefined) {
        throw configError(file.path, `"${key}": ${oneLine(path, 200)} ${reason}`, place);
      }
      return path;
    }
    case "@file":
      return /^@[^@]/.test(value) ? `@${inside(value.slice(1))}` : value;
    default:
      return value;
  }
}

function whyNoFolder(path: string): string | undefined {
  if (Deno.permissions.querySync({ name: "read", path }).state !== "granted") return undefined;
  try {
    return Deno.statSync(path).isDirectory ? undefined : "is no folder";
  } catch (error) {
    return `cannot be used: ${reasonOf(error)}`;
  }
}
