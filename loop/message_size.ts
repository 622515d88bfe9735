/** What a message takes: what it says, and the calls that it makes. Pure. */
import type { TokenEstimator } from "../contracts/compaction.ts";
import type { Message } from "../contracts/model.ts";
import { utf8Bytes } from "./utf8.ts";

type Said = Pick<Message, "content" | "toolCalls">;

/** About how many tokens a message's texts take; what a template puts around them is not counted. */
export function textTokens({ content, toolCalls = [] }: Said, estimate: TokenEstimator): number {
  return toolCalls.reduce(
    (sum, { name, argumentsJson }) => sum + estimate(name + argumentsJson),
    estimate(content),
  );
}

/** How many bytes of UTF-8 a message's texts take. */
export function textBytes({ content, toolCalls = [] }: Said): number {
  return toolCalls.reduce(
    (sum, { name, argumentsJson }) => sum + utf8Bytes(name) + utf8Bytes(argumentsJson),
    utf8Bytes(content),
  );
}
