/**
 * What shells complete, made of the tables of commands and options; how a shell is told is left to the files beside this one. Pure.
 */
import type { CommandInfo } from "../command.ts";
import { type CliOptions, OPTIONS, type OptionSpec } from "../option_table.ts";
import { OPTION_USES, type OptionUse } from "../option_use.ts";

/** A word with a line about it. */
export interface DescribedWord {
  /** The word. */
  readonly word: string;
  /** The line. */
  readonly about: string;
}

/** One option. */
export interface CompletedOption {
  /** Its name without dashes. */
  readonly name: string;
  /** One letter that does the same. */
  readonly short?: string;
  /** One line about it. */
  readonly about: string;
  /** What stands for its value; absent for a flag. */
  readonly value?: string;
  /** What completes its value. */
  readonly completes?: OptionUse["completes"];
  /** The commands that take it, by their full names. */
  readonly commands: readonly string[];
}

/** Words that can follow a word or two. */
export interface CompletedWords {
  /** What they follow: nothing, a group, or a command. */
  readonly after: string;
  /** The words. */
  readonly words: readonly DescribedWord[];
}

/** Everything that is completed. */
export interface CompletionTable {
  /** The full names of all commands. */
  readonly commands: readonly string[];
  /** First words of commands that have two. */
  readonly groups: readonly string[];
  /** Which words follow what. */
  readonly follows: readonly CompletedWords[];
  /** The options. */
  readonly options: readonly CompletedOption[];
  /** The command that a line without one is taken for. */
  readonly defaultCommand: string;
}

/** Fields that every command takes. */
const EVERYWHERE: readonly (keyof CliOptions)[] = ["help", "version"];

/** Makes the table. */
export function completionTable(
  commands: readonly CommandInfo[],
  options: readonly OptionSpec[] = OPTIONS,
): CompletionTable {
  const names = commands.map(({ name }) => name);
  const pairs = commands.filter(({ name }) => name.includes(" "));
  const groups = [...new Set(pairs.map(({ name }) => firstWord(name)))];
  const first = firstWords(commands);
  return {
    commands: names,
    groups,
    follows: [
      { after: "", words: first },
      ...groups.map((group) => ({
        after: group,
        words: pairs.filter(({ name }) => firstWord(name) === group).map((command) => ({
          word: command.name.slice(group.length + 1),
          about: command.summary,
        })),
      })),
      ...commands.flatMap(({ name, usage }) => {
        if (usage === "[COMMAND]") return [{ after: name, words: first }];
        if (!/^[a-z]+(\|[a-z]+)+$/.test(usage)) return [];
        return [{ after: name, words: usage.split("|").map((word) => ({ word, about: "" })) }];
      }),
    ],
    options: options.map((spec) => optionOf(spec, commands)),
    defaultCommand: names[0] ?? "",
  };
}

function optionOf(spec: OptionSpec, commands: readonly CommandInfo[]): CompletedOption {
  const { completes } = OPTION_USES[spec.field];
  return {
    name: spec.name,
    about: spec.help,
    ...(spec.short === undefined ? {} : { short: spec.short }),
    ...(spec.kind === "flag" ? {} : { value: spec.value ?? "VALUE" }),
    ...(completes === undefined ? {} : { completes }),
    commands: commands
      .filter((command) => [...EVERYWHERE, ...command.options].includes(spec.field))
      .map(({ name }) => name),
  };
}

function firstWords(commands: readonly CommandInfo[]): DescribedWord[] {
  return [...new Set(commands.map(({ name }) => firstWord(name)))].map((word) => {
    const own = commands.find(({ name }) => name === word)?.summary;
    const verbs = commands.filter(({ name }) => name.startsWith(`${word} `))
      .map(({ name }) => name.slice(word.length + 1));
    return { word, about: own ?? verbs.join(", ") };
  });
}

function firstWord(name: string): string {
  return name.split(" ")[0] ?? "";
}
