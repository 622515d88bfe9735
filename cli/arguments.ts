/**
 * Reads the command line: which command, which options, which words. Pure; wrong use throws a `CliError` of type `usage`.
 * The runtime's parser splits the arguments, this layer says what is wrong with them.
 */
import { parseArgs } from "node:util";
import { COMMANDS, type CommandSpec, commandWords } from "./command_table.ts";
import { type CliError, usageError } from "./failure.ts";
import { type CliOptions, OPTIONS, type OptionSpec } from "./option_table.ts";
import { suggest } from "./suggest.ts";
import { oneLine } from "./terminal_text.ts";
import { parseDuration } from "./units.ts";

/** A command line that was understood. */
export interface ParsedCommandLine {
  /** The command. */
  readonly command: CommandSpec;
  /** The words behind the command's name. */
  readonly words: readonly string[];
  /** The options. */
  readonly options: CliOptions;
}

interface GivenOption {
  readonly spec: OptionSpec;
  readonly value: OptionValue;
}

type OptionValue = string | number | true | readonly string[];

/** Reads the arguments of the program. */
export function parseCommandLine(args: readonly string[]): ParsedCommandLine {
  const { given, words } = splitArguments(args);
  if (given.some(({ spec }) => spec.field === "help")) {
    return { command: findSpec("help"), words: commandName(words), options: toOptions(given) };
  }
  const { command, rest } = findCommand(words);
  for (const { spec } of given) {
    if (spec.field !== "version" && !command.options.includes(spec.field)) {
      throw usageError(`${command.name} does not take --${spec.name}`, command.name);
    }
  }
  const options = toOptions(given);
  refuseContradictions(options, command);
  return { command, words: rest, options };
}

/** Whether JSON was asked for, told without parsing: a line that cannot be parsed must be answered in the asked form too. */
export function asksForJson(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  return (end < 0 ? args : args.slice(0, end)).includes("--json");
}

function toOptions(given: readonly GivenOption[]): CliOptions {
  const flags = OPTIONS.filter((spec) => spec.kind === "flag").map((spec) => [spec.field, false]);
  const values = new Map<string, OptionValue>();
  for (const { spec: { field }, value } of given) {
    const before = values.get(field);
    // A list grows with each mention; of everything else the last one counts.
    values.set(
      field,
      Array.isArray(value) && Array.isArray(before) ? [...before, ...value] : value,
    );
  }
  return Object.fromEntries([...flags, ...values]);
}

/** The words at the head of a line that name a command or a group of commands; none when it is a message. */
function commandName(words: readonly string[]): readonly string[] {
  const pair = words.slice(0, 2).join(" ");
  if (COMMANDS.some((spec) => spec.name === pair)) return words.slice(0, 2);
  return commandWords().has(words[0] ?? "") ? words.slice(0, 1) : [];
}

function splitArguments(args: readonly string[]): { given: GivenOption[]; words: string[] } {
  const { tokens } = parseArgs({
    // A message may begin with a dash; what holds white space before any "=" is text, never an option.
    args: args.map((arg) => isDashedText(arg) ? "text" : arg),
    options: Object.fromEntries(OPTIONS.map((spec) => [spec.name, {
      type: spec.kind === "flag" ? "boolean" as const : "string" as const,
      ...(spec.short === undefined ? {} : { short: spec.short }),
    }])),
    strict: false,
    tokens: true,
  });
  const given: GivenOption[] = [];
  const words: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") words.push(args[token.index] ?? token.value);
    if (token.kind !== "option") continue;
    const spec = OPTIONS.find((candidate) => candidate.name === token.name);
    if (spec === undefined) throw unknownOption(token.rawName, token.name);
    const inline = token.inlineValue === true;
    const text = inline || token.value === undefined
      ? token.value
      : args[token.index + 1] ?? token.value;
    given.push({ spec, value: readValue(spec, text, inline) });
  }
  return { given, words };
}

function isDashedText(arg: string): boolean {
  return arg.startsWith("-") && /\s/.test(arg.split("=", 1)[0] ?? "");
}

function unknownOption(rawName: string, name: string): CliError {
  if (name.startsWith("no-") && OPTIONS.some((spec) => spec.name === name.slice(3))) {
    return usageError(`unknown option ${shown(rawName)}: leave --${name.slice(3)} out instead`);
  }
  const meant = suggest(name, OPTIONS.map((spec) => spec.name));
  return usageError(
    `unknown option ${shown(rawName)}` + (meant === undefined ? "" : `; did you mean --${meant}?`),
  );
}

