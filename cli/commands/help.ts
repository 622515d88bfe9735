/**
 * `help [COMMAND]`: prints the overview or the help of one command.
 */
import { type CommandContext, type Outcome, succeeded } from "../command.ts";
import { commandHelp, overview } from "../help_text.ts";
import { suggest } from "../suggest.ts";
import { oneLine } from "../terminal_text.ts";
import { usageError } from "../failure.ts";

/** Runs `help`. */
// deno-lint-ignore require-await
export async function help({ words, commands }: CommandContext): Promise<Outcome> {
  if (words.length === 0) return succeeded(overview(commands));
  const name = words.join(" ");
  const found = commands.filter((spec) => spec.name === name || spec.name.startsWith(`${name} `));
  if (found.length > 0) return succeeded(found.map(commandHelp).join("\n\n"));
  const names = commands.map((spec) => spec.name);
  const groups = names.map((name) => name.split(" ")[0] ?? name);
  const meant = suggest(name, new Set([...names, ...groups]));
  throw usageError(
    `there is no command ${oneLine(name, 60)}` +
      (meant === undefined ? "" : `; did you mean ${meant}?`),
  );
}
