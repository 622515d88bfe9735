/** One turn of a run: asks the model, then runs the script that it sent, takes its answer, or tells it what was wrong with its reply. */
import type { JsonValue } from "../contracts/json.ts";
import type { TokenUsage } from "../contracts/model.ts";
import type { EvaluateRequest, Execution } from "../contracts/sandbox.ts";
import { untilAborted } from "./abort.ts";
import { type Asked, askModel } from "./ask_model.ts";
import { type CarriedData, carryValue } from "./carried_data.ts";
import { attempt } from "./failure.ts";
import { scanReply } from "./fences.ts";
import { writeObservation } from "./observation.ts";
import { type UnusableReply, writeReminder } from "./reminder.ts";
import type { RunState } from "./run_state.ts";
import { addUsage, callTokens, NO_USAGE } from "./usage.ts";
import { clipMiddle } from "./utf8.ts";

/** How a turn ended. */
export type TurnEnd =
  | { readonly kind: "answered"; readonly finalText: string }
  | { readonly kind: "goes_on" };

/** So much of a reply that could not be used is shown to the model again, and kept in the trace. */
const MAX_QUOTED_BYTES = 4096;

/** What a model call cost. */
interface CallCost {
  readonly usage: TokenUsage;
  readonly durationMs: number;
}

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
      return await runScript(run, { ...reply, cost, turn });
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
    functions: run.sandbox.functions.keys(),
    signal: run.signal,
    ...(recorder.isHeard ? { emit: recorder.emit } : {}),
    onCall: (usage) => {
      tally.tokens = addUsage(tally.tokens, usage);
      tally.dataBytesCarried += withheldBytes;
    },
  });
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

/** A script on its way to the sandbox. */
interface Script {
  readonly source: string;
  readonly ignoredBlocks: number;
  readonly cost: CallCost;
  readonly turn: number;
}

/** Runs a script, and records it before and after. */
async function runScript(run: RunState, script: Script): Promise<TurnEnd> {
  const { recorder, conversation } = run;
  const { source, cost } = script;
  const step = await recorder.record(
    { stepType: "execute_js", content: source, ...stepCost(cost) },
    { type: "execute_js", content: source },
  );
  conversation.add(step);
  run.unsettled = [];

  const seed = Math.floor(run.parts.random() * 2 ** 32);
  const startedAt = run.parts.now().getTime();
  const notes: string[] = [];
  const onCall = run.openGate(script.turn, (text) => notes.push(text));
  const execution = await evaluate(run, { source, seed, onCall });
  const durationMs = run.parts.now().getTime() - startedAt;

  const returned = await readReturned(execution);
  const content = writeObservation({
    execution: { ...execution, notes: [...execution.notes, ...notes] },
    ...(returned === undefined ? {} : { digest: returned.data.digest }),
    ignoredBlocks: script.ignoredBlocks,
    turnsLeft: run.maxIterations - script.turn,
    logBytes: run.sandbox.limits.logBytes,
    earlierScripts: run.scripts,
  });
  run.scripts.push(source);
  const ok = execution.failure === undefined;
  const result = await recorder.record(
    { stepType: "execute_js_result", content, toolArgs: traceOf(execution, seed), durationMs },
    { type: "execute_js_result", content, ok, durationMs, tokens: callTokens(cost.usage) },
  );
  conversation.add(result);
  if (returned !== undefined) await replaceData(run, returned);
  if (execution.answerJson === undefined) return { kind: "goes_on" };
  const text = answerText(execution.answerJson);
  return await giveAnswer(run, { text, cost: { usage: NO_USAGE, durationMs: 0 } });
}

/** Runs a script in the sandbox; ends at once when the run does. */
async function evaluate(
  run: RunState,
  { source, seed, onCall }: Pick<EvaluateRequest, "source" | "seed" | "onCall">,
): Promise<Execution> {
  return await untilAborted(
    run.signal,
    attempt({ doing: "run the script", code: "sandbox_lost" }, () =>
      run.sandbox.evaluate({
        source,
        ...(run.data === undefined ? {} : { argsJson: run.data.json }),
        onCall,
        seed,
        now: run.parts.now,
        signal: run.signal,
      })),
  );
}

/** What a script returned, as text and as a value. */
interface Returned {
  readonly data: CarriedData;
  readonly value: JsonValue;
}

/** Reads what a script returned; nothing when it returned nothing or failed. */
async function readReturned({ failure, valueJson }: Execution): Promise<Returned | undefined> {
  if (failure !== undefined || valueJson === undefined) return undefined;
  const value: JsonValue = await attempt(
    { doing: "read what the script returned", code: "internal" },
    () => JSON.parse(valueJson),
  );
  return { data: carryValue(valueJson, value), value };
}

/** Makes what a script returned the next one's arguments, in this run and for those to come. */
async function replaceData(run: RunState, { data, value }: Returned): Promise<void> {
  const { sessionId } = run.request;
  await attempt(
    { doing: `store the data of session ${sessionId}`, code: "store_failed" },
    () => run.parts.sessions.updateData(sessionId, data.json),
  );
  run.data = data;
  run.recorder.emit({ type: "data_update", args: value });
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

/** What a step keeps of the model call behind it. */
function stepCost({ usage, durationMs }: CallCost) {
  return { durationMs, promptTokens: usage.prompt, completionTokens: usage.completion };
}

/** What the trace keeps of an execution: with seed and clock it can be run again and give the same. */
function traceOf(execution: Execution, seed: number): string {
  const { failure, valueJson, answerJson, guestMs, hostCalls, clockMs } = execution;
  return JSON.stringify({
    seed,
    clock_ms: clockMs,
    ok: failure === undefined,
    ...(failure === undefined ? {} : { failure: failure.kind, line: failure.line }),
    returned: failure === undefined && valueJson !== undefined,
    answered: answerJson !== undefined,
    guest_ms: guestMs,
    host_calls: hostCalls,
  });
}

/** An answer for people: text as it is, other values as readable JSON. */
function answerText(json: string): string {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "string" ? value : JSON.stringify(value, undefined, 2);
  } catch {
    return json;
  }
}
