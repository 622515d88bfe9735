/** One turn of a run: asks the model, then runs the script that it sent, takes its answer, or tells it what was wrong with its reply. */
import { type Asked, askModel } from "./ask_model.ts";
import { type CallCost, NO_COST, stepCost } from "./call_cost.ts";
import { scanReply } from "./fences.ts";
import { type UnusableReply, writeReminder } from "./reminder.ts";
import { runScript, type Script } from "./run_script.ts";
import type { RunState } from "./run_state.ts";
import { addUsage, callTokens } from "./usage.ts";
import { clipMiddle } from "./utf8.ts";

/** How a turn ended. */
export type TurnEnd =
  | { readonly kind: "answered"; readonly finalText: string }
  | { readonly kind: "goes_on" };

/** So much of a reply that could not be used is shown to the model again, and kept in the trace. */
const MAX_QUOTED_BYTES = 4096;

/**
 * Takes one turn.
 *
 * @param turn its number, from 1
 * @throws {AgentLoopError} when the model, the store or the sandbox fails, and the run's reason when it is ended meanwhile.
 */
export async function takeTurn(run: RunState, turn: number): Promise<TurnEnd> {
  run.recorder.emit({ type: "turn_start", turn });
  const startedAt = run.parts.now().getTime();
  const asked = await ask(run);
  const cost = { usage: asked.usage, durationMs: run.parts.now().getTime() - startedAt };
  const { reply } = asked;
  switch (reply.kind) {
    case "final":
    case "done":
      return await giveAnswer(run, { text: reply.text, cost });
    case "code":
      return await takeScript(run, { ...reply, said: proseOf(asked.text), cost, turn });
    case "cut":
    case "missing_run":
    case "wrong_form":
    case "unfinished_reasoning":
      return await remind(run, { reply, text: asked.text, cost });
  }
}

function ask(run: RunState): Promise<Asked> {
  const { parts, request, model, recorder, tally, conversation } = run;
  const withheldBytes = run.data?.withheldBytes ?? 0;
  return askModel({
    llm: parts.llm,
    request: {
      messages: [
        { role: "system", content: tally.systemPrompt },
        ...conversation.messages(run.unsettled),
      ],
      ...(model === undefined ? {} : { model }),
      ...(request.maxTokens === undefined ? {} : { maxTokens: request.maxTokens }),
    },
    functions: [...run.sandbox.functions.keys()],
    signal: run.signal,
    ...(recorder.isHeard ? { emit: recorder.emit } : {}),
    onCall: (usage) => {
      tally.tokens = addUsage(tally.tokens, usage);
      tally.dataBytesCarried += withheldBytes;
    },
  });
}

/** Runs the script that the model sent, and takes the answer when it gave one. */
async function takeScript(run: RunState, script: Script): Promise<TurnEnd> {
  const answer = await runScript(run, script);
  if (answer === undefined) return { kind: "goes_on" };
  return await giveAnswer(run, { text: answer, cost: NO_COST });
}

function proseOf(text: string): string {
  return scanReply(text).prose.trim();
}

/** Records the answer. */
async function giveAnswer(
  run: RunState,
  { text, cost }: { readonly text: string; readonly cost: CallCost },
): Promise<TurnEnd> {
  const step = await run.recorder.record(
    { stepType: "response", content: text, ...stepCost(cost) },
    { type: "response", content: text, tokens: callTokens(cost.usage) },
  );
  run.conversation.add(step);
  return { kind: "answered", finalText: text };
}

/** Tells the model what was missing in its reply. The trace keeps both; later runs are sent neither. */
async function remind(
  run: RunState,
  unusable: { readonly reply: UnusableReply; readonly text: string; readonly cost: CallCost },
): Promise<TurnEnd> {
  const { reply, text, cost } = unusable;
  const content = writeReminder(reply);
  const quoted = clipMiddle(scanReply(text).visible.trim(), MAX_QUOTED_BYTES);
  await run.recorder.record({
    stepType: "error",
    content,
    toolArgs: JSON.stringify({ kind: reply.kind, reply: quoted }),
    ...stepCost(cost),
  }, {
    type: "warning",
    content: `The model's reply could not be used (${reply.kind}): ${content}`,
  });
  if (quoted !== "") run.unsettled.push({ role: "assistant", content: quoted });
  run.unsettled.push({ role: "user", content });
  return { kind: "goes_on" };
}
