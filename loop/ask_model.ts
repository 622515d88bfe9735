/** One turn's question to the model: streams what may be the answer, asks again when nothing came, and says what the reply is. */
import { AgentLoopError, EmptyResponseError } from "../contracts/errors.ts";
import type { RunEventBody } from "../contracts/event.ts";
import type { Client, Completion, CompletionRequest, TokenUsage } from "../contracts/model.ts";
import type { RedactionStream } from "../contracts/redaction.ts";
import { untilAborted } from "./abort.ts";
import { AnswerStream } from "./answer_stream.ts";
import { checkCompletion } from "./completion_checks.ts";
import { attempt, toAgentLoopError } from "./failure.ts";
import { RedactedChunks } from "./redacted_chunks.ts";
import type { Reply } from "./reply.ts";
import { type Attributes, type Trace, traced } from "./trace.ts";
import { addUsage, NO_USAGE } from "./usage.ts";

/** Times that a model is asked which keeps silent: once, and twice again. */
const MAX_ATTEMPTS = 3;

/** What is asked, and how. */
export interface Question {
  /** The model. */
  readonly llm: Client;
  /** What it is sent. */
  readonly request: Pick<CompletionRequest, "messages" | "model" | "tools" | "toolChoice">;
  /** Says what a reply is. */
  readonly interpret: (completion: Completion) => Reply;
  /** Ends with the run. */
  readonly signal: AbortSignal;
  /** Hears of the text as it arrives; left out when nobody listens, so that the reply may come in one piece. */
  readonly emit?: (event: RunEventBody) => void;
  /** The text is not told as it arrives, nor is anything of it. @default false */
  readonly holdsText?: boolean;
  /** Begins a stream of text on its way to `emit`. */
  readonly redactStream: () => RedactionStream;
  /** The span of the turn. */
  readonly trace: Trace;
  /** Called when a call is about to be made, at once before it. */
  readonly onStart: () => void;
  /** Called before each call; gives the bound of its reply, where it is to have one. What it throws ends the turn. */
  readonly beforeCall: () => Promise<number | undefined>;
  /** Called after each call with what it cost, those that failed or brought nothing included, and with the reply where there is one. */
  readonly onCall: (usage: TokenUsage, completion?: Completion) => void;
}

/** A reply, what it is, and what it cost together with the tries before it. */
export interface Asked {
  readonly text: string;
  readonly reply: Exclude<Reply, { readonly kind: "empty" }>;
  readonly usage: TokenUsage;
  /** How often it was asked. */
  readonly tries: number;
}

/**
 * Asks the model for one turn.
 *
 * @throws {AgentLoopError} what the client throws, `model_rejected` when a filter stopped the reply, `model_empty` when all tries are
 * empty, and the signal's reason when it ends first.
 */
export async function askModel(question: Question): Promise<Asked> {
  let spent = NO_USAGE;
  for (let tries = 1; tries <= MAX_ATTEMPTS; tries++) {
    const { completion, reply } = await askOnce(question);
    spent = addUsage(spent, completion.usage);
    if (reply.kind !== "empty") return { text: completion.text, reply, usage: spent, tries };
  }
  throw new EmptyResponseError(MAX_ATTEMPTS, spent);
}

async function askOnce(question: Question): Promise<{ completion: Completion; reply: Reply }> {
  const { emit, redactStream, holdsText = false } = question;
  const show = (event: RunEventBody) => holdsText ? undefined : emit?.(event);
  // Streamed also where nothing of it is told: a long reply in one piece is what servers and proxies give up on.
  const chunks = emit && new RedactedChunks(redactStream, {
    onChunk: (content) => show({ type: "response_chunk", content }),
    onDiscard: () => show({ type: "response_discarded" }),
  });
  const stream = chunks && new AnswerStream(chunks);
  try {
    const maxTokens = await untilAborted(question.signal, question.beforeCall());
    const completion = await complete(question, { stream, maxTokens });
    if (completion.finishReason === "content_filter") {
      throw new AgentLoopError(
        "The provider's content filter stopped the model's reply. Rephrase the message, or choose another model.",
        {
          code: "model_rejected",
          why: "the provider's content filter stopped the reply",
          advice: "Rephrase the message, or choose another model.",
        },
      );
    }
    const reply = question.interpret(completion);
    const isAnswer = reply.kind === "final" || reply.kind === "done";
    stream?.finish(isAnswer ? reply.text : undefined);
    chunks?.finish();
    return { completion, reply };
  } catch (error) {
    stream?.finish();
    throw error;
  }
}

/** Makes the call, in a span of its own. Its cost is told whether or not it succeeds. */
function complete(
  question: Question,
  { stream, maxTokens }: {
    readonly stream: AnswerStream | undefined;
    readonly maxTokens: number | undefined;
  },
): Promise<Completion> {
  const { llm, request, signal, onCall, trace } = question;
  const streaming = stream && {
    onText: (chunk: string) => stream.feed(chunk),
    onRestart: () => stream.restart(),
  };
  const { emit } = question;
  const noticing = emit && {
    onNotice: (content: string) => emit({ type: "warning", content }),
  };
  const bound = maxTokens === undefined ? {} : { maxTokens };
  const attributes = {
    "gen_ai.operation.name": "chat",
    "gen_ai.request.model": request.model,
    "gen_ai.request.max_tokens": maxTokens,
    "agentloop.llm_call.messages": request.messages.length,
  };
  return traced(trace, { name: "agentloop.llm_call", attributes }, async (span) => {
    try {
      question.onStart();
      const given = await untilAborted(
        signal,
        attempt(
          ASKING,
          () => llm.complete({ ...request, ...bound, ...streaming, ...noticing, signal }),
        ),
      );
      const completion = checked(given);
      onCall(completion.usage, completion);
      span.set(replyAttributes(completion));
      return completion;
    } catch (error) {
      onCall(error instanceof AgentLoopError && error.tokens || NO_USAGE);
      throw error;
    }
  });
}

const ASKING = { doing: "ask the model", code: "internal" } as const;

function checked(given: Completion): Completion {
  try {
    return checkCompletion(given);
  } catch (cause) {
    throw toAgentLoopError(cause, ASKING);
  }
}

function replyAttributes({ usage, model, finishReason }: Completion): Attributes {
  return {
    "gen_ai.response.model": model,
    "gen_ai.usage.input_tokens": usage.prompt,
    "gen_ai.usage.output_tokens": usage.completion,
    "agentloop.llm_call.cached_tokens": usage.cached,
    "agentloop.llm_call.cost": usage.cost,
    "agentloop.llm_call.finish_reason": finishReason,
  };
}
