/**
 * `sessions calls ID`: the calls of a session, for people or as JSON lines. They are read and written in pieces, so that it does not matter how many there are.
 */
import type { CallRow } from "../../contracts/call_log.ts";
import type { TextRedactor } from "../../contracts/redaction.ts";
import { callFilter } from "../call_filter.ts";
import { argumentsText, callLine, callText, redactCall, shownText } from "../call_line.ts";
import { type CommandContext, type Outcome, succeeded } from "../command.ts";
import { usageError } from "../failure.ts";
import type { Output } from "../output.ts";
import { commandRedactor } from "../secrets.ts";
import { checkSessionId } from "../session_id.ts";
import { openStoreToRead, pathOf, sessionMissing, type Store } from "../store_access.ts";
import { terminalSize } from "../terminal_size.ts";
import { oneLine } from "../terminal_text.ts";
import { countOf, formatSecond } from "../units.ts";
import { wrapWords } from "../wrap_text.ts";

/** Rows that are held at a time: the arguments of one may be as long as a call's may be. */
const PIECE = 50;
/** Columns of the arguments where no terminal says how many there are. */
const ARGUMENT_COLUMNS = 200;
/** Before each row on which a call goes on. */
const INDENT = "    ";

/** Runs `sessions calls`. */
export async function listCalls(context: CommandContext): Promise<Outcome> {
  const { options, words, output, status } = context;
  const [word] = words;
  if (word === undefined) throw usageError("sessions calls needs the id of a session", COMMAND);
  if (words.length > 1) throw usageError("sessions calls takes one session at a time", COMMAND);
  const id = checkSessionId(word);
  const isWanted = callFilter(options, new Date());
  await using opened = await openStoreToRead(options);
  if (opened === undefined || !await opened.store.exists(id)) {
    throw sessionMissing(id, pathOf(options));
  }
  const print = printer(output, commandRedactor());
  let number = 0;
  let printed = 0;
  for await (const calls of piecesOf(opened.store, id)) {
    for (const call of calls) {
      number++;
      if (!isWanted(call)) continue;
      printed++;
      print(call, number);
    }
    // What a slow reader has not taken yet is held back here, not kept.
    await output.flush();
    if (output.closed.aborted) break;
  }
  if (printed === 0) {
    status.line(
      number === 0
        ? `There are no calls in the log of session ${oneLine(id, 200)}.`
        : number === 1
        ? `The one call of session ${oneLine(id, 200)} is no such one.`
        : `None of the ${countOf(number, "call")} of session ${oneLine(id, 200)} is such a one.`,
    );
  }
  return succeeded();
}

const COMMAND = "sessions calls";

/** The calls in the order in which they were started, a piece at a time. */
async function* piecesOf(store: Store, id: string): AsyncGenerator<readonly CallRow[]> {
  for (let after = 0;;) {
    const calls = await store.calls(id, { after, limit: PIECE });
    const last = calls.at(-1);
    if (last === undefined) return;
    yield calls;
    after = last.id;
  }
}

/** Prints calls with their numbers in the session. */
function printer(output: Output, redactor: TextRedactor): (call: CallRow, number: number) => void {
  let runId: string | undefined;
  return (whole, number) => {
    const call = redactCall(whole, redactor);
    if (output.json) {
      const { type = "call", ...fields } = callLine(call);
      output.line({ type, number, ...fields });
      return;
    }
    // One column stays free: a line that fills the last one wraps at some terminals.
    const columns = output.isTerminal ? terminalSize().columns - 1 : undefined;
    const head = call.runId === runId ? [] : [
      ...(runId === undefined ? [] : [""]),
      ...fitted(`run ${shownText(call.runId, 100)}`, columns),
    ];
    runId = call.runId;
    const lines = [...head, ...linesOf(call, { number, columns })];
    output.text(`${lines.join("\n")}\n`);
  };
}

function linesOf(
  call: CallRow,
  { number, columns }: { readonly number: number; readonly columns: number | undefined },
): string[] {
  const head = `${number}  ${formatSecond(call.startedAt)}  turn ${call.turn}  ${callText(call)}`;
  const room = columns === undefined ? ARGUMENT_COLUMNS : Math.max(10, columns - INDENT.length);
  return [
    ...fitted(head, columns),
    INDENT + argumentsText(call, room),
  ];
}

function fitted(line: string, columns: number | undefined): string[] {
  return columns === undefined ? [line] : wrapWords(line, columns, INDENT);
}
