/**
 * Scripts that come as calls of one native tool, for models that only do function calling well: what they are told, and what their replies are. A script is the
 * same whichever way it came: history, trace and what it may do do not differ. Pure.
 */
import type { Completion, ModelToolCall, ToolDeclaration } from "../contracts/model.ts";
import { withWholeStrings } from "./broken_strings.ts";
import { argumentsOf } from "./call_arguments.ts";
import { definesRun, withoutOwnCall } from "./code_scan.ts";
import { freezeWhole } from "./freeze_whole.ts";
import { protocolRules } from "./prompt.ts";
import { type UnusableReply, writeReminder } from "./reminder.ts";
import { interpretReply, type Reply } from "./reply.ts";
import { RUN_JAVASCRIPT } from "./script_call.ts";

/** The tool. */
export const RUN_JAVASCRIPT_TOOL = freezeWhole<ToolDeclaration>({
  name: RUN_JAVASCRIPT,
  description: "Runs JavaScript that defines run(args); the result is what it logged and returned.",
  parameters: {
    type: "object",
    properties: { code: { type: "string", description: "function run(args) { … }" } },
    required: ["code"],
  },
});

/** What a model is told of the protocol. */
export const CODE_TOOL_PROMPT =
  `You solve tasks by running JavaScript: call the tool \`${RUN_JAVASCRIPT}\` with code that defines \`run\`, like this:

function run(args) {
  const readings = [12, 7, 31.5];
  const high = readings.filter((n) => n > 10);
  const sum = high.reduce((total, n) => total + n, 0);
  answer("Readings above 10: " + high.length + ", together " + sum + ".");
}

${protocolRules("call")}`;

/** Says what a complete reply is. The first call that can be run runs; a block in the text counts where there is no call. */
export function interpretCodeToolReply(
  completion: Completion,
  functions: readonly string[],
): Reply {
  const { toolCalls = [], text, finishReason } = completion;
  if (toolCalls.length === 0) return interpretReply(text, finishReason, { functions });
  const sources = toolCalls.map(sourceOf);
  const at = sources.findIndex((source) => source !== undefined && definesRun(source));
  const source = sources[at];
  if (source !== undefined) {
    return {
      kind: "code",
      source: withoutOwnCall(withWholeStrings(source.trim())),
      ignoredBlocks: sources.length - 1,
      callId: toolCalls[at]!.id,
    };
  }
  if (toolCalls.some(({ argumentsFault }) => argumentsFault === "cut")) {
    return { kind: "cut", at: "length" };
  }
  return sources.some((one) => one !== undefined)
    ? { kind: "missing_run" }
    : { kind: "wrong_form", form: "tool_call" };
}

/** The reminder for a reply. */
export function remindOfCodeTool(reply: UnusableReply): string {
  switch (reply.kind) {
    case "cut":
    case "unfinished_reasoning":
      return writeReminder({ kind: "cut", at: "length" });
    case "missing_run":
      return `Nothing was run: the code does not define run. Call ${RUN_JAVASCRIPT} with function run(args) { … }.`;
    case "wrong_form":
      return `Nothing was run. Call the tool ${RUN_JAVASCRIPT}, with code that defines function run(args); it is the only tool, other functions are called in the code.`;
  }
}

/** The code of a call; nothing when it is no call of the tool, or its arguments are not whole. */
function sourceOf({ name, argumentsJson, argumentsFault }: ModelToolCall): string | undefined {
  if (name !== RUN_JAVASCRIPT || argumentsFault !== undefined) return undefined;
  const { code } = argumentsOf(argumentsJson);
  return typeof code === "string" ? code : undefined;
}
