/**
 * Reads the body of a reply: bytes to text, text to events, events into a {@linkcode ReplyBuilder}, and the rules for when a reply is complete.
 * Its first character decides what it is (a stream, one JSON object, a web page), since servers are careless with content types.
 */
import type { ByteSource } from "./byte_source.ts";
import {
  type Failure,
  failureOfCut,
  failureOfEmptiness,
  failureOfForeignReply,
  failureOfReply,
  failureOfSilence,
} from "./failure.ts";
import { isRecord } from "./provider_error.ts";
import { MAX_REPLY_LENGTH, type ReplyBuilder, type Taken } from "./reply.ts";
import { ServerSentEventReader } from "./sse.ts";

/** After the reason for the end only the usage can still come; it comes within milliseconds, and nothing is lost but it. */
const TRAILER_MS = 5_000;
/** After the last event the server only ends the response. Waiting for that lets the connection be used again. */
const DRAIN_MS = 50;

/**
 * Reads until the reply is complete. Returns what went wrong, or nothing when `builder` holds a complete reply.
 *
 * Complete is: a reason for the end was given, or the explicit end `[DONE]` came after some content, or a whole JSON reply.
 */
export async function readReply(
  bytes: ByteSource,
  { builder, idleTimeoutMs }: { readonly builder: ReplyBuilder; readonly idleTimeoutMs: number },
): Promise<Failure | undefined> {
  const decoder = new TextDecoder();
  let text = "";
  while (text.trimStart() === "") {
    const part = await bytes.next(idleTimeoutMs);
    if (part.kind === "silence") return failureOfSilence(idleTimeoutMs, "stream");
    if (part.kind === "broken") return connectionLost(part.error);
    if (part.kind === "end") return failureOfEmptiness();
    text = (text + decoder.decode(part.bytes, { stream: true })).trimStart();
  }
  if (text.startsWith("{") || text.startsWith("[")) {
    return await readJson(bytes, { builder, idleTimeoutMs, decoder, text });
  }
  if (text.startsWith("<")) return failureOfForeignReply("the server sent a web page");
  return await readEvents(bytes, { builder, idleTimeoutMs, decoder, text });
}

interface Reading {
  readonly builder: ReplyBuilder;
  readonly idleTimeoutMs: number;
  readonly decoder: TextDecoder;
  /** What was already decoded. */
  readonly text: string;
}

async function readEvents(bytes: ByteSource, reading: Reading): Promise<Failure | undefined> {
  const { builder, idleTimeoutMs, decoder } = reading;
  const events = new ServerSentEventReader();
  let batch = events.push(reading.text);
  let ended = false;
  let lost: Failure | undefined;
  let trailerEnd: number | undefined;
  for (;;) {
    for (const event of batch) {
      if (event.data.trim() === "[DONE]") {
        await bytes.drain(DRAIN_MS);
        return builder.finished || builder.hasContent ? undefined : failureOfEmptiness();
      }
      const failure = takeEvent(event, { builder, ended });
      if (failure !== undefined) return failure;
    }
    if (ended) return builder.finished ? undefined : lost ?? endedEarly(builder);
    if (events.heldLength > MAX_REPLY_LENGTH) return endless();
    // Counted from the last event: some servers give a reason with every piece of text, and comments could go on for ever.
    if (builder.finished && batch.length > 0) trailerEnd = performance.now() + TRAILER_MS;
    const waitMs = trailerEnd === undefined
      ? idleTimeoutMs
      : Math.min(idleTimeoutMs, trailerEnd - performance.now());
    const part = await bytes.next(waitMs);
    if (part.kind === "bytes") {
      batch = events.push(decoder.decode(part.bytes, { stream: true }));
      continue;
    }
    if (part.kind === "silence") {
      return builder.finished ? undefined : failureOfSilence(idleTimeoutMs, "stream");
    }
    if (part.kind === "broken") lost = connectionLost(part.error);
    ended = true;
    batch = [...events.push(decoder.decode()), ...events.end()];
  }
}

function takeEvent(
  event: { readonly name: string; readonly data: string },
  { builder, ended }: { readonly builder: ReplyBuilder; readonly ended: boolean },
): Failure | undefined {
  if (event.data.trim() === "") return undefined;
  let value: unknown;
  try {
    value = JSON.parse(event.data);
  } catch {
    if (event.name === "error") return failureOfReply(event.data, {});
    return failureOfCut(
      ended
        ? "the stream was cut in the middle of an event"
        : "the stream holds an event that is no JSON",
    );
  }
  if (event.name === "error") return failureOfReply(value, {});
  const taken = builder.take(value);
  if (builder.isEndless) return endless();
  // Pings and other objects of a provider's own may stand between the chunks of a stream.
  return taken.kind === "foreign" ? undefined : failureOfTaken(taken);
}

function failureOfTaken(taken: Exclude<Taken, { kind: "foreign" }>): Failure | undefined {
  switch (taken.kind) {
    case "ok":
      return undefined;
    case "error":
      return failureOfReply(taken.error, {});
    case "broken_off":
      return failureOfCut(`the server broke the reply off (${taken.word})`);
  }
}

function endedEarly(builder: ReplyBuilder): Failure {
  return builder.hasContent
    ? failureOfCut("the stream ended before the reply was complete")
    : failureOfEmptiness();
}

async function readJson(bytes: ByteSource, reading: Reading): Promise<Failure | undefined> {
  const { builder, idleTimeoutMs, decoder } = reading;
  const parts = [reading.text];
  let length = reading.text.length;
  for (;;) {
    const part = await bytes.next(idleTimeoutMs);
    if (part.kind === "silence") return failureOfSilence(idleTimeoutMs, "stream");
    if (part.kind === "broken") return connectionLost(part.error);
    const text = part.kind === "end"
      ? decoder.decode()
      : decoder.decode(part.bytes, { stream: true });
    parts.push(text);
    length += text.length;
    if (length > MAX_REPLY_LENGTH) return endless();
    if (part.kind === "end") break;
  }
  let value: unknown;
  try {
    value = JSON.parse(parts.join(""));
  } catch {
    return failureOfCut("the reply ended before its JSON was complete");
  }
  const taken = builder.take(value);
  if (builder.isEndless) return endless();
  if (taken.kind !== "foreign") {
    return failureOfTaken(taken) ??
      (builder.finished || builder.hasContent ? undefined : failureOfEmptiness());
  }
  if (Array.isArray(value)) return failureOfReply(value, {});
  // Gateways put refusals of their own into a reply with status 200.
  if (isRecord(value) && ("message" in value || "detail" in value)) {
    return failureOfReply(value, { status: 400 });
  }
  return failureOfForeignReply("the server sent JSON that is no reply of a model");
}

function endless(): Failure {
  return failureOfForeignReply("the reply is endless");
}

function connectionLost(error: unknown): Failure {
  return failureOfCut("the connection was lost in the middle of the reply", error);
}
