/** What the parts of one run share. Made by prepare.ts, changed by turn.ts and what it calls, gone with the run. */
import type { Approve } from "../contracts/approval.ts";
import type { RunRequest } from "../contracts/loop.ts";
import type { Message } from "../contracts/model.ts";
import type { HostCall, HostCallHandler, Sandbox } from "../contracts/sandbox.ts";
import type { PromptBudget } from "./budget.ts";
import type { CallCost } from "./call_cost.ts";
import type { CarriedData } from "./carried_data.ts";
import type { Discovery } from "./discovery.ts";
import type { Conversation } from "./history.ts";
import type { KeptResults } from "./kept_results.ts";
import type { LimitReached } from "./limits.ts";
import type { GateOptions } from "./passage.ts";
import type { Protocol } from "./protocol.ts";
import type { Recorder } from "./recorder.ts";
import type { RunSecrets } from "./run_secrets.ts";
import type { RunTools } from "./run_tools.ts";
import type { Spending } from "./spending.ts";
import type { Trace } from "./trace.ts";
import type { LoopParts } from "./validate.ts";
import type { WarmUp } from "./warm_up.ts";

/** What a run has come to so far; holds also for a run that fails before its first turn. */
export interface RunTally {
  /** Bytes of carried data that were withheld from prompts, summed over the model calls. */
  dataBytesCarried: number;
  /** The system prompt that is sent; "" while it is not composed. */
  systemPrompt: string;
  /** How long the run took, in ms, once it has ended. */
  durationMs: number;
}

/** One turn, as the calls of its script are told of it. */
export interface TurnContext {
  /** Its number, from 1. */
  readonly turn: number;
  /** Takes what the model is to be told of the calls. */
  readonly note: (text: string) => void;
  /** Hears of a call that was counted, before it goes on. */
  readonly onCount?: (call: HostCall) => void;
  /** Takes a call on which there is no word yet; without it such a call is refused. */
  readonly wait?: GateOptions["wait"];
  /** Told of a call that was decided on, before anything comes of that; with false nothing does. */
  readonly begin?: GateOptions["begin"];
  /** Answers for a person who has spoken already, about every call that is asked about or not. */
  readonly approve?: Approve;
  /** The span in which the script runs. */
  readonly trace: Trace;
}

/** A text that is to be the answer. */
export interface Answer {
  readonly text: string;
  /** What the model call cost that brought it. */
  readonly cost: CallCost;
  /** Whether it was asked for when nothing else was left. */
  readonly forced: boolean;
  /** The turn, from 1. */
  readonly turn: number;
}

/** A run that is under way. */
export interface RunState {
  readonly parts: LoopParts;
  readonly request: RunRequest;
  /** The agent's name, where it has one. */
  readonly agent: string | undefined;
  /** The model to ask; nothing for the client's own. */
  readonly model: string | undefined;
  readonly runId: string;
  /** Model calls at most. */
  readonly maxIterations: number;
  /** The turn at which the run ends: the last of these, or one more where its answer was held back. */
  lastTurn: number;
  /** The answer that was objected to; the next one is given whatever is said of it. */
  heldBack: Answer | undefined;
  /** Bytes of data that may be carried; `Infinity` for no bound. */
  readonly maxArgsBytes: number;
  /** Ends with the run; its reason is an `AgentLoopError`. */
  readonly signal: AbortSignal;
  readonly recorder: Recorder;
  /** What may not be seen of the run. */
  readonly secrets: RunSecrets;
  readonly tally: RunTally;
  readonly spending: Spending;
  readonly trace: Trace;
  readonly warmUp: WarmUp;
  /** How the model acts; `auto` may change it between turns. */
  protocol: Protocol;
  /** Whether the session's next run under `auto` is to begin with scripts as calls; steps keep it. */
  scriptsAsCalls: boolean;
  /** What it can call by name; grows with what is found. */
  tools: RunTools;
  /** Finds further tools, where some can be found. */
  discovery: Discovery | undefined;
  /** Results that were too long to be told whole. */
  readonly kept: KeptResults;
  readonly sandbox: Sandbox;
  /** Opens the gate for the calls of one turn. */
  readonly openGate: (turn: TurnContext) => HostCallHandler;
  readonly conversation: Conversation;
  readonly budget: PromptBudget;
  /** Who the model is to be. */
  readonly persona: string;
  /** About what the system prompt takes, and what the model is offered, in tokens. */
  systemTokens: number;
  /** The head of each request: the same object while it says the same, and frozen. */
  systemMessage: Message;
  /** Messages that were left out when the history was replayed, not told yet. */
  droppedBefore: number;
  /** Whether compaction is not to be tried any more in this run. */
  compactionIsOver: boolean;
  /** The limit that the run has met and is to end on, when the turn has ended. */
  reached: LimitReached | undefined;
  /** Whether it was told that the carried data comes near its bound. */
  warnedOfArgs: boolean;
  /** What the next script gets; nothing while none returned anything. */
  data: CarriedData | undefined;
  /** The scripts that were run, oldest first. */
  readonly scripts: string[];
  /** Replies that could not be used, with their reminders, since the last script. They are sent until a script comes, and then forgotten. */
  unsettled: Message[];
  /** How many of them remind of the form of replies. */
  reminders: number;
}
