/** One turn's question to the model: streams what may be the answer, asks again when nothing came, and says what the reply is. */
import { AgentLoopError, EmptyResponseError } from "../contracts/errors.ts";
import type { RunEventBody } from "../contracts/event.ts";
import type { Client, Completion, CompletionRequest, TokenUsage } from "../contracts/model.ts";
import { untilAborted } from "./abort.ts";
import { AnswerStream } from "./answer_stream.ts";
import { attempt } from "./failure.ts";
import { interpretReply, type Reply } from "./reply.ts";
import { addUsage, NO_USAGE } from "./usage.ts";

/** Times that a model is asked which keeps silent: once, and twice again. */
const MAX_ATTEMPTS = 3;

/** What is asked, and how. */
export interface Question {
  /** The model. */
  readonly llm: Client;
  /** What it is sent. */
  readonly request: Pick<CompletionRequest, "messages" | "model" | "maxTokens">;
  /** Names of the functions that scripts can call. */
  readonly functions: readonly string[];
  /** Ends with the run. */
  readonly signal: AbortSignal;
  /** Hears of the text as it arrives; left out when nobody listens, so that the reply may come in one piece. */
  readonly emit?: (event: RunEventBody) => void;
  /** Called after each call with what it cost, those that failed or brought nothing included. */
  readonly onCall: (usage: TokenUsage) => void;
}

/** A reply, what it is, and what it cost together with the tries before it. */
export interface Asked {
  readonly text: string;
  readonly reply: Exclude<Reply, { readonly kind: "empty" }>;
  readonly usage: TokenUsage;
}

/**
 * Asks the model for one turn.
 *
 * @throws {AgentLoopError} what the client throws, `model_rejected` when a filter stopped the reply, `model_empty` when all tries are
 * empty, and the signal's reason when it ends first.
 */
export async function askModel(question: Question): Promise<Asked> {
  let spent = NO_USAGE;
  for (let tries = 0; tries < MAX_ATTEMPTS; tries++) {
    const { completion, reply } = await askOnce(question);
    spent = addUsage(spent, completion.usage);
    if (reply.kind !== "empty") return { text: completion.text, reply, usage: spent };
  }
  throw new EmptyResponseError(MAX_ATTEMPTS, spent);
}

async function askOnce(question: Question): Promise<{ completion: Completion; reply: Reply }> {
  const { emit } = question;
  const stream = emit && new AnswerStream({
    onChunk: (content) => emit({ type: "response_chunk", content }),
    onDiscard: () => emit({ type: "response_discarded" }),
  });
  try {
    const completion = await complete(question, stream);
    const { text, finishReason } = completion;
    if (finishReason === "content_filter") {
      throw new AgentLoopError(
        "The provider's content filter stopped the model's reply. Rephrase the message, or choose another model.",
        { code: "model_rejected" },
      );
    }
    const reply = interpretReply(text, finishReason, { functions: question.functions });
    const isAnswer = reply.kind === "final" || reply.kind === "done";
    stream?.finish(isAnswer ? reply.text : undefined);
    return { completion, reply };
  } catch (error) {
    stream?.finish();
    throw error;
  }
}

/** Makes the call. Its cost is told whether or not it succeeds. */
async function complete(question: Question, stream: AnswerStream | undefined): Promise<Completion> {
  const { llm, request, signal, onCall } = question;
  const streaming = stream && {
    onText: (chunk: string) => stream.feed(chunk),
    onRestart: () => stream.restart(),
  };
  try {
    const completion = await untilAborted(
      signal,
      attempt(
        { doing: "ask the model", code: "internal" },
        () => llm.complete({ ...request, ...streaming, signal }),
      ),
    );
    onCall(completion.usage);
    return completion;
  } catch (error) {
    onCall(error instanceof AgentLoopError && error.tokens || NO_USAGE);
    throw error;
  }
}
