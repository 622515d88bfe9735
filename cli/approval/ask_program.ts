/**
 * Asks the program that drives the command: one JSON object on stdout, and its answer as one on stdin. The end of stdin, and whatever is no answer, allow nothing.
 */
import type { ApprovalRequest } from "../../contracts/approval.ts";
import type { JsonValue } from "../../contracts/json.ts";
import type { LineReader } from "../line_reader.ts";
import type { Output } from "../output.ts";
import type { Status } from "../status.ts";
import { oneLine } from "../terminal_text.ts";
import type { Answer, Ask } from "./approver.ts";

/** What is asked with. */
export interface Driver {
  /** Where answers come from; opened at the first question. */
  readonly lines: () => LineReader;
  /** Where questions go. */
  readonly output: Pick<Output, "line">;
  /** Where is said what is no answer. */
  readonly status: Pick<Status, "warning">;
  /** Takes secrets out of a question. */
  readonly redact: (value: JsonValue) => JsonValue;
}

/** Makes the function that asks. */
export function askProgram({ lines, output, status, redact }: Driver): Ask {
  let asked = 0;
  return async (request) => {
    const id = ++asked;
    output.line(redact(requestEvent(id, request)) as { readonly [key: string]: JsonValue });
    for (;;) {
      const read = await lines().read("", request.signal);
      if (typeof read === "string") return { kind: "no" };
      const answer = readAnswer(read.line, id);
      if (answer !== undefined) return answer;
      status.warning(
        `no answer to approval ${id}: ${
          oneLine(read.line, 100)
        }. One is {"approval_id":${id},"answer":"once"}; ` +
          'others are "session", "all", "no", and "edit" with "args".',
      );
    }
  };
}

function requestEvent(id: number, request: ApprovalRequest): JsonValue {
  const { name, target, args, preview, reason, sessionId, runId } = request;
  return {
    type: "approval_request",
    approval_id: id,
    name,
    target: target ?? null,
    args: [...args],
    preview: preview ?? null,
    reason,
    session_id: sessionId,
    run_id: runId,
  };
}

/** Reads an answer to this very question; `undefined` when it is none. */
function readAnswer(line: string, id: number): Answer | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const { approval_id, answer, args } = value as Record<string, unknown>;
  if (approval_id !== id) return undefined;
  // Whoever sends other arguments with another yes would have the call made as it was.
  if (args !== undefined && answer !== "edit" && answer !== "no") return undefined;
  switch (answer) {
    case "session":
    case "once":
    case "all":
    case "no":
      return { kind: answer };
    case "edit":
      return Array.isArray(args) ? { kind: "edited", args } : undefined;
    default:
      return undefined;
  }
}
