/** What a person is shown of a command before they decide. Nothing is left out, and nothing in it can move or hide the rest. */
import type { ExecRequest } from "./exec_request.ts";

/** Beyond this the command is shown with one argument a line. */
const MAX_LINE = 100;

/** The command, where it runs, what is added to its environment, and how much it reads. */
export function previewCommand({ argv, cwd, env, stdin }: ExecRequest): string {
  const words = argv.map(visible);
  const oneLine = words.join(" ");
  return [
    ...(oneLine.length <= MAX_LINE ? [oneLine] : words),
    ...(cwd === undefined ? [] : [`cwd: ${visible(cwd)}`]),
    ...[...env].map(([name, value]) => `env: ${name}=${visible(value)}`),
    ...(stdin === undefined ? [] : [`stdin: ${new TextEncoder().encode(stdin).length} bytes`]),
  ].join("\n");
}

/** JSON's quotes leave some characters as they are that a terminal obeys or does not show. */
function visible(text: string): string {
  return JSON.stringify(text).replaceAll(
    /[\u007f-\u009f]|\p{Cf}|\p{Zl}|\p{Zp}/gu,
    (character) => character.replaceAll(/[^]/g, escape),
  );
}

function escape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
