/**
 * Asks the person at the terminal about one call. The question goes to stderr; an empty answer, the end of input and anything that is no answer allow nothing.
 */
import type { ApprovalRequest } from "../../contracts/approval.ts";
import type { Interrupt } from "../interrupt.ts";
import type { LineReader } from "../line_reader.ts";
import type { Status } from "../status.ts";
import { terminalSize } from "../terminal_size.ts";
import { escapeControls } from "../terminal_text.ts";
import {
  editableArguments,
  escapeUnseen,
  fitToWidth,
  helpLines,
  readArguments,
  requestLines,
} from "./approval_text.ts";
import type { Answer, Ask } from "./approver.ts";

/** What is asked with. */
export interface Terminal {
  /** Where answers are typed; opened at the first question. */
  readonly lines: () => LineReader;
  /** Where questions are shown. */
  readonly status: Pick<Status, "error">;
  /** Ctrl-C at a question stops the run. */
  readonly interrupt: Pick<Interrupt, "raise">;
  /** Keeps everything else from drawing while a question stands. */
  readonly quiet: () => Disposable;
  /** Takes secrets out of what is shown. */
  readonly redactText: (text: string) => string;
}

const QUESTION = "Allow it? [y/N/o/a/e/?] ";

/** Makes the function that asks. */
export function askAtTerminal(terminal: Terminal): Ask {
  return async (request) => {
    using _quiet = terminal.quiet();
    say(terminal, requestLines(request));
    for (;;) {
      const read = await terminal.lines().read(QUESTION, request.signal, { remember: false });
      if (read === "interrupt" && !request.signal.aborted) terminal.interrupt.raise("SIGINT");
      if (typeof read === "string") return { kind: "no" };
      const answer = answerOf(read.line);
      if (answer === "edit") return await edited(terminal, request);
      if (answer !== undefined) return answer;
      say(terminal, helpLines(request));
    }
  };
}

function answerOf(line: string): Answer | "edit" | undefined {
  switch (line.trim().toLowerCase()) {
    case "y":
    case "yes":
      return { kind: "session" };
    case "o":
    case "once":
      return { kind: "once" };
    case "a":
    case "all":
      return { kind: "all" };
    case "":
    case "n":
    case "no":
      return { kind: "no" };
    case "e":
    case "edit":
      return "edit";
    default:
      return undefined;
  }
}

/** Lets the person change the arguments. An empty line refuses the call. */
async function edited(terminal: Terminal, request: ApprovalRequest): Promise<Answer> {
  let initial = editableArguments(request.args);
  say(terminal, [
    "The arguments as JSON; Enter allows the call with them, an empty line refuses it:",
  ]);
  for (;;) {
    const read = await terminal.lines().read("", request.signal, { remember: false, initial });
    if (read === "interrupt" && !request.signal.aborted) terminal.interrupt.raise("SIGINT");
    if (typeof read === "string" || read.line.trim() === "") return { kind: "no" };
    const args = readArguments(read.line);
    if (args !== undefined) return { kind: "edited", args };
    initial = read.line;
    say(terminal, ['That is no list in JSON, such as ["a", {"b": 1}].']);
  }
}

function say({ status, redactText }: Terminal, lines: readonly string[]): void {
  const { columns } = terminalSize();
  const shown = escapeUnseen(escapeControls(redactText(lines.join("\n")))).split("\n");
  status.error(shown.flatMap((line) => fitToWidth(line, columns)).join("\n"), "plain");
}
