/** The text in which the realm tells how an execution ended, and what it means. Pure. */
import type { ExecutionFailure, SandboxLimits } from "../../contracts/sandbox.ts";
import { failureForThrown, printable, type ThrownDescription } from "./failure.ts";
import type { MeasuredText } from "./realm.ts";

/** How a script ended, from the realm's own words. */
export interface RealmOutcome {
  readonly failure?: ExecutionFailure;
  readonly valueJson?: string;
  readonly notes: readonly string[];
}

/** The first line of an outcome; the value's JSON follows it. */
type OutcomeHead =
  | { readonly kind: "ok"; readonly notes: Record<string, string>; readonly value: boolean }
  | {
    readonly kind: "result" | "limit" | "syntax";
    readonly message: string;
    readonly stack?: undefined;
  }
  | (ThrownDescription & { readonly parsing?: boolean });

const encoder = new TextEncoder();

/** Reads an outcome. */
export function readOutcome(
  { text, bytes }: MeasuredText,
  context: {
    readonly limits: SandboxLimits;
    readonly source: string;
    readonly memoryRanOut: boolean;
  },
): RealmOutcome {
  const { limits, source, memoryRanOut } = context;
  const split = text.indexOf("\n");
  const head = JSON.parse(text.slice(0, split)) as OutcomeHead;
  if (head.kind === "ok") {
    const notes = Object.values(head.notes).map(printable);
    if (!head.value) return { notes };
    const valueBytes = bytes - encoder.encode(text.slice(0, split + 1)).length;
    if (valueBytes <= limits.argsBytes) return { valueJson: text.slice(split + 1), notes };
    const message = overLimit("what run returned", valueBytes, limits.argsBytes);
    return { failure: { kind: "limit", message }, notes: [] };
  }
  if (head.stack === undefined) {
    return { failure: { kind: head.kind, message: printable(head.message) }, notes: [] };
  }
  const parsing = head.parsing === true;
  const failure = failureForThrown(head, { limits, parsing, memoryRanOut });
  return { failure: withHint(failure, source), notes: [] };
}

/** The words on something that is over a limit of bytes. */
export function overLimit(what: string, bytes: number, max: number): string {
  return `${what}: ${bytes} bytes as JSON, the limit is ${max}`;
}

/** The engine's word on an `await` in a plain function helps nobody. */
function withHint(failure: ExecutionFailure, source: string): ExecutionFailure {
  if (failure.kind !== "syntax" || !/\bawait\b/.test(source)) return failure;
  return { ...failure, message: `${failure.message} (await works in async function run only)` };
}
