/**
 * A model double that replies from a script. It is strict: a call that no reply is left for fails, and so does a reply that nobody
 * asked for. It speaks the {@linkcode Client} interface only; the wire is left to the real client.
 */
import type {
  Client,
  Completion,
  CompletionRequest,
  FinishReason,
  ModelToolCall,
  TokenUsage,
} from "../contracts/model.ts";
import { assertToolOrder } from "../contracts/tool_order.ts";
import { isCut } from "./reply.ts";
import { argumentsText, judgeArguments } from "./tool_arguments.ts";
import { callIds, uniqueIds } from "./tool_calls.ts";
import { assertTools } from "./wire_tools.ts";

/** One call of a scripted reply. */
export interface ScriptedToolCall {
  /** The tool's name; it may be one that was not offered, or "". */
  readonly name: string;
  /** The arguments: an object, or the text as the model would write it, be it whole, cut or malformed. @default {} */
  readonly arguments?: string | object;
  /** Ties a result to the call. @default one that the conversation does not hold: `call00001` and on, as the real client makes them up */
  readonly id?: string;
  /** What a provider attached to the call and wants back with it. @default nothing */
  readonly providerMetadata?: Readonly<Record<string, unknown>>;
}

/** One scripted reply, with everything about it that a test may want to set. */
export interface ScriptedReply {
  /** The visible text. @default the `chunks` joined, else "" */
  readonly text?: string;
  /** The pieces that `onText` gets. Joined they must give `text`. @default the whole text in one piece, none when it is "" */
  readonly chunks?: readonly string[];
  /** Pieces that `onText` gets first and that `onRestart` then takes back, as after a stream that broke. @default none */
  readonly discarded?: readonly string[];
  /** Reasoning apart from the text. @default none */
  readonly reasoning?: string;
  /** Calls of tools, in their order. @default none */
  readonly toolCalls?: readonly ScriptedToolCall[];
  /** Names of the tools that the request must offer, in any order; others fail the call. @default they are not looked at */
  readonly expectedTools?: readonly string[];
  /** Why the model stopped. @default "stop", with calls "tool_calls" */
  readonly finishReason?: FinishReason;
  /** What the call cost; parts left out come from the options. @default the options' usage */
  readonly usage?: Partial<TokenUsage>;
  /** The model that answered. @default the one that the request names, else the options' model */
  readonly model?: string;
  /** Waits this long before the first piece, in ms. @default 0 */
  readonly delayMs?: number;
  /** Waits for this before the first piece; better than `delayMs`, since a test then says when. @default nothing to wait for */
  readonly until?: PromiseLike<unknown>;
  /** The call fails with this value, as it is, after the chunks were delivered. @default the call succeeds */
  readonly error?: unknown;
}

/**
 * What answers one call: text, a full reply, or a function of the request (and of the call's number, from 0) that makes either.
 * A function may be async; what it throws is what the call rejects with.
 */
export type ScriptedStep =
  | string
  | ScriptedReply
  | ((
    request: CompletionRequest,
    index: number,
  ) => string | ScriptedReply | Promise<string | ScriptedReply>);

/** Options of {@linkcode scriptedClient}. */
export interface ScriptedClientOptions {
  /** What answers each call after the last reply. @default nothing: such a call fails */
  readonly otherwise?: ScriptedStep;
  /** The model's name where neither request nor reply names one. @default "scripted" */
  readonly model?: string;
  /** What each call costs. @default zeros */
  readonly usage?: Partial<TokenUsage>;
}

/** The double: a client, its record of what it was asked, and the check that the script was played to its end. */
export interface ScriptedClient extends Client, Disposable {
  /** The requests so far, oldest first. Messages and tools are copies, so later changes by the caller do not show. */
  readonly requests: readonly CompletionRequest[];
  /** How many replies nobody asked for yet. */
  readonly remaining: number;
  /** How often `warmUp` was called. */
  readonly warmUps: number;
  /** The double has nothing to load: it only counts the call. */
  warmUp(): Promise<void>;
  /**
   * Checks that every reply was asked for, and that nothing else was.
   *
   * @throws {Error} when replies are left over, when there were calls without a reply or with other tools than expected, also where their
   * failure was swallowed.
   */
  assertDone(): void;
}

