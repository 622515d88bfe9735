/**
 * The protocols as one suite sees them: how a scripted model makes the same calls in each, and where it is told their results. What a protocol alone promises
 * (what becomes of the last turn, of a result that is too long) is said here too, so that the suite needs to know none of them.
 */
import type { LoopProtocol } from "../../contracts/loop.ts";
import type { CompletionRequest, Message } from "../../contracts/model.ts";
import type { ScriptedStep } from "../../llm/scripted.ts";

/** One call of a tool. */
export interface ToolCall {
  /** The tool, by the name that it was defined with. */
  readonly name: string;
  readonly args?: object;
}

/** One protocol. */
export interface ProtocolDriver {
  readonly protocol: LoopProtocol;
  /** Replies that a model gives in a new session before it acts, and that the run goes on from. */
  readonly prelude: readonly ScriptedStep[];
  /** Whether a run of a session whose newest script came as this needs them too. @default false */
  readonly preludeAfter?: (script: "block" | "call" | "none") => boolean;
  /** A reply that makes calls, in their order. What one of them throws keeps none of the others from being made. */
  reply(...calls: readonly ToolCall[]): ScriptedStep;
  /** What the model was told of each call of the reply before, in their order. */
  results(request: CompletionRequest | undefined): readonly string[];
  /** Whether calls are functions of a script, whose names have no `-`. */
  readonly inScripts: boolean;
  /** Types of the events of a turn that makes one call, between `turn_start` and the next. */
  readonly callEvents: readonly string[];
  /** Types of the steps of such a turn. */
  readonly callSteps: readonly string[];
}

function scriptOf(calls: readonly ToolCall[]): string {
  const lines = calls.map(({ name, args = {} }, at) =>
    `  try { show(${at}, ${name.replaceAll("-", "_")}(${JSON.stringify(args)})); } ` +
    `catch (error) { log("<${at}> " + error.name + ": " + error.message); }`
  );
  return [
    "function run() {",
    "  const text = (value) => value === undefined ? '(no result)' : typeof value === 'string' ? value : JSON.stringify(value);",
    "  const show = (at, value) => log('<' + at + '> ' + text(value));",
    ...lines,
    "}",
  ].join("\n");
}

/** The messages that follow the model's last one. */
export function toldSince({ messages }: Pick<CompletionRequest, "messages">): readonly Message[] {
  return messages.slice(messages.findLastIndex(({ role }) => role === "assistant") + 1);
}

function logged(request: CompletionRequest | undefined): readonly string[] {
  const text = toldSince(request!).map(({ content }) => content).join("\n");
  return text.split("\n").flatMap((line) => /^<\d+> (.*)$/.exec(line)?.[1] ?? []);
}

const SCRIPTS = {
  prelude: [],
  results: logged,
  inScripts: true,
  callEvents: ["execute_js", "sandbox_event", "execute_js_result"],
  callSteps: ["execute_js", "execute_js_result"],
} as const;

const CODE: ProtocolDriver = {
  ...SCRIPTS,
  protocol: "code",
  reply: (...calls) => `\`\`\`javascript\n${scriptOf(calls)}\n\`\`\``,
};

const CODE_TOOL: ProtocolDriver = {
  ...SCRIPTS,
  protocol: "code-tool",
  reply: (...calls) => ({
    toolCalls: [{ name: "run_javascript", arguments: { code: scriptOf(calls) } }],
  }),
};

/** A model that does not keep the form of blocks, and is given the tool for scripts. */
const AUTO: ProtocolDriver = {
  ...CODE_TOOL,
  protocol: "auto",
  prelude: Array(2).fill('{"name": "weather", "arguments": {"city": "Oslo"}}'),
  preludeAfter: (script) => script !== "call",
};

const TOOLS: ProtocolDriver = {
  protocol: "tools",
  prelude: [],
  reply: (...calls) => ({
    toolCalls: calls.map(({ name, args = {} }) => ({ name, arguments: args })),
  }),
  results: (request) => toldSince(request!).map(({ content }) => content),
  inScripts: false,
  callEvents: ["llm_call", "tool_call", "sandbox_event", "tool_result"],
  callSteps: ["llm_call", "tool_call", "tool_result"],
};

/** All of them. */
export const PROTOCOL_DRIVERS: readonly ProtocolDriver[] = [CODE, CODE_TOOL, AUTO, TOOLS];
