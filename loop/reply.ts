/**
 * What a model's reply is: a script to run, an answer, or something that is neither. Decided on the text alone; what the sandbox makes of
 * a script is another matter. When in doubt nothing runs: a reply that is not understood costs a turn, code run by mistake costs more.
 */
import type { FinishReason, ModelToolCall } from "../contracts/model.ts";
import { definesRun, withoutOwnCall } from "./code_scan.ts";
import { type FencedBlock, scanReply } from "./fences.ts";
import { findWrongForm, type WrongForm } from "./wrong_form.ts";

/**
 * A reply, told apart by `kind`:
 *
 * - `code` a script to run; `ignoredBlocks` counts the other blocks that looked like scripts and are not run
 * - `calls` of tools by their names, and what was said beside them; where a model acts by calls
 * - `final` prose: the answer
 * - `done` the answer beside a `DONE` on a line of its own
 * - `cut` the reply ended too early: at the output limit (`length`), or within a block (`fence`)
 * - `missing_run` a block marked as JavaScript that defines no `run`
 * - `wrong_form` meant to be run, but not written as a block of ours
 * - `unfinished_reasoning` the reply ended inside its reasoning
 * - `empty` nothing at all beside reasoning
 */
export type Reply =
  | { readonly kind: "calls"; readonly calls: readonly ModelToolCall[]; readonly said: string }
  | {
    readonly kind: "code";
    readonly source: string;
    readonly ignoredBlocks: number;
    /** The call that brought it, where it came as one. */
    readonly callId?: string;
  }
  | { readonly kind: "final"; readonly text: string }
  | { readonly kind: "done"; readonly text: string }
  | { readonly kind: "cut"; readonly at: "length" | "fence" }
  | { readonly kind: "missing_run" }
  | { readonly kind: "wrong_form"; readonly form: WrongForm }
  | { readonly kind: "unfinished_reasoning" }
  | { readonly kind: "empty" };

/** What helps to read a reply. */
export interface InterpretOptions {
  /** Names of the functions that scripts can call, beside `answer` and `log`. @default none */
  readonly functions?: readonly string[];
}

/** Says what a complete reply is. Takes time linear in its length and never throws. */
export function interpretReply(
  text: string,
  finishReason: FinishReason,
  options: InterpretOptions = {},
): Reply {
  if (finishReason === "length") return { kind: "cut", at: "length" };
  const { visible, prose, blocks, done, unfinishedReasoning } = scanReply(text);
  if (unfinishedReasoning) return { kind: "unfinished_reasoning" };
  if (visible.trim() === "") {
    // The model called a tool natively although none was offered.
    return finishReason === "tool_calls"
      ? { kind: "wrong_form", form: "tool_call" }
      : { kind: "empty" };
  }
  const script = chooseScript(blocks);
  if (script !== undefined) return script;
  if (blocks.at(-1)?.closed === false) return { kind: "cut", at: "fence" };
  if (blocks.some(isMarked)) return { kind: "missing_run" };
  if (done !== undefined) {
    const after = visible.slice(done.end).trim();
    return { kind: "done", text: after || visible.slice(0, done.start).trim() };
  }
  const form = findWrongForm({ visible, prose, blocks, functions: new Set(options.functions) });
  if (form !== undefined) return { kind: "wrong_form", form };
  return { kind: "final", text: visible.trim() };
}

/** The block that runs: the first marked one that defines `run`, else the first without a mark that does. */
function chooseScript(blocks: readonly FencedBlock[]): Reply | undefined {
  const complete = blocks.filter((block) => block.closed);
  const marked = complete.filter(isMarked);
  const unmarked = complete.filter((block) => block.language === "" && definesRun(block.source));
  const chosen = marked.find((block) => definesRun(block.source)) ?? unmarked[0];
  if (chosen === undefined) return undefined;
  const ignoredBlocks = marked.length + unmarked.length - 1;
  return { kind: "code", source: withoutOwnCall(chosen.source.trim()), ignoredBlocks };
}

/** Whether a block is marked as one of ours. */
function isMarked(block: FencedBlock): boolean {
  return block.language === "javascript" || block.language === "js";
}
