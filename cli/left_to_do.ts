/**
 * What an assistant's run leaves for other commands: it made pages that nobody serves yet, and tasks that nobody does. Said, since the answer alone looks as if all were done.
 */
import type { RunResult } from "../contracts/loop.ts";
import { findAddresses } from "../ext/assistant/mod.ts";
import type { Store } from "./store_access.ts";
import { countOf } from "./units.ts";

/** Lines for whoever reads the answer; none where nothing is left to do. */
export async function leftToDo(
  { sessionId, finalText }: Pick<RunResult, "sessionId" | "finalText">,
  { schedule }: Pick<Store, "schedule">,
): Promise<readonly string[]> {
  const tasks = await schedule.list({ sessionId, waitingOnly: true });
  return [
    ...(findAddresses(finalText).length === 0 ? [] : [
      "agentloop serve opens artifacts at their addresses; agentloop artifacts show prints them",
    ]),
    ...(tasks.length === 0 ? [] : [
      `${
        countOf(tasks.length, "scheduled task")
      } of this session: agentloop serve, or agentloop schedule run-due at the time, does what is due`,
    ]),
  ];
}
