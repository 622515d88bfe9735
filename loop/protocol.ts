/**
 * How the model acts: what it is told of that, what a request offers it, what its replies are, and what it hears when one cannot be used. The rest of a run
 * (history, limits, gate, trace) is the same for all.
 */
import type { LoopProtocol } from "../contracts/loop.ts";
import type { Completion, CompletionRequest } from "../contracts/model.ts";
import type { RunStep } from "../contracts/step.ts";
import { callIdOf } from "./call_steps.ts";
import {
  CODE_TOOL_PROMPT,
  interpretCodeToolReply,
  remindOfCodeTool,
  RUN_JAVASCRIPT_TOOL,
} from "./code_tool.ts";
import { PROTOCOL_PROMPT } from "./prompt.ts";
import { LAST_SCRIPT, type UnusableReply, writeReminder } from "./reminder.ts";
import { interpretReply, type Reply } from "./reply.ts";
import type { RunTools } from "./run_tools.ts";
import { interpretToolReply, LAST_TURN, remindOfTools, TOOL_PROMPT } from "./tool_reply.ts";

/** What a request offers beside its messages. */
export type Offer = Pick<CompletionRequest, "tools" | "toolChoice">;

/** One way of acting. Holds nothing of a run. */
export interface Protocol {
  readonly name: Exclude<LoopProtocol, "auto">;
  /** Stands at the head of the system prompt. */
  readonly instructions: string;
  /** What the model is offered; `isLast` when nothing that it does could be told to it any more. */
  offer(tools: RunTools, isLast: boolean): Offer;
  /** What the model is told at the last turn, where it is to answer then. */
  readonly lastTurn: string;
  /** What a complete reply is. */
  interpret(completion: Completion, names: readonly string[]): Reply;
  /** What the model is told of a reply that could not be used. */
  remind(reply: UnusableReply): string;
}

const CODE: Protocol = {
  name: "code",
  instructions: PROTOCOL_PROMPT,
  offer: () => ({}),
  interpret: ({ text, finishReason }, functions) =>
    interpretReply(text, finishReason, { functions }),
  lastTurn: LAST_SCRIPT,
  remind: writeReminder,
};

const TOOLS: Protocol = {
  name: "tools",
  instructions: TOOL_PROMPT,
  offer: ({ declarations }, isLast) =>
    declarations.length === 0
      ? {}
      // Left in at the end too: some providers refuse a conversation with calls without them, and caches would miss.
      : { tools: [...declarations], ...(isLast ? { toolChoice: "none" as const } : {}) },
  interpret: interpretToolReply,
  lastTurn: LAST_TURN,
  remind: remindOfTools,
};

const CODE_TOOL: Protocol = {
  name: "code-tool",
  instructions: CODE_TOOL_PROMPT,
  offer: () => ({ tools: [RUN_JAVASCRIPT_TOOL] }),
  interpret: interpretCodeToolReply,
  lastTurn: LAST_SCRIPT,
  remind: remindOfCodeTool,
};

/**
 * The protocol that a run begins with. `auto` begins with scripts in blocks, unless the session's newest step that tells says that they come as calls.
 *
 * @param steps those that are replayed
 */
export function protocolOf(name: LoopProtocol, steps: readonly RunStep[]): Protocol {
  switch (name) {
    case "code":
      return CODE;
    case "tools":
      return TOOLS;
    case "code-tool":
      return CODE_TOOL;
    case "auto":
      return handsOver(steps.findLast((step) => tellsForm(step))) ? CODE_TOOL : CODE;
  }
}

/** What steps keep of a session whose scripts come as calls, beside such a call. */
const MARK = { protocol: "code-tool" } as const;

/**
 * What a step keeps, so that later runs know how scripts come: scripts and their calls are summarized, and leave the window.
 *
 * @param scriptsAsCalls whether they come as calls
 */
export function protocolMark(
  { scriptsAsCalls }: { readonly scriptsAsCalls: boolean },
): Readonly<Record<string, string>> {
  return scriptsAsCalls ? MARK : {};
}

/** Whether a step says that scripts come as calls. */
export function isMarked({ toolArgs }: Pick<RunStep, "toolArgs">): boolean {
  if (toolArgs?.includes(`"${MARK.protocol}"`) !== true) return false;
  try {
    return JSON.parse(toolArgs)?.protocol === MARK.protocol;
  } catch {
    return false;
  }
}

function tellsForm(step: RunStep): boolean {
  return step.stepType === "execute_js" || isMarked(step);
}

function handsOver(step: RunStep | undefined): boolean {
  return step !== undefined && (callIdOf(step.toolArgs) !== "" || isMarked(step));
}

/** What `auto` changes to when a model does not keep the form of blocks. */
export const FALLBACK_PROTOCOL: Protocol = CODE_TOOL;
