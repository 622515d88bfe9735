/**
 * What a person reads before they allow a call. Pure. Everything that a model or a server wrote stands behind a bar, so that no line of it can be taken for a
 * question of ours; whoever prints it escapes control characters.
 */
import type { ApprovalRequest } from "../../contracts/approval.ts";
import type { Grant } from "../../contracts/grant.ts";
import type { JsonValue } from "../../contracts/json.ts";
import { cutIntoPieces, wrapWords } from "../wrap_text.ts";

/** The functions that reach hosts: what is allowed for one is allowed for the other. */
const NETWORK_FUNCTIONS = new Set(["fetch", "http"]);
/** The functions that change one file. */
const FILE_FUNCTIONS = new Set(["writeFile", "editFile"]);
/** Functions whose arguments are most of what there is to judge: an approval is for exactly these. */
const EXACT_FUNCTIONS = new Set(["exec"]);
/** Lines of a call that are shown; of a change of a thousand lines nobody reads more. */
const MAX_LINES = 400;
/** Before each line that others wrote, and before each row on which such a line goes on. */
const BAR = "  │ ";
const CONTINUED = "  ┆ ";

/** The grant that `y` gives: this host, this file, or exactly these arguments. */
export function grantFor(request: ApprovalRequest): Grant & { readonly key: string } {
  const { name, target, args } = request;
  if (NETWORK_FUNCTIONS.has(name) && target !== undefined) return { name: "fetch", key: target };
  if (EXACT_FUNCTIONS.has(name) || target === undefined || target === "") {
    return { name, key: JSON.stringify(args) };
  }
  // A file may be changed by either function.
  return { name: FILE_FUNCTIONS.has(name) ? "writeFile" : name, key: target };
}

/** Whether grants allow the call. */
export function isGranted(request: ApprovalRequest, grants: readonly Grant[]): boolean {
  const wanted = grantFor(request);
  return grants.some(({ name, key }) =>
    key === undefined ? name === request.name : name === wanted.name && key === wanted.key
  );
}

/** The question and what it is about, as lines. */
export function requestLines(request: ApprovalRequest): string[] {
  const details = (request.preview ?? argumentText(request.args)).trimEnd().split("\n");
  const shown = details.slice(0, MAX_LINES);
  const left = details.length - shown.length;
  return [
    `The agent wants to ${aimOf(request)}:`,
    ...shown.map((line) => BAR + line),
    ...(left > 0 ? [`  … and ${left} more lines`] : []),
  ];
}

/** The keys and what each would allow here. */
export function helpLines(request: ApprovalRequest): string[] {
  const { name } = request;
  const session = NETWORK_FUNCTIONS.has(name)
    ? "this host"
    : FILE_FUNCTIONS.has(name)
    ? "this file"
    : grantFor(request).key === request.target
    ? "this"
    : "exactly this";
  return [
    `  y  allow ${session}, for the rest of the session, later runs included`,
    "  o  allow it this once",
    `  a  allow every call of ${name}, for the rest of the session`,
    "  n  refuse it, for as long as this command runs; so does Enter",
    "  e  change the arguments, and allow it with those, once",
  ];
}

/**
 * Breaks what a person reads so that no line is wider than the terminal, which would let it go on at the beginning of the next row, without its bar. What stands
 * behind a bar is cut wherever the row ends, so that nothing of it is moved or left out. Control characters are escaped before.
 */
export function fitToWidth(line: string, columns: number): string[] {
  const width = Math.max(BAR.length + 4, columns - 1);
  // How far a tab reaches is the terminal's business.
  const flat = line.replaceAll("\t", "    ");
  if (flat.startsWith(BAR)) {
    return cutIntoPieces(flat.slice(BAR.length), width - BAR.length)
      .map((piece, index) => (index === 0 ? BAR : CONTINUED) + piece);
  }
  return wrapWords(flat, width, / {2}\S {2}/.test(flat.slice(0, 5)) ? "     " : "    ");
}

/** Arguments as JSON for the editor: whatever a terminal could mistake for a command, or would not show, is written as an escape. */
export function editableArguments(args: readonly JsonValue[]): string {
  return escapeUnseen(JSON.stringify(args));
}

// Marks of formatting, fillers that look like nothing, and line breaks beside the line feed.
const UNSEEN = /[\p{Cf}\u007f-\u009f\u034f\u115f\u1160\u2028\u2029\u3164\uffa0]/gu;

/** Writes what nobody would see as escapes of JSON: of two names that look alike only one is meant. */
export function escapeUnseen(text: string): string {
  return text.replace(
    UNSEEN,
    (character) =>
      character.replace(
        /[^]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
      ),
  );
}

/** Reads arguments that a person has changed; `undefined` when they are no list in JSON. */
export function readArguments(text: string): readonly JsonValue[] | undefined {
  try {
    const value: JsonValue = JSON.parse(text);
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function aimOf({ name, target }: ApprovalRequest): string {
  // In quotes: the name of a file may hold anything.
  const quoted = JSON.stringify(target);
  if (target === undefined || target === "") return `call ${name}`;
  if (NETWORK_FUNCTIONS.has(name)) return `reach ${quoted}`;
  if (FILE_FUNCTIONS.has(name)) return `change ${quoted}`;
  return name === "exec" ? `run ${quoted}` : `call ${name} on ${quoted}`;
}

/** One argument a line. */
function argumentText(args: readonly JsonValue[]): string {
  return args.length === 0 ? "(no arguments)" : args.map((arg) => JSON.stringify(arg)).join("\n");
}
