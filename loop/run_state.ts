/** What the parts of one run share. Made by run.ts, changed by turn.ts, gone with the run. */
import type { RunRequest } from "../contracts/loop.ts";
import type { Message, TokenUsage } from "../contracts/model.ts";
import type { HostCallHandler, Sandbox } from "../contracts/sandbox.ts";
import type { CarriedData } from "./carried_data.ts";
import type { Conversation } from "./history.ts";
import type { Recorder } from "./recorder.ts";
import type { LoopParts } from "./validate.ts";

/** What a run has come to so far; holds also for a run that fails before its first turn. */
export interface RunTally {
  /** Tokens of every model call. */
  tokens: TokenUsage;
  /** Bytes of carried data that were withheld from prompts, summed over the model calls. */
  dataBytesCarried: number;
  /** The system prompt that is sent; "" while it is not composed. */
  systemPrompt: string;
}

/** A run that is under way. */
export interface RunState {
  readonly parts: LoopParts;
  readonly request: RunRequest;
  /** The model to ask; nothing for the client's own. */
  readonly model: string | undefined;
  /** Model calls at most. */
  readonly maxIterations: number;
  /** Ends with the run; its reason is an `AgentLoopError`. */
  readonly signal: AbortSignal;
  readonly recorder: Recorder;
  readonly tally: RunTally;
  readonly sandbox: Sandbox;
  /** Opens the gate for the calls of one turn; `note` takes what the model is to be told of them. */
  readonly openGate: (turn: number, note: (text: string) => void) => HostCallHandler;
  readonly conversation: Conversation;
  /** What the next script gets; nothing while none returned anything. */
  data: CarriedData | undefined;
  /** The scripts that were run, oldest first. */
  readonly scripts: string[];
  /** Replies that could not be used, with their reminders, since the last script. They are sent until a script comes, and then forgotten. */
  unsettled: Message[];
}
