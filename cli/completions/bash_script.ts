/**
 * The completion script for bash, 3.2 and later. Pure. Words are compared by the script itself: bash's own `compgen -W` would expand what stands in them.
 */
import type { CompletedOption, CompletionTable } from "./completion_table.ts";

/** Makes the script. */
export function bashScript(table: CompletionTable): string {
  const valued = table.options.filter(({ value }) => value !== undefined);
  const flags = (command: string) =>
    table.options.filter(({ commands }) => commands.includes(command)).flatMap(dashed);
  return `# Completes agentloop in bash. Made by: agentloop completions bash

_agentloop_words() {
  local word
  for word in "$@"; do
    if [[ $word == "$cur"* ]]; then COMPREPLY+=("$head$word"); fi
  done
}

_agentloop_paths() {
  local path raw=1
  # Bash 4 quotes what it puts into the line; 3.2 would put a file's name there to be run.
  if type compopt &>/dev/null; then
    compopt -o filenames 2>/dev/null
    raw=0
  fi
  while IFS= read -r path; do
    if ((raw)); then printf -v path %q "$path"; fi
    COMPREPLY+=("$head$path")
  done < <(compgen "$1" -- "$cur")
}

_agentloop() {
  local cur=\${COMP_WORDS[COMP_CWORD]} option=\${COMP_WORDS[COMP_CWORD-1]} head="" command="" word i
  COMPREPLY=()
  # "=" is a word of its own, unless COMP_WORDBREAKS was changed.
  if [[ $cur == = ]]; then
    cur=""
  elif [[ $option == = ]]; then
    option=\${COMP_WORDS[COMP_CWORD-2]}
  elif [[ $cur == --*=* ]]; then
    option=\${cur%%=*} head=\${cur%%=*}= cur=\${cur#*=}
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    case $word in
      --) return ;;
      ${valued.flatMap(dashed).map(quote).join(" | ")})
        if [[ \${COMP_WORDS[i+1]} == = ]]; then i=$((i + 1)); fi
        i=$((i + 1))
        ;;
      -* | =) ;;
      *)
        case $command in
          '') command=$word ;;
          ${alternatives(table.groups)}) command="$command $word" ;;
        esac
        ;;
    esac
  done
  case $option in
${
    valued.map((option) => `    ${dashed(option).map(quote).join(" | ")}) ${valuesOf(option)} ;;`)
      .join("\n")
  }
  esac
  if [[ $cur == -* ]]; then
    case $command in
${
    table.commands.filter((name) => name !== table.defaultCommand).map((name) =>
      `      ${quote(name)}) _agentloop_words ${flags(name).map(quote).join(" ")} ;;`
    ).join("\n")
  }
      *) _agentloop_words ${flags(table.defaultCommand).map(quote).join(" ")} ;;
    esac
    return
  fi
  case $command in
${
    table.follows.map(({ after, words }) =>
      `    ${quote(after)}) _agentloop_words ${words.map(({ word }) => quote(word)).join(" ")} ;;`
    ).join("\n")
  }
  esac
}

complete -F _agentloop agentloop
`;
}

function dashed({ name, short }: CompletedOption): string[] {
  return [`--${name}`, ...(short === undefined ? [] : [`-${short}`])];
}

function valuesOf({ completes }: CompletedOption): string {
  switch (completes) {
    case undefined:
      return "return";
    case "file":
      return "_agentloop_paths -f; return";
    case "folder":
      return "_agentloop_paths -d; return";
    case "@file":
      return 'if [[ $cur == @* ]]; then head="$head@" cur=${cur#@}; _agentloop_paths -f; fi; return';
    default:
      return `_agentloop_words ${completes.map(quote).join(" ")}; return`;
  }
}

/** Patterns of a case; one that matches nothing where there are none. */
function alternatives(words: readonly string[]): string {
  return words.length === 0 ? "' '" : words.map(quote).join(" | ");
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
