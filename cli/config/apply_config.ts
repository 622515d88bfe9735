/**
 * Puts the options of a config file below those of the command line: what the line gives counts, and so does what it excludes. What a file may say only when it is trusted
 * is refused as long as it is not.
 */
import { dirname, isAbsolute, resolve, sep } from "node:path";
import type { CommandInfo } from "../command.ts";
import { excludedBy, saysSomething } from "../contradictions.ts";
import { CliError } from "../failure.ts";
import type { CliOptions } from "../option_table.ts";
import { OPTION_USES } from "../option_use.ts";
import type { OptionValue } from "../option_value.ts";
import { pathExists } from "../path_exists.ts";
import { isGranted } from "../permission.ts";
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
  const fail = (path: string, reason: string) =>
    configError(file.path, `"${key}": ${oneLine(path, 200)} ${reason}`, place);
  const inside = (path: string) => {
    if (isAbsolute(path)) return path;
    const whole = resolve(file.project, path);
    if (!leadsOut(whole, file.root)) return whole;
    throw fail(whole, `is reached by a link that leads out of the project ${file.root}`);
  };
  switch (OPTION_USES[field].completes) {
    case "file":
      return inside(value);
    case "folder": {
      const path = inside(value);
      const reason = whyNoFolder(path);
      if (reason !== undefined) throw fail(path, reason);
      return path;
    }
    case "@file":
      return /^@[^@]/.test(value) ? `@${inside(value.slice(1))}` : value;
    default:
      return value;
  }
}

/**
 * Whether a path that lies in the project as it is written ends outside of it by a link. Trust is for what the file says; where the links of the checkout
 * lead may change with every update of it.
 */
function leadsOut(path: string, root: string): boolean {
  if (!isInside(path, root)) return false;
  for (let at = path; at !== root; at = dirname(at)) {
    if (!isGranted({ name: "read", path: at })) return false;
    try {
      return !isInside(Deno.realPathSync(at), root);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound) || pathExists(at)) return true;
    }
  }
  return false;
}

function whyNoFolder(path: string): string | undefined {
  if (Deno.permissions.querySync({ name: "read", path }).state !== "granted") return undefined;
  try {
    return Deno.statSync(path).isDirectory ? undefined : "is no folder";
  } catch (error) {
    return `cannot be used: ${reasonOf(error)}`;
  }
}

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
