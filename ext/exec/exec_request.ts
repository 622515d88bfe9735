/**
 * What a script asks `exec` for, read from its arguments. Refusals say what to write instead, since a model reads them. Whether the
 * command exists and where it lies is for others.
 */
import type { JsonValue } from "../../contracts/json.ts";
import { checkVariable } from "./environment.ts";
import type { ExecSettings } from "./exec_options.ts";

/** One command to run, as the script wrote it. */
export interface ExecRequest {
  /** The command and its arguments; at least one. */
  readonly argv: readonly [string, ...string[]];
  /** Where to run it, as written; absent for the root. */
  readonly cwd?: string;
  /** What the command reads; absent for nothing. */
  readonly stdin?: string;
  /** Time that it gets, in ms, never more than the settings allow. */
  readonly timeoutMs: number;
  /** Variables that the script adds. */
  readonly env: ReadonlyMap<string, string>;
}

const OPTION_NAMES = ["cwd", "stdin", "timeoutMs", "env"];

/**
 * Reads a call's arguments.
 *
 * @throws {TypeError} when they are not what `exec` takes; the message shows what is.
 */
export function readExecRequest(
  [command, given = {}]: readonly JsonValue[],
  settings: ExecSettings,
): ExecRequest {
  const argv = readArgv(command, settings.allowShell);
  const options = given === null ? {} : given;
  if (typeof options !== "object" || Array.isArray(options)) {
    throw new TypeError(
      'The second argument of exec is an object, such as { cwd: "src" }. The arguments of the command belong into the list: exec(["ls", "-l"]).',
    );
  }
  const { cwd, stdin, timeoutMs, env } = options as Record<string, JsonValue | undefined>;
  const unknown = Object.keys(options).find((name) => !OPTION_NAMES.includes(name));
  if (unknown !== undefined) {
    throw new TypeError(
      `exec has no option ${quoted(unknown)}; it has ${OPTION_NAMES.join(", ")}.`,
    );
  }
  return {
    argv,
    ...(isSet(cwd) && { cwd: readText("cwd", cwd) }),
    ...(isSet(stdin) && { stdin: readInput(stdin) }),
    timeoutMs: isSet(timeoutMs) ? readTimeout(timeoutMs, settings.timeoutMs) : settings.timeoutMs,
    env: isSet(env) ? readEnv(env, settings) : new Map(),
  };
}

/** What the policy judges: a plain command name as it is, a command with a path as written, so that `./git` is never `git`. */
export function commandTarget([command]: readonly JsonValue[]): string | undefined {
  if (typeof command === "string") return "sh";
  const first = Array.isArray(command) ? command[0] : undefined;
  return typeof first === "string" && first !== "" ? first : undefined;
}

function readArgv(command: JsonValue | undefined, allowShell: boolean): ExecRequest["argv"] {
  if (typeof command === "string") {
    if (!allowShell) throw new TypeError(listInstead(command));
    checkText("The command", command);
    return ["sh", "-c", command];
  }
  if (!Array.isArray(command)) {
    throw new TypeError(`exec takes a list of texts, such as exec(["ls", "-l"]).`);
  }
  const [name, ...rest] = command.map((argument, index) => {
    if (typeof argument === "string") return checkText(`Argument ${index} of exec`, argument);
    throw new TypeError(
      `exec takes a list of texts; argument ${index} is ${
        kindOf(argument)
      }. Use String(…) for a number.`,
    );
  });
  if (name === undefined || name === "") {
    throw new TypeError(`exec needs the name of a command, such as exec(["ls", "-l"]).`);
  }
  return [name, ...rest];
}

/** Shows a text as the list that it should have been, where that can be told. */
function listInstead(command: string): string {
  const example = /^[^"'`\\|&;<>$*?~(){}\n\0]{1,200}$/.test(command) && command.trim() !== ""
    ? `exec([${command.trim().split(/\s+/).map((word) => JSON.stringify(word)).join(", ")}])`
    : 'exec(["git", "commit", "-m", "two words"])';
  return `exec takes a list of texts and uses no shell: write ${example}. Pipes, wildcards and variables are not expanded: call exec once a command, and pass stdin.`;
}

function readInput(stdin: JsonValue): string {
  if (typeof stdin === "string") return stdin;
  throw new TypeError(`stdin must be text, not ${kindOf(stdin)}; use JSON.stringify(…) for data.`);
}

function readText(name: string, value: JsonValue): string {
  if (typeof value === "string" && value !== "") return checkText(name, value);
  throw new TypeError(`${name} must be a text that is not empty, not ${kindOf(value)}.`);
}

function readTimeout(value: JsonValue, most: number): number {
  if (typeof value === "number" && value >= 1) return Math.min(value, most);
  throw new TypeError("timeoutMs must be a number of milliseconds, at least 1.");
}

function readEnv(env: JsonValue, settings: ExecSettings): ReadonlyMap<string, string> {
  if (typeof env !== "object" || env === null || Array.isArray(env)) {
    throw new TypeError('env must be an object of texts, such as { CI: "1" }.');
  }
  const variables = Object.entries(env).map(([name, value]) => {
    checkVariable(name, settings.env);
    if (typeof value === "string") {
      return [name, checkText(`The variable ${name}`, value)] as const;
    }
    throw new TypeError(`The variable ${name} must be text, not ${kindOf(value)}.`);
  });
  return new Map(variables);
}

function checkText(what: string, text: string): string {
  if (!text.includes("\0")) return text;
  throw new TypeError(`${what} holds a character 0, which no command can be given.`);
}

function isSet(value: JsonValue | undefined): value is Exclude<JsonValue, null> {
  return value !== undefined && value !== null;
}

function kindOf(value: JsonValue | undefined): string {
  if (value === null) return "null";
  if (value === "") return "empty";
  if (Array.isArray(value)) return "a list";
  return `a value of type ${typeof value}`;
}

function quoted(name: string): string {
  return JSON.stringify(name.slice(0, 100));
}