/**
 * Creates a client that answers its calls, in their order, from a list of replies.
 *
 * With `using client = scriptedClient([…])` the check of `assertDone` is made at the end of the block. A call whose signal has already
 * ended takes no reply; a signal that ends later fails the call at once with the signal's reason. Like the real client it refuses messages in which
 * results do not stand behind their calls, and takes no reply for them.
 *
 * @example
 * ```ts
 * import { scriptedClient } from "@agentloop/core/testing";
 *
 * using client = scriptedClient([
 *   "Hello.",
 *   { chunks: ["One, ", "two."], usage: { prompt: 12, completion: 4 } },
 *   (request) => `You said: ${request.messages.at(-1)?.content}`,
 * ]);
 * for (const content of ["hi", "count", "echo"]) {
 *   console.log((await client.complete({ messages: [{ role: "user", content }] })).text);
 * }
 * ```
 *
 * @throws {TypeError} when a reply's `chunks` do not join to its `text`.
 */
export function scriptedClient(
  replies: readonly ScriptedStep[],
  options: ScriptedClientOptions = {},
): ScriptedClient {
  for (const reply of replies) if (typeof reply === "object") assertReply(reply);
  return new ScriptedDouble(replies, options);
}

class ScriptedDouble implements ScriptedClient {
  readonly requests: CompletionRequest[] = [];
  readonly #replies: readonly ScriptedStep[];
  readonly #options: ScriptedClientOptions;
  #unexpected: string[] = [];
  #warmUps = 0;

  constructor(replies: readonly ScriptedStep[], options: ScriptedClientOptions) {
    this.#replies = [...replies];
    this.#options = options;
  }

