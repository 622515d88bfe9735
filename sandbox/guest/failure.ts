/** What the model is told when a script does not end well: each limit with its own message that names it and its value. */
import type { ExecutionFailure, SandboxLimits } from "../../contracts/sandbox.ts";

/** The name that scripts run under; it marks their own lines in a stack. */
export const SCRIPT_NAME = "script.js";

/** How an execution failed, before it is put into words. */
export type FailureCause = "time" | "cancelled" | "memory" | "stack" | "engine" | "unsettled";

/** The failure for a cause that the host noticed. */
export function failureFor(cause: FailureCause, limits: SandboxLimits): ExecutionFailure {
  switch (cause) {
    case "time":
      return {
        kind: "time",
        message:
          `the script computed longer than the limit of ${limits.guestTimeMs} ms (waiting for host calls does not count)`,
      };
    case "cancelled":
      return { kind: "cancelled", message: "the run was ended while the script ran" };
    case "memory":
      return {
        kind: "memory",
        message: `the script needed more than the memory limit of ${
          mebibytes(limits.memoryBytes)
        } MiB`,
      };
    case "stack":
      return {
        kind: "stack",
        message: `calls or data were nested too deeply for the stack limit of ${
          Math.round(limits.stackBytes / 1024)
        } KiB`,
      };
    case "engine":
      return {
        kind: "lost",
        message: "the script engine failed; the sandbox that ran it was dropped",
      };
    case "unsettled":
      return {
        kind: "threw",
        message:
          "the promise that run returned can never settle: no host call and no other work is left to wait for",
      };
  }
}

function mebibytes(bytes: number): number {
  return Math.round(bytes / 1024 / 1024);
}

/** What the realm says of a thrown value. */
export interface ThrownDescription {
  readonly kind: "threw" | "limit";
  readonly message: string;
  readonly stack: string;
  readonly name: string;
  /** Thrown was `null` or "": what the engine throws when it has no memory left for an error. */
  readonly bare: boolean;
}

/** The failure for a thrown value. `parsing` is true while the script itself is being read. */
export function failureForThrown(
  thrown: ThrownDescription,
  context: {
    readonly limits: SandboxLimits;
    readonly parsing: boolean;
    readonly memoryRanOut: boolean;
  },
): ExecutionFailure {
  const { limits, parsing, memoryRanOut } = context;
  if (thrown.name === "InternalError" && thrown.message.includes("stack overflow")) {
    return failureFor("stack", limits);
  }
  const outOfMemory = thrown.name === "InternalError" && thrown.message.includes("out of memory");
  if (outOfMemory || (memoryRanOut && thrown.bare)) return failureFor("memory", limits);
  const line = lineIn(thrown.stack);
  const message = printable(thrown.message);
  // The engine notes a frame for code that runs; a script that does not parse has none.
  const syntax = parsing && thrown.name === "SyntaxError" && !thrown.stack.includes("<eval>");
  return { kind: syntax ? "syntax" : thrown.kind, message, ...(line !== undefined && { line }) };
}

/** The first line of the script's own that a stack names. */
function lineIn(stack: string): number | undefined {
  const at = stack.indexOf(SCRIPT_NAME + ":");
  if (at < 0) return undefined;
  const line = parseInt(stack.slice(at + SCRIPT_NAME.length + 1), 10);
  return Number.isSafeInteger(line) && line > 0 ? line : undefined;
}

/** Guest text made safe to stand in one line of an observation: controls become visible escapes. */
export function printable(text: string): string {
  return text.toWellFormed().replace(/[\p{Cc}\u2028\u2029]/gu, escapeControl);
}

function escapeControl(character: string): string {
  if (character === "\n") return "\\n";
  if (character === "\t") return "\\t";
  return "\\u" + character.charCodeAt(0).toString(16).padStart(4, "0");
}
