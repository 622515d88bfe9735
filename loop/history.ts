/**
 * The conversation as a model sees it, made of steps. A run adds its own steps to it in the same way in which the next run adds them from
 * the store, so both send the same bytes and a provider's prefix cache goes on hitting. Only the newest script stays verbatim: when one is
 * added, the one before becomes a short line, and stays that line.
 */
import type { TokenEstimator } from "../contracts/compaction.ts";
import type { Message, ModelToolCall } from "../contracts/model.ts";
import { type RunStep, STEP_TYPE_SUMMARY } from "../contracts/step.ts";
import { callIdOf, callsOf } from "./call_steps.ts";
import { elideScript } from "./elide.ts";
import { withoutPointer } from "./kept_results.ts";
import { textTokens } from "./message_size.ts";
import { type Piece, PieceJoiner, summaryText } from "./piece.ts";
import { scriptCall } from "./script_call.ts";
import { estimateTokens } from "./tokens.ts";

/** What the loop says in the user's place where a run broke off. Part of stored conversations' prompts: a change moves their prefix. */
const NO_RESULT = "[The run ended before this script's result was kept.]";
const NO_ANSWER = "[The run ended without an answer.]";
const NO_CALL_RESULT = "[The run ended before this call's result was kept.]";

/** What a chat template puts around a message, in tokens: about as much in all the common ones. */
export const MESSAGE_TOKENS = 4;

/** A step as a conversation takes it. */
export type ReplayedStep =
  & Pick<RunStep, "stepType" | "content">
  & Partial<Pick<RunStep, "stepIndex" | "toolArgs">>
  & {
    /** The calls that its `toolArgs` hold, where they are known; frozen. */
    readonly calls?: readonly ModelToolCall[] | undefined;
    /** The id of the call that its `toolArgs` are about, where it is known. */
    readonly callId?: string | undefined;
  };

/** How a conversation is said. */
export interface ConversationOptions {
  /** Sizes texts. @default estimateTokens */
  readonly estimate?: TokenEstimator;
  /** Calls of tools are said in the provider's own shape; without it as text, for requests that declare no tools. @default false */
  readonly nativeCalls?: boolean;
  /** Scripts are said as calls of a tool; without it as blocks. @default false */
  readonly scriptCalls?: boolean;
}

/** The conversation of one run. */
export class Conversation {
  readonly #estimate: TokenEstimator;
  readonly #sizes = new WeakMap<Piece, number>();
  readonly #joiner = new PieceJoiner();
  #pieces: Piece[] = [];
  #tokens = 0;
  /** The script that still stands verbatim, and its source. */
  #script: { readonly piece: Piece; readonly source: string } | undefined;
  /** The calls of the newest reply that have no result yet, by their ids. */
  readonly #unanswered = new Map<string, ModelToolCall>();
  /** What the conversation waits for: nothing, an answer, or the result of a script. */
  #open: "none" | "answer" | "result" = "none";
  readonly #nativeCalls: boolean;
  #scriptCalls: boolean;
  /** The call of the newest script, while its result is waited for. */
  #scriptCallId: string | undefined;

  /** Begins an empty conversation. */
  constructor(
    { estimate = estimateTokens, nativeCalls = false, scriptCalls = false }: ConversationOptions =
      {},
  ) {
    this.#estimate = estimate;
    this.#nativeCalls = nativeCalls;
    this.#scriptCalls = scriptCalls;
  }

  /** The pieces, oldest first. */
  get pieces(): readonly Piece[] {
    return this.#pieces;
  }

  /** About how many tokens the messages take. Kept up to date, so asking costs nothing. */
  get tokens(): number {
    return this.#tokens;
  }