  get remaining(): number {
    return Math.max(0, this.#replies.length - this.requests.length);
  }

  get warmUps(): number {
    return this.#warmUps;
  }

  warmUp(): Promise<void> {
    this.#warmUps++;
    return Promise.resolve();
  }

  async complete(request: CompletionRequest): Promise<Completion> {
    request.signal?.throwIfAborted();
    this.#assertForm(request);
    const index = this.requests.length;
    const { messages, tools } = request;
    this.requests.push({
      ...request,
      messages: structuredClone(messages),
      ...(tools === undefined ? {} : { tools: structuredClone(tools) }),
    });
    const step = this.#replies[index] ?? this.#options.otherwise;
    if (step === undefined) throw this.#refuse(request, index);
    const made = typeof step === "function"
      ? await withSignal(Promise.resolve(step(request, index)), request.signal)
      : step;
    const reply: ScriptedReply = typeof made === "string" ? { text: made } : made;
    assertReply(reply);
    this.#assertTools(reply, { request, index });
    return await play(reply, { request, options: this.#options });
  }

  assertDone(): void {
    const problems = [...this.#unexpected];
    if (this.remaining > 0) {
      const next = describe(this.#replies[this.requests.length]);
      problems.push(
        `${this.remaining} of ${this.#replies.length} scripted replies were never asked for; the next is ${next}`,
      );
    }
    if (problems.length > 0) throw new Error(`scriptedClient: ${problems.join("; ")}`);
  }

  [Symbol.dispose](): void {
    this.assertDone();
  }

  #assertForm(request: CompletionRequest): void {
    try {
      assertTools(request);
      assertToolOrder(request.messages);
    } catch (error) {
      this.#unexpected.push(error instanceof Error ? error.message : String(error));
      throw error;
    }
  }

  #assertTools(
    { expectedTools }: ScriptedReply,
    { request, index }: { request: CompletionRequest; index: number },
  ): void {
    if (expectedTools === undefined) return;
    const offered = namesOf(request.tools?.map(({ name }) => name) ?? []);
    if (offered === namesOf(expectedTools)) return;
    const problem = `call ${index + 1} offered the tools ${offered}, not ${namesOf(expectedTools)}`;
    this.#unexpected.push(problem);
    throw new Error(`scriptedClient: ${problem}`);
  }

  #refuse(request: CompletionRequest, index: number): Error {
    const last = request.messages.at(-1);
    const asked = last === undefined ? "no message" : `${last.role}: ${shorten(last.content)}`;
    const problem = `call ${
      index + 1
    } was not expected: the script has ${this.#replies.length} replies (last message — ${asked})`;
    this.#unexpected.push(problem);
    return new Error(`scriptedClient: ${problem}`);
  }
}

async function play(
  reply: ScriptedReply,
  { request, options }: { request: CompletionRequest; options: ScriptedClientOptions },
): Promise<Completion> {
  const { signal, onText, onRestart } = request;
  if (reply.until !== undefined) await withSignal(Promise.resolve(reply.until), signal);
  if (reply.delayMs !== undefined) await delay(reply.delayMs, signal);
  const text = reply.text ?? reply.chunks?.join("") ?? "";
  if (onText !== undefined) {
    if (reply.discarded !== undefined) {
      await deliver(reply.discarded, { onText, signal });
      onRestart?.();
    }
    const pieces = reply.chunks ?? (text === "" || reply.error !== undefined ? [] : [text]);
    await deliver(pieces, { onText, signal });
  }
  if (reply.error !== undefined) throw reply.error;
  const toolCalls = modelCalls(reply, request);
  const called = toolCalls.length > 0;
  return {
    text,
    ...(reply.reasoning === undefined ? {} : { reasoning: reply.reasoning }),
    ...(called ? { toolCalls } : {}),
    finishReason: reply.finishReason ?? (called ? "tool_calls" : "stop"),
    usage: { prompt: 0, completion: 0, ...options.usage, ...reply.usage },
    model: reply.model ?? request.model ?? options.model ?? "scripted",
  };
}

function modelCalls(
  { toolCalls = [], finishReason }: ScriptedReply,
  { messages }: CompletionRequest,
): ModelToolCall[] {
  const replyWasCut = finishReason !== undefined && isCut(finishReason);
  const made = uniqueIds(toolCalls.map(({ id }) => id), callIds(messages));
  return toolCalls.map(({ id, name, arguments: written = {}, providerMetadata }, at) => ({
    id: id ?? made[at]!,
    name,
    ...judgeArguments(argumentsText(written), { replyWasCut }),
    ...(providerMetadata === undefined ? {} : { providerMetadata }),
  }));
}

// The pause before each piece lets promises of the listener, and an abort made in it, run first.
async function deliver(
  pieces: readonly string[],
  { onText, signal }: { onText: (chunk: string) => void; signal: AbortSignal | undefined },
): Promise<void> {
  for (const piece of pieces) {
    await Promise.resolve();
    signal?.throwIfAborted();
    onText(piece);
  }
  signal?.throwIfAborted();
}

function withSignal<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

function delay(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const elapsed = new Promise<void>((resolve) => timer = setTimeout(resolve, delayMs));
  return withSignal(elapsed, signal).finally(() => clearTimeout(timer));
}

function assertReply(reply: ScriptedReply): void {
  if (reply.text === undefined || reply.chunks === undefined) return;
  if (reply.chunks.join("") !== reply.text) {
    throw new TypeError(
      `scriptedClient: the chunks of a reply must join to its text; got ${
        shorten(reply.chunks.join(""))
      } for ${shorten(reply.text)}`,
    );
  }
}

function describe(step: ScriptedStep | undefined): string {
  if (typeof step === "string") return shorten(step);
  if (typeof step === "function") return "a function";
  const called = step?.toolCalls?.map(({ name }) => name).join(", ");
  return shorten(
    step?.text ?? step?.chunks?.join("") ?? (called && `a call of ${called}`) ?? "an error",
  );
}

function namesOf(names: readonly string[]): string {
  return names.length === 0 ? "(none)" : names.toSorted().join(", ");
}

function shorten(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}
