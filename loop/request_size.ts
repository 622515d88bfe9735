/** About how many tokens a run's next request takes, part by part. */
import { MESSAGE_TOKENS } from "./history.ts";
import type { RunState } from "./run_state.ts";

/** What sizes are taken of. */
export type Sized = Pick<
  RunState,
  "systemTokens" | "unsettled" | "conversation" | "budget" | "tools"
>;

/** The whole request. */
export function requestTokens(run: Sized): number {
  return fixedTokens(run) + run.conversation.tokens;
}

/** What of it is no conversation: the system prompt, and replies that could not be used. */
export function fixedTokens(run: Omit<Sized, "conversation" | "tools">): number {
  return run.systemTokens + unsettledTokens(run);
}

/** The replies that could not be used, with their reminders. */
export function unsettledTokens(
  { unsettled, budget }: Pick<Sized, "unsettled" | "budget">,
): number {
  return unsettled.reduce(
    (sum, { content }) => sum + budget.estimate(content) + MESSAGE_TOKENS,
    0,
  );
}