  /** About how many tokens a piece takes. */
  readonly sizeOf = (piece: Piece): number => {
    const known = this.#sizes.get(piece);
    if (known !== undefined) return known;
    const calls = piece.toolCalls?.length ?? 0;
    const size = textTokens(piece, this.#estimate) + (1 + calls) * MESSAGE_TOKENS;
    this.#sizes.set(piece, size);
    return size;
  };

  /** Adds a step; kinds that are not replayed (errors) leave the conversation as it is. */
  add({ stepType, content, stepIndex, toolArgs, calls, callId }: ReplayedStep): void {
    switch (stepType) {
      case "user":
        return this.addUser({ message: content, stepIndex });
      case "llm_call":
        this.#settle();
        return this.#addCalls(content, { toolArgs, stepIndex, calls });
      case "tool_result":
        return this.#addCallResult(content, { toolArgs, stepIndex, callId });
      case "tool_call":
        return; // what was called stands in the reply that called it
      case "execute_js":
        this.#settle();
        this.#addScript(content, { toolArgs, stepIndex });
        this.#open = "result";
        return;
      case "execute_js_result":
        this.#addScriptResult({ kind: "result", role: "user", content, ...stepOf(stepIndex) });
        return;
      case "response":
        this.#settle();
        this.#push({ kind: "response", role: "assistant", content, ...stepOf(stepIndex) });
        this.#open = "none";
        return;
      case STEP_TYPE_SUMMARY:
        this.#push({ kind: "summary", role: "user", content: summaryText(content) });
        return;
      case "approval":
      case "error":
        return;
    }
  }

  /**
   * Adds what the user says.
   *
   * `appendix` stands behind the message in this run only; the next run adds the message without it.
   */
  addUser(
    { message, appendix = "", stepIndex }: {
      readonly message: string;
      readonly appendix?: string;
      readonly stepIndex?: number | undefined;
    },
  ): void {
    this.#settle();
    if (this.#open === "answer") this.#push({ kind: "note", role: "user", content: NO_ANSWER });
    const content = appendix === "" ? message : `${message}\n\n${appendix}`;
    this.#push({ kind: "message", role: "user", content, ...stepOf(stepIndex) });
    this.#open = "answer";
  }

  /** Adds to the newest message of the user what stands behind it in this run only. */
  addToMessage(appendix: string): void {
    const at = this.#pieces.findLastIndex(({ kind }) => kind === "message");
    const piece = this.#pieces[at];
    if (piece === undefined || appendix === "") return;
    const content = `${piece.content}\n\n${appendix}`.toWellFormed();
    this.replace(this.#pieces.with(at, { ...piece, content }));
  }

  /** The messages, oldest first, behind those of `head`. `unsettled` follow them in this request only. Those that do not change from one request to the next are the same objects, and frozen. */
  messages(unsettled: readonly Message[] = [], head: readonly Message[] = []): Message[] {
    return this.#joiner.join([...this.#pieces, ...unsettled], head);
  }

  /** Puts other pieces in the place of those that there are. The newest script, where it is among them, still becomes its line later. */
  replace(pieces: readonly Piece[]): void {
    this.#pieces = [...pieces];
    this.#tokens = this.#pieces.reduce((sum, piece) => sum + this.sizeOf(piece), 0);
  }

  /** From now on scripts are said as calls of a tool, also those that were said as blocks. */
  sayScriptsAsCalls(): void {
    if (this.#scriptCalls) return;
    this.#scriptCalls = true;
    let id: string | undefined;
    this.replace(this.#pieces.map((piece, at) => {
      if (piece.kind === "script") {
        id = `js_${piece.step ?? at}`;
        const isNewest = piece === this.#script?.piece;
        const code = isNewest ? this.#script!.source : piece.content;
        const said: Piece = { ...piece, content: "", toolCalls: [scriptCall(id, code)] };
        if (isNewest) this.#script = { piece: said, source: code };
        return said;
      }
      if (id === undefined || (piece.kind !== "result" && piece.kind !== "note")) return piece;
      const toolCallId = id;
      id = undefined;
      return { ...piece, role: "tool", toolCallId };
    }));
    this.#scriptCallId = id;
  }

  /** Says in the place of results that there are none. */
  #settle(): void {
    for (const id of [...this.#unanswered.keys()]) {
      this.#answerCall(id, { kind: "note", role: "user", content: NO_CALL_RESULT });
    }
    if (this.#open !== "result") return;
    this.#addScriptResult({ kind: "note", role: "user", content: NO_RESULT });
  }

  /** Adds a reply that called tools. Where its calls cannot be read, what it said is all that is left of it. */
  #addCalls(
    said: string,
    { toolArgs, stepIndex, calls: known }: Omit<ReplayedStep, "stepType" | "content">,
  ): void {
    const toolCalls = known ?? callsOf(toolArgs);
    for (const call of toolCalls) this.#unanswered.set(call.id, call);
    this.#open = "answer";
    if (this.#nativeCalls) {
      const calls = toolCalls.length === 0 ? {} : { toolCalls };
      this.#push({
        kind: "calls",
        role: "assistant",
        content: said,
        ...calls,
        ...stepOf(stepIndex),
      });
      return;
    }
    const lines = toolCalls.map(({ name, argumentsJson }) => `[called ${name}(${argumentsJson})]`);
    const content = [...(said === "" ? [] : [said]), ...lines].join("\n");
    this.#push({ kind: "calls", role: "assistant", content, ...stepOf(stepIndex) });
  }

