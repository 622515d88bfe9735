/**
 * Results of calls that are too long to be told whole: the model is told the beginning and the end, and how it reads the rest. The whole is kept beside the trace, so
 * that also a later run finds it; it stands in the trace itself where a store keeps nothing beside it, and where an earlier version kept it.
 */
import type { ResultStore } from "../contracts/long_result.ts";
import type { ToolDeclaration } from "../contracts/model.ts";
import type { StepStore } from "../contracts/step.ts";
import { untilAborted } from "./abort.ts";
import { argumentsOf } from "./call_arguments.ts";
import { callIdOf, keepsWhole, wholeOf } from "./call_steps.ts";
import { attempt } from "./failure.ts";
import { freezeWhole } from "./freeze_whole.ts";
import { clipMiddle, headBytes, utf8Bytes } from "./utf8.ts";

/** Reads a part of a long result. Declared once there is one. */
export const READ_RESULT = freezeWhole<ToolDeclaration>({
  name: "read_result",
  description: "Reads on in a result that was too long to be shown whole.",
  parameters: {
    type: "object",
    properties: {
      call_id: { type: "string" },
      from: { type: "integer", description: "first character, from 0" },
      find: { type: "string", description: "begin where this text stands next" },
    },
    required: ["call_id"],
  },
});

/** Steps of the past in which a result is looked for. */
const REACH = 1000;

/** What the model is told of a result, and the whole where that is only a part of it. */
export interface ToldResult {
  readonly content: string;
  readonly whole?: string;
}

/** Shortens a result that is longer than so many bytes; below zero nothing is too long. */
export function tellResult(
  text: string,
  { callId, maxBytes }: { readonly callId: string; readonly maxBytes: number },
): ToldResult {
  const bytes = utf8Bytes(text);
  if (maxBytes < 0 || bytes <= maxBytes) return { content: text };
  const pointer = `${SHORTENED}${text.length} characters; ${READ_RESULT.name}({"call_id": ${
    JSON.stringify(callId)
  }, "from": …}) shows the rest]`;
  return { content: `${clipMiddle(text, maxBytes)}\n${pointer}`, whole: text };
}

/** Begins the line behind a result that was shortened. */
const SHORTENED = "[shortened: the result has ";

/**
 * A result as it is told where nothing reads on in it: to a model that writes scripts. Part of stored conversations' prompts: a change moves their prefix.
 *
 * @param name of the tool that was called
 */
export function withoutPointer(
  content: string,
  { name, toolArgs }: { readonly name: string; readonly toolArgs: string | undefined },
): string {
  if (name === READ_RESULT.name) {
    return content.replace(/^(\[characters \d+ to \d+ of \d+), go on from \d+\]/, "$1]");
  }
  const at = content.lastIndexOf(`\n${SHORTENED}`);
  if (at < 0 || !keepsWhole({ stepType: "tool_result", toolArgs })) return content;
  const pointer = content.slice(at + 1);
  const size = pointer.slice(0, pointer.indexOf(";"));
  return `${content.slice(0, at + 1)}${size}; the rest is not at hand here]`;
}

/** Where long results are kept. */
export interface KeptResultsOptions {
  readonly sessionId: string;
  readonly steps: StepStore;
  /** Keeps them beside the steps; without it they stand in the steps. */
  readonly results: ResultStore | undefined;
  /** Ends with the run. */
  readonly signal: AbortSignal;
}

/** The long results of one run. */
export class KeptResults {
  readonly #options: KeptResultsOptions;
  readonly #wholes = new Map<string, string>();

  /** Begins without any. */
  constructor(options: KeptResultsOptions) {
    this.#options = options;
  }

  /** Whether there is one that can be read. */
  hasAny = false;

  /**
   * Keeps one, before the step that tells of it. Gives what the step is to keep: the text, or that it is kept beside it.
   *
   * @throws {AgentLoopError} when the store fails, and the run's reason when it is ended meanwhile.
   */
  async keep(callId: string, whole: string): Promise<string | true> {
    const { results, sessionId, signal } = this.#options;
    this.hasAny = true;
    if (results === undefined) {
      this.#wholes.set(callId, whole);
      return whole;
    }
    const keeping = attempt(
      { doing: `keep a long result of session ${sessionId}`, code: "store_failed" },
      () => results.keepResult({ sessionId, callId, text: whole }),
    );
    await untilAborted(signal, keeping);
    return true;
  }

  /** Answers a call of `read_result`. */
  async answer(argumentsJson: string, maxBytes: number): Promise<{ ok: boolean; text: string }> {
    const { call_id: id, from, find } = argumentsOf(argumentsJson);
    if (typeof id !== "string") return { ok: false, text: "call_id is the id of a call, as text" };
    const whole = this.#wholes.get(id) ??
      await untilAborted(this.#options.signal, this.#stored(id));
    if (whole === undefined) {
      return {
        ok: false,
        text: `no long result of a call ${JSON.stringify(id.slice(0, 80))} is kept`,
      };
    }
    const start = typeof from === "number" && from > 0 ? characterAt(whole, Math.floor(from)) : 0;
    const at = typeof find === "string" && find !== "" ? whole.indexOf(find, start) : start;
    if (at < 0) return { ok: false, text: "that text does not stand there any more" };
    const rest = whole.slice(at);
    const part = maxBytes < 0 ? rest : headBytes(rest, maxBytes);
    const end = at + part.length;
    const more = end < whole.length ? `, go on from ${end}` : ", the end";
    return { ok: true, text: `[characters ${at} to ${end} of ${whole.length}${more}]\n${part}` };
  }

  async #stored(callId: string): Promise<string | undefined> {
    const { results, steps, sessionId } = this.#options;
    const task = {
      doing: `read a long result of session ${sessionId}`,
      code: "store_failed",
    } as const;
    const beside = results && await attempt(task, () => results.readResult(sessionId, callId));
    if (beside !== undefined) return beside;
    const step = (await attempt(task, () => steps.lastN(sessionId, REACH))).findLast((
      { stepType, toolArgs },
    ) => stepType === "tool_result" && callIdOf(toolArgs) === callId);
    return wholeOf(step?.toolArgs);
  }
}

/** Where a character begins that a position may lie within. */
function characterAt(text: string, position: number): number {
  const isWithin = position > 0 && (text.codePointAt(position - 1) ?? 0) > 0xffff;
  return isWithin ? position - 1 : position;
}
