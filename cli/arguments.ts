/**
 * Reads the command line: which command, which options, which words. Pure; wrong use throws a `CliError` of type `usage`.
 * The runtime's parser splits the arguments, this layer says what is wrong with them.
 */
import { parseArgs } from "node:util";
import { COMMANDS, type CommandSpec, commandWords } from "./command_table.ts";
import { contradictionIn } from "./contradictions.ts";
import { type CliError, usageError } from "./failure.ts";
import { unmetNeed } from "./needed_options.ts";
import { type CliOptions, OPTIONS, type OptionSpec } from "./option_table.ts";
import { type OptionValue, readOptionText, shownValue } from "./option_value.ts";
import { suggest } from "./suggest.ts";

/** A command line that was understood. */
export interface ParsedCommandLine {
  /** The command. */
  readonly command: CommandSpec;
  /** The words behind the command's name. */
  readonly words: readonly string[];
  /** The options. */
  readonly options: CliOptions;
  /** Those of them that the line itself gives. */
  readonly given: ReadonlySet<keyof CliOptions>;
}

interface GivenOption {
  readonly spec: OptionSpec;
  readonly value: OptionValue;
}

/** Reads the arguments of the program. */
export function parseCommandLine(args: readonly string[]): ParsedCommandLine {
  const { given, words } = splitArguments(args);
  const fields = new Set(given.map(({ spec }) => spec.field));
  if (fields.has("help")) {
    return {
      command: findSpec("help"),
      words: commandName(words),
      options: toOptions(given),
      given: fields,
    };
  }
  const { command, rest } = findCommand(words);
  for (const { spec } of given) {
    if (spec.field !== "version" && !command.options.includes(spec.field)) {
      throw usageError(`${command.name} does not take --${spec.name}`, command.name);
    }
  }
  const options = toOptions(given);
  refuseContradictions(options, command);
  return { command, words: rest, options, given: fields };
}

/**
 * Refuses what the line gives and nothing uses. `options` are those with what a config file adds: the file may bring what is needed.
 *
 * @throws {CliError} `usage` naming what is needed.
 */
export function refuseUnused(
  { command, given }: ParsedCommandLine,
  options: CliOptions,
): void {
  if (options.version) return;
  for (const field of command.options.filter((field) => given.has(field))) {
    const need = unmetNeed(field, { command: command.name, options });
    if (need === undefined) continue;
    throw usageError(`${nameOf(field)} needs ${nameOf(need.needs)}: ${need.why}`, command.name);
  }
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
    return usageError(
      `unknown option ${shownValue(rawName)}: leave --${name.slice(3)} out instead`,
    );
  }
  const meant = suggest(name, OPTIONS.map((spec) => spec.name));
  return usageError(
    `unknown option ${shownValue(rawName)}` +
      (meant === undefined ? "" : `; did you mean --${meant}?`),
  );
}

function readValue(
  spec: OptionSpec,
  text: string | undefined,
  inline: boolean,
): OptionValue {
  const name = `--${spec.name}`;
  if (spec.kind === "flag") {
    if (text !== undefined) throw usageError(`${name} takes no value (got ${shownValue(text)})`);
    return true;
  }
  const label = spec.value ?? "VALUE";
  if (text === undefined) throw usageError(`${name} needs a value: ${name} ${label}`);
  if (!inline && /^--?[A-Za-z]/.test(text) && !isDashedText(text)) {
    throw usageError(
      `${name} needs a value, but ${
        shownValue(text)
      } follows; a value that begins with a dash is given as ${name}=${label}`,
    );
  }
  return readOptionText(spec.kind, { name, form: `${name} ${label}`, text });
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
        : `unknown command ${first} ${shownValue(second)}; ` +
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
  const meant = misspeltGroup(words);
  if (meant !== undefined) {
    throw usageError(
      `unknown command ${first} ${second}; did you mean ${meant} ${second}? To send it as a message: agentloop run ${first} ${second}`,
    );
  }
  return { command: findSpec("run"), rest: words };
}

/** The group of commands that the first word nearly names, where the second is one of its verbs: that is a slip, and no message. */
function misspeltGroup([first = "", second = ""]: readonly string[]): string | undefined {
  if (!/^[a-z]+$/.test(first)) return undefined;
  const groups = COMMANDS.map(({ name }) => name.split(" "))
    .filter(([, verb]) => verb !== undefined && verb === second)
    .map(([group = ""]) => group);
  return suggest(first, groups);
}

function findSpec(name: string): CommandSpec {
  const spec = COMMANDS.find((candidate) => candidate.name === name);
  if (spec === undefined) throw new Error(`there is no command ${name}`);
  return spec;
}

function refuseContradictions(options: CliOptions, command: CommandSpec): void {
  const found = contradictionIn(options);
  if (found !== undefined) {
    const [one, other] = found.fields.map(nameOf);
    throw usageError(`${one} and ${other} exclude each other: ${found.why}`, command.name);
  }
  if (options.db === ":memory:") {
    throw usageError(
      "a database in memory ends with the command: that is --ephemeral",
      command.name,
    );
  }
}

function nameOf(field: keyof CliOptions): string {
  return `--${OPTIONS.find((spec) => spec.field === field)?.name}`;
}
