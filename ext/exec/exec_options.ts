/** What an embedder sets for `exec`, checked when the capability is made. Nothing here looks at the machine. */
import { refuseUnknown } from "../../contracts/known_names.ts";

/** How `exec` runs commands. */
export interface ExecOptions {
  /** The folder that commands run in and below; relative to the program's own folder. It is looked at when a command runs. */
  readonly root: string;
  /** Time that one command gets, in ms; a script may ask for less and gets no more. @default 120_000 */
  readonly timeoutMs?: number;
  /** How much is kept of each output, in bytes: half from its beginning, half from its end. @default 65_536 (64 KiB) */
  readonly maxOutputBytes?: number;
  /** Variables for each command beside the inherited ones. A script cannot change them. @default none */
  readonly env?: Readonly<Record<string, string>>;
  /** A script may pass one text, which `sh -c` runs. @default false */
  readonly allowShell?: boolean;
  /** A script may name a command outside of the root by its absolute path; the policy sees that path. @default true */
  readonly allowAbsolute?: boolean;
}

/** The options with their defaults. */
export type ExecSettings = Required<ExecOptions>;

const OPTIONS: Readonly<Record<keyof ExecOptions, true>> = {
  root: true,
  timeoutMs: true,
  maxOutputBytes: true,
  env: true,
  allowShell: true,
  allowAbsolute: true,
};

/** The longest that a timer holds, less what comes on top of it. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1 - 60_000;
/** Two outputs of this size still fit into memory several times over. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/**
 * Checks the options and fills in defaults.
 *
 * @throws {TypeError} when the root is no text, a variable is not one, or there is no such option.
 * @throws {RangeError} when a number is out of range.
 */
export function execSettings(options: ExecOptions): ExecSettings {
  refuseUnknown("execCapability", options, OPTIONS);
  const settings = {
    root: options.root,
    timeoutMs: options.timeoutMs ?? 120_000,
    maxOutputBytes: options.maxOutputBytes ?? 65_536,
    env: { ...options.env },
    allowShell: options.allowShell ?? false,
    allowAbsolute: options.allowAbsolute ?? true,
  };
  if (typeof settings.root !== "string" || settings.root === "" || settings.root.includes("\0")) {
    throw new TypeError("execCapability: root must be the path of a folder");
  }
  checkRange("timeoutMs", settings.timeoutMs, MAX_TIMEOUT_MS);
  checkRange("maxOutputBytes", settings.maxOutputBytes, MAX_OUTPUT_BYTES);
  for (const [name, value] of Object.entries(settings.env)) {
    if (/^[^=\0]+$/.test(name) && typeof value === "string" && !value.includes("\0")) continue;
    throw new TypeError(`env must map names to texts; ${JSON.stringify(name)} does not.`);
  }
  return settings;
}

function checkRange(name: string, value: number, most: number): void {
  if (Number.isInteger(value) && value >= 1 && value <= most) return;
  throw new RangeError(`${name} must be a whole number from 1 to ${most}, not ${value}.`);
}
