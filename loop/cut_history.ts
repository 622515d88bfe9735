/** Where a history may be cut in two: never between a script, or calls of tools, and the results, nor between a message and the answer to it. Pure. */
import type { Message } from "../contracts/model.ts";
import { isElidedScript } from "./elide.ts";
import { extractJsBlock } from "./extract.ts";

/** Whether a message of a history is a script: as the block that it was sent as, or as the line that stands for an old one. */
export function isScript({ role, content }: Message): boolean {
  return role === "assistant" && (isElidedScript(content) || extractJsBlock(content) !== "");
}

/** How much is to be kept. */
export interface CutOptions {
  /** Messages at the end that are kept; a few more where no cut is possible at that place. */
  readonly keep: number;
  /** Size that is kept at most, whatever `keep` says; `Infinity` for no bound. */
  readonly maxKept: number;
  /** Size of a message. */
  readonly sizeOf: (message: Message) => number;
}

/**
 * Position of the first message that is kept: from 1 to the length of the history, 0 for an empty one. The beginning of an exchange is better
 * than one of its scripts, where there is one without keeping twice as much.
 */
export function cutAt(history: readonly Message[], options: CutOptions): number {
  const { exchanges, cuts } = possibleCuts(history);
  const wanted = Math.max(0, history.length - options.keep);
  const atExchange = exchanges.findLast((cut) => cut <= wanted && cut >= wanted - options.keep);
  const chosen = atExchange ?? cuts.findLast((cut) => cut <= wanted) ?? cuts[0] ?? 0;
  let kept = history.slice(chosen).reduce((sum, message) => sum + options.sizeOf(message), 0);
  let at = chosen;
  for (const cut of cuts.filter((one) => one > chosen)) {
    if (kept <= options.maxKept) break;
    for (const message of history.slice(at, cut)) kept -= options.sizeOf(message);
    at = cut;
  }
  return at;
}

/** Where an exchange begins, and where anything does that may stand first: an exchange, a script, the end. */
function possibleCuts(
  history: readonly Message[],
): { readonly exchanges: number[]; readonly cuts: number[] } {
  if (history.length === 0) return { exchanges: [], cuts: [] };
  const scripts = history.map(isScript);
  const exchanges = history.flatMap(({ role }, at) =>
    at > 0 && role === "user" && !scripts[at - 1] ? [at] : []
  );
  const starts = history.flatMap(({ toolCalls }, at) =>
    at > 0 && (scripts[at] || toolCalls !== undefined) ? [at] : []
  );
  const cuts = [...exchanges, ...starts, history.length].sort((a, b) => a - b);
  return { exchanges, cuts };
}
