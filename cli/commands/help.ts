/**
 * `help [COMMAND]`: prints the overview or the help of one command.
 */
import { usageError } from "../arguments.ts";
import { type CommandContext, type Outcome, succeeded } from "../command.ts";
import { COMMANDS } from "../command_table.ts";
import { helpText } from "../help_text.ts";
import { suggest } from "../suggest.ts";
import { oneLine } from "../terminal_text.ts";

/** Runs `help`. */
// deno-lint-ignore require-await
export async function help({ words }: CommandContext): Promise<Outcome> {
  if (words.length === 0) return succeeded(helpText());
  const name = words.join(" ");
  const found = COMMANDS.filter((spec) => spec.name === name || spec.name.startsWith(`${name} `));
  if (found.length > 0) return succeeded(found.map((spec) => helpText(spec)).join("\n\n"));
  const meant = suggest(name, COMMANDS.map((spec) => spec.name));
  throw usageError(
    `there is no command ${oneLine(name, 60)}` +
      (meant === undefined ? "" : `; did you mean ${meant}?`),
  );
}