  #addCallResult(
    content: string,
    { toolArgs, stepIndex, callId }: Omit<ReplayedStep, "stepType" | "content">,
  ): void {
    const id = callId ?? callIdOf(toolArgs);
    // A result whose call is not in the conversation would be refused by every provider.
    if (!this.#unanswered.has(id)) return;
    const { name = "" } = this.#unanswered.get(id) ?? {};
    const told = this.#nativeCalls ? content : withoutPointer(content, { name, toolArgs });
    this.#answerCall(id, {
      kind: "call_result",
      role: "user",
      content: told,
      ...stepOf(stepIndex),
    });
  }

  #answerCall(id: string, piece: Piece): void {
    const name = this.#unanswered.get(id)?.name ?? "";
    this.#unanswered.delete(id);
    if (this.#nativeCalls) {
      this.#push({ ...piece, kind: "call_result", role: "tool", toolCallId: id });
    } else {
      this.#push({
        ...piece,
        kind: "call_result",
        content: `[result of ${name}]\n${piece.content}`,
      });
    }
  }

  #addScript(
    source: string,
    { toolArgs, stepIndex }: Pick<ReplayedStep, "toolArgs" | "stepIndex">,
  ): void {
    this.#elideNewest();
    const step = stepOf(stepIndex);
    const id = callIdOf(toolArgs) || `js_${step.step ?? this.#pieces.length}`;
    const said = this.#scriptCalls
      ? { content: "", toolCalls: [scriptCall(id, source)] }
      : { content: fenced(source) };
    const piece = this.#push({ kind: "script", role: "assistant", ...said, ...step });
    this.#script = { piece, source };
    this.#scriptCallId = this.#scriptCalls ? id : undefined;
  }

  #addScriptResult(piece: Piece): void {
    const toolCallId = this.#scriptCallId;
    this.#push(toolCallId === undefined ? piece : { ...piece, role: "tool", toolCallId });
    this.#scriptCallId = undefined;
    this.#open = "answer";
  }

  /** Makes the script that is verbatim its line. It may have left the conversation by now. */
  #elideNewest(): void {
    if (this.#script === undefined) return;
    const { piece, source } = this.#script;
    const at = this.#pieces.lastIndexOf(piece);
    if (at < 0) return;
    const text = elideScript(source).toWellFormed();
    const [call] = piece.toolCalls ?? [];
    const line: Piece = call === undefined
      ? { ...piece, content: text }
      : { ...piece, toolCalls: [scriptCall(call.id, text)] };
    this.#pieces[at] = line;
    this.#tokens += this.sizeOf(line) - this.sizeOf(piece);
  }

  #push(raw: Piece): Piece {
    const piece = { ...raw, content: raw.content.toWellFormed() };
    this.#pieces.push(piece);
    this.#tokens += this.sizeOf(piece);
    return piece;
  }
}

function stepOf(stepIndex: number | undefined): Pick<Piece, "step"> {
  return Number.isSafeInteger(stepIndex) ? { step: stepIndex as number } : {};
}

/** A script as the block that the model sent: in a fence longer than any that it holds. */
function fenced(source: string): string {
  let longest = 2;
  for (const [marks] of source.matchAll(/^ {0,3}`{3,}/gm)) {
    longest = Math.max(longest, marks.trimStart().length);
  }
  const fence = "`".repeat(longest + 1);
  return `${fence}javascript\n${source}\n${fence}`;
}
