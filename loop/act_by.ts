/** Lets a run act by a protocol: its prompt, what it is offered, and how the past is said. */
import { MESSAGE_TOKENS } from "./history.ts";
import { composePrompt } from "./prompt.ts";
import type { Protocol } from "./protocol.ts";
import { declareDiscovery } from "./run_discovery.ts";
import type { RunState } from "./run_state.ts";
import { systemMessage } from "./system_message.ts";

/** From the next request on the run acts by a protocol. */
export function actBy(run: RunState, protocol: Protocol): void {
  const { budget, tally, tools, request, sandbox, persona } = run;
  run.protocol = protocol;
  if (protocol.name === "code-tool") run.conversation.sayScriptsAsCalls();
  const prompt = composePrompt(protocol.instructions, {
    persona,
    sandboxApi: declareDiscovery(run, sandbox.prompt),
    context: request.context,
  });
  run.systemMessage = systemMessage(prompt);
  tally.systemPrompt = run.systemMessage.content;
  const offered = protocol.offer(tools, false).tools ?? [];
  run.systemTokens = budget.estimate(tally.systemPrompt) + MESSAGE_TOKENS +
    (offered.length === 0 ? 0 : budget.estimate(JSON.stringify(offered)));
}
