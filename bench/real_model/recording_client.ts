/** Keeps what a model was asked and what it replied, so that a transcript can show it. Passes everything through unchanged. */
import type { Client, Completion, CompletionRequest, Message } from "../../contracts/model.ts";
import { buildBody, firstAdaptation } from "../../llm/request_body.ts";

/** One call of the model. */
export interface RecordedCall {
  /** What it was sent. */
  readonly messages: readonly Message[];
  /** Bytes of the request as it goes over the wire, with what it offers. */
  readonly requestBytes: number;
  /** What it replied. */
  readonly completion: Completion;
}

/** A client that keeps the calls that succeeded, in their order. */
export interface RecordingClient extends Client {
  /** The calls so far. */
  readonly calls: readonly RecordedCall[];
}

/** Wraps a client. */
export function recordingClient(client: Client): RecordingClient {
  const calls: RecordedCall[] = [];
  return {
    calls,
    async complete(request: CompletionRequest): Promise<Completion> {
      const completion = await client.complete(request);
      calls.push({ messages: [...request.messages], requestBytes: bytesOf(request), completion });
      return completion;
    },
  };
}

function bytesOf(request: CompletionRequest): number {
  const adaptation = firstAdaptation(false);
  const body = buildBody(request, { model: request.model ?? "", defaults: {}, adaptation });
  return new TextEncoder().encode(JSON.stringify(body)).length;
}
