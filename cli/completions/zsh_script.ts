/**
 * The completion script for zsh, to be loaded from a folder of `fpath` or read with `source`. Pure.
 */
import type { CompletedOption, CompletionTable, DescribedWord } from "./completion_table.ts";

/** Makes the script. */
export function zshScript(table: CompletionTable): string {
  const valued = table.options.filter(({ value }) => value !== undefined);
  const specs = (command: string) =>
    table.options.filter(({ commands }) => commands.includes(command)).flatMap(specsOf)
      .map((spec) => `        ${quote(spec)}`).join("\n");
  return `#compdef agentloop
# Completes agentloop in zsh. Made by: agentloop completions zsh

_agentloop_at_file() {
  compset -P @ && _files
}

_agentloop() {
  local curcontext="$curcontext" state state_descr line command='' word
  local -a specs follow
  typeset -A opt_args
  integer i
  for ((i = 2; i < CURRENT; i++)); do
    word=$words[i]
    case $word in
      (--) break ;;
      (${valued.flatMap(dashed).map(quote).join("|")}) ((i++)) ;;
      (-*) ;;
      (*)
        case $command in
          ('') command=$word ;;
          (${
    table.groups.length === 0 ? "' '" : table.groups.map(quote).join("|")
  }) command="$command $word" ;;
        esac
        ;;
    esac
  done
  case $command in
${
    table.commands.filter((name) => name !== table.defaultCommand).map((name) =>
      `    (${quote(name)})\n      specs=(\n${specs(name)}\n      )\n      ;;`
    ).join("\n")
  }
    (*)
      specs=(
${specs(table.defaultCommand)}
      )
      ;;
  esac
  _arguments -s -S : $specs '*: :->word' && return
  [[ $state == word ]] || return 1
  case $command in
${
    table.follows.map(({ after, words }) =>
      `    (${quote(after)}) follow=(${words.map((word) => quote(described(word))).join(" ")}) ;;`
    ).join("\n")
  }
    (*) return 1 ;;
  esac
  _describe -t words word follow
}

if [[ $funcstack[1] == _agentloop ]]; then
  _agentloop "$@"
else
  compdef _agentloop agentloop
fi
`;
}

function dashed({ name, short }: CompletedOption): string[] {
  return [...(short === undefined ? [] : [`-${short}`]), `--${name}`];
}

/** An option in the language of `_arguments`, once for each of its names. */
function specsOf(option: CompletedOption): string[] {
  const { about, value, completes } = option;
  const names = dashed(option);
  const others = names.length > 1 ? `(${names.join(" ")})` : "";
  const tail = `[${escape(about, "[]")}]`;
  if (value === undefined) return names.map((name) => `${others}${name}${tail}`);
  const action = `:${escape(value, ":")}:${actionOf(completes)}`;
  return names.map((name) =>
    `${others}${name}${name.startsWith("--") ? "=" : "+"}${tail}${action}`
  );
}

function actionOf(completes: CompletedOption["completes"]): string {
  switch (completes) {
    case undefined:
      return " ";
    case "file":
      return "_files";
    case "folder":
      return "_files -/";
    case "@file":
      return "_agentloop_at_file";
    default:
      return `(${completes.map((word) => word.replace(/[^\w.-]/g, "\\$&")).join(" ")})`;
  }
}

function described({ word, about }: DescribedWord): string {
  return about === "" ? escape(word, ":") : `${escape(word, ":")}:${about}`;
}

/** Puts a backslash before these characters, and before backslashes. */
function escape(text: string, characters: string): string {
  return [...text].map((one) => `\\${characters}`.includes(one) ? `\\${one}` : one).join("");
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
