/**
 * `completions SHELL`: prints a script that completes the command in a shell.
 */
import { type CommandContext, type Outcome, succeeded } from "../command.ts";
import { bashScript } from "../completions/bash_script.ts";
import { completionTable } from "../completions/completion_table.ts";
import { fishScript } from "../completions/fish_script.ts";
import { zshScript } from "../completions/zsh_script.ts";
import { usageError } from "../failure.ts";
import { oneLine } from "../terminal_text.ts";

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

/** Runs `completions`. */
// deno-lint-ignore require-await
export async function completions({ words, commands }: CommandContext): Promise<Outcome> {
  const [shell, ...more] = words;
  if (shell === undefined || more.length > 0) {
    throw usageError(`completions needs one shell: ${shells()}`, "completions");
  }
  if (!isShell(shell)) {
    throw usageError(
      `there are no completions for ${oneLine(shell, 60)}, only for ${shells()}`,
      "completions",
    );
  }
  return succeeded(SCRIPTS[shell](completionTable(commands)));
}

function isShell(word: string): word is keyof typeof SCRIPTS {
  return Object.hasOwn(SCRIPTS, word);
}

function shells(): string {
  return Object.keys(SCRIPTS).join(", ");
}