function readValue(
  spec: OptionSpec,
  text: string | undefined,
  inline: boolean,
): OptionValue {
  const name = `--${spec.name}`;
  if (spec.kind === "flag") {
    if (text !== undefined) throw usageError(`${name} takes no value (got ${shown(text)})`);
    return true;
  }
  const label = spec.value ?? "VALUE";
  if (text === undefined) throw usageError(`${name} needs a value: ${name} ${label}`);
  if (!inline && /^--?[A-Za-z]/.test(text) && !isDashedText(text)) {
    throw usageError(
      `${name} needs a value, but ${
        shown(text)
      } follows; a value that begins with a dash is given as ${name}=${label}`,
    );
  }
  switch (spec.kind) {
    case "text":
      if (text === "") throw usageError(`${name} is empty: ${name} ${label}`);
      return text;
    case "list": {
      const entries = text.split(",").map((entry) => entry.trim());
      if (entries.includes("")) throw usageError(`${name} holds an empty entry: ${name} ${label}`);
      return entries;
    }
    case "positive":
      return wholeNumber(name, text, 1);
    case "count":
      return wholeNumber(name, text, 0);
    case "amount":
      return amount(name, text);
    case "duration": {
      const ms = parseDuration(text);
      // Timers hold 31 bits; a longer one would fire at once.
      if (ms === undefined || ms < 1 || ms > 2 ** 31 - 1) {
        throw usageError(
          `${name} must be a time of at most 24 days like 30m, 90s, 500ms or plain seconds, not ${
            shown(text)
          }`,
        );
      }
      return ms;
    }
  }
}

function amount(name: string, text: string): number {
  const value = /^\d+(\.\d+)?$|^\.\d+$/.test(text) ? Number(text) : NaN;
  if (!Number.isFinite(value)) {
    throw usageError(`${name} must be a number such as 2 or 0.25, not ${shown(text)}`);
  }
  return value;
}

function wholeNumber(name: string, text: string, least: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : NaN;
  if (!Number.isSafeInteger(value) || value < least) {
    throw usageError(`${name} must be a whole number of at least ${least}, not ${shown(text)}`);
  }
  return value;
}

function findCommand(words: readonly string[]): { command: CommandSpec; rest: readonly string[] } {
  const [first = "", second = ""] = words;
  const pair = COMMANDS.find((spec) => spec.name === `${first} ${second}`);
  if (pair !== undefined) return { command: pair, rest: words.slice(2) };
  const single = COMMANDS.find((spec) => spec.name === first);
  if (single !== undefined) return { command: single, rest: words.slice(1) };
  const group = COMMANDS.filter((spec) => spec.name.startsWith(`${first} `));
  if (group.length > 0) {
    const verbs = group.map((spec) => spec.name.slice(first.length + 1));
    const meant = suggest(second, verbs);
    throw usageError(
      second === ""
        ? `${first} needs to know what to do: ${verbs.join(", ")}`
        : `unknown command ${first} ${shown(second)}; ` +
          (meant === undefined ? `there are ${verbs.join(", ")}` : `did you mean ${meant}?`),
      first,
    );
  }
  if (words.length === 1 && /^[a-z]+$/.test(first)) {
    const meant = suggest(first, commandWords(), 1);
    if (meant !== undefined) {
      throw usageError(
        `unknown command ${first}; did you mean ${meant}? To send it as a message: agentloop run ${first}`,
      );
    }
  }
  return { command: findSpec("run"), rest: words };
}

function findSpec(name: string): CommandSpec {
  const spec = COMMANDS.find((candidate) => candidate.name === name);
  if (spec === undefined) throw new Error(`there is no command ${name}`);
  return spec;
}

function refuseContradictions(options: CliOptions, command: CommandSpec): void {
  const clash = (one: string, other: string, why: string) =>
    usageError(`${one} and ${other} exclude each other: ${why}`, command.name);
  if (options.session !== undefined && options.continue) {
    throw clash("--session", "--continue", "both choose the session");
  }
  if (options.ephemeral && options.continue) {
    throw clash("--ephemeral", "--continue", "a session in memory has nothing to go on with");
  }
  if (options.ephemeral && options.db !== undefined) {
    throw clash("--ephemeral", "--db", "an ephemeral run writes no database");
  }
  if (options.db === ":memory:") {
    throw usageError(
      "a database in memory ends with the command: that is --ephemeral",
      command.name,
    );
  }
  for (
    const [field, name] of [["allowNet", "--allow-net"], [
      "allowPrivateNet",
      "--allow-private-net",
    ]] as const
  ) {
    if (options.noNetwork && options[field] !== undefined) {
      throw clash("--no-network", name, "without the functions there is nothing to allow");
    }
  }
  for (
    const [field, name] of [["allowExec", "--allow-exec"], [
      "dangerouslyAllowShell",
      "--dangerously-allow-shell",
    ]] as const
  ) {
    if (options.noExec && options[field]) {
      throw clash("--no-exec", name, "without the function there is nothing to allow");
    }
  }
  if (options.quiet && options.verbose) {
    throw clash("--quiet", "--verbose", "they ask for opposite things");
  }
}

function shown(text: string): string {
  return oneLine(text, 60) || '""';
}
