/**
 * The completion script for fish. Pure.
 */
import type { CompletedOption, CompletionTable } from "./completion_table.ts";

/** Makes the script. */
export function fishScript(table: CompletionTable): string {
  const valued = table.options.filter(({ value }) => value !== undefined).flatMap(dashed);
  return `# Completes agentloop in fish. Made by: agentloop completions fish

function __agentloop_command
    set -l command ''
    set -l skip no
    set -l words (commandline -opc)
    set -e words[1]
    for word in $words
        if test $skip = yes
            set skip no
            continue
        end
        switch $word
            case --
                break
            case ${valued.map(quote).join(" ")}
                set skip yes
            case '-*'
            case '*'
                if test -z "$command"
                    set command $word
                else if contains -- "$command" ${table.groups.map(quote).join(" ")}
                    set command "$command $word"
                end
        end
    end
    echo -- $command
end

function __agentloop_follows
    test (__agentloop_command) = "$argv[1]"
end

function __agentloop_takes
    set -l command (__agentloop_command)
    contains -- "$command" ${table.commands.map(quote).join(" ")}
    or set command ${quote(table.defaultCommand)}
    contains -- "$command" $argv
end

function __agentloop_at_files
    set -l token (commandline -ct | string replace -r -- '^--[^=]*=' '')
    string match -q -- '@*' $token
    or return
    set -l head (string sub -s 2 -- $token)
    for path in $head*
        test -d $path
        and set path $path/
        echo "@$path"
    end
end

complete -c agentloop -f
${
    table.follows.flatMap(({ after, words }) =>
      words.map(({ word, about }) =>
        line([
          "-n",
          quote(`__agentloop_follows ${quote(after)}`),
          "-a",
          quote(quote(word)),
          ...(about === "" ? [] : ["-d", quote(about)]),
        ])
      )
    ).join("\n")
  }
${table.options.map(optionLine).join("\n")}
`;
}

function optionLine(option: CompletedOption): string {
  const { name, short, about, value, completes, commands } = option;
  return line([
    "-n",
    quote(`__agentloop_takes ${commands.map(quote).join(" ")}`),
    ...(short === undefined ? [] : ["-s", quote(short)]),
    "-l",
    quote(name),
    "-d",
    quote(about),
    ...(value === undefined ? [] : valueFlags(completes)),
  ]);
}

function valueFlags(completes: CompletedOption["completes"]): readonly string[] {
  switch (completes) {
    case undefined:
      return ["-x"];
    case "file":
      return ["-r", "-F"];
    case "folder":
      return ["-x", "-a", "'(__fish_complete_directories)'"];
    case "@file":
      return ["-x", "-a", "'(__agentloop_at_files)'"];
    default:
      return ["-x", "-a", quote(completes.map(quote).join(" "))];
  }
}

function line(words: readonly string[]): string {
  return `complete -c agentloop ${words.join(" ")}`;
}

function dashed({ name, short }: CompletedOption): string[] {
  return [`--${name}`, ...(short === undefined ? [] : [`-${short}`])];
}

function quote(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&")}'`;
}
