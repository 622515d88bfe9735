/**
 * One HTTP exchange: sends a request and gives the body of a good reply to a reader, within a time limit, ending at once when the caller's signal ends. After it
 * nothing is left open.
 */
import { onAbort } from "../contracts/on_abort.ts";
import { startTimer } from "../contracts/timer.ts";
import { ByteSource } from "./byte_source.ts";
import { type Failure, failureOfBody, failureOfReply, failureOfSilence } from "./failure.ts";
import { retryAfterMs } from "./retry_after.ts";
import type { Exchange, Sender } from "./sdk.ts";
import { failureOfTransport } from "./transport_failure.ts";

/** How long the text of an error may take once its status is there, in ms. */
const ERROR_TEXT_MS = 2_000;
/** Characters of an error's text that are read. Servers that quote the request which they refuse send as much as it had. */
const MAX_ERROR_LENGTH = 8 * 1024 * 1024;
/** Characters of a web page in which an error is looked for. */
const MAX_PAGE_LENGTH = 16 * 1024;

/** Limits of one exchange. */
export interface ExchangeOptions {
  /** How long the reply may take to begin. */
  readonly requestTimeoutMs: number;
  /** The clock. */
  readonly now: () => Date;
  /** Ends the exchange. */
  readonly signal?: AbortSignal;
}

/**
 * Sends, and lets `read` take the body of a reply whose status is good. Returns what went wrong, in the exchange or in `read`, or nothing.
 *
 * @throws the signal's reason when it ends.
 */
export function exchange(
  sender: Sender,
  { request, read, options }: {
    readonly request: Exchange;
    readonly read: (bytes: ByteSource) => Promise<Failure | undefined>;
    readonly options: ExchangeOptions;
  },
): Promise<Failure | undefined> {
  const { signal } = options;
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const sending = new Sending();
    // After an abort the work still ends, with nobody waiting for it.
    const end = signal && onAbort(signal, (reason) => {
      reject(reason);
      sending.end(reason);
    });
    sendAndRead(sender, { request, read, options, sending }).then((failure) => {
      end?.();
      resolve(failure);
    }, (error) => {
      end?.();
      reject(error);
    });
  });
}

async function sendAndRead(
  sender: Sender,
  { request, read, options, sending }: {
    readonly request: Exchange;
    readonly read: (bytes: ByteSource) => Promise<Failure | undefined>;
    readonly options: ExchangeOptions;
    readonly sending: Sending;
  },
): Promise<Failure | undefined> {
  const { requestTimeoutMs, now } = options;
  let late = false;
  const stopTimer = startTimer(requestTimeoutMs, () => {
    late = true;
    sending.end();
  });
  let response: Response;
  try {
    response = await sending.send(sender, request);
    if (!response.ok) return await failureOfError(response, now);
  } catch (error) {
    if (late) return failureOfSilence(requestTimeoutMs, "request");
    return failureOfTransport(error);
  } finally {
    stopTimer();
  }
  const fault = faultOfBody(response);
  if (fault !== undefined) return failureOfBody(fault);
  await using bytes = new ByteSource(response.body);
  return await read(bytes);
}

/** A request on its way. It can be ended at any time, also where a caller's own fetch function does not heed its signal. */
class Sending {
  readonly #controller = new AbortController();
  #giveUp: ((reason: unknown) => void) | undefined;

  /** Sends. A reply that comes when it is waited for no longer is given up. */
  send(sender: Sender, request: Exchange): Promise<Response> {
    const { signal } = this.#controller;
    return new Promise((resolve, reject) => {
      this.#giveUp = reject;
      sender.send(request, signal).then((response) => {
        if (signal.aborted) response.body?.cancel?.().catch(() => {});
        resolve(response);
      }, reject);
    });
  }

  /** Ends the wait for the reply, and the reply where it is being read. */
  end(reason?: unknown): void {
    this.#controller.abort(reason);
    this.#giveUp?.(this.#controller.signal.reason);
  }
}

/** Why a body cannot be read: what was begun elsewhere would be told as the whole reply. */
function faultOfBody({ body, bodyUsed }: Response): string | undefined {
  if (!body) return undefined;
  const gave = "the fetch function gave a response whose body";
  if (typeof body.getReader !== "function") return `${gave} is no ReadableStream`;
  return bodyUsed || body.locked ? `${gave} somebody has begun to read` : undefined;
}

/** The status is told in any case: it says whether to try again. */
async function failureOfError(response: Response, now: () => Date): Promise<Failure> {
  const fault = faultOfBody(response);
  if (fault === undefined) {
    return failureOfStatus(response, { text: await errorText(response), now });
  }
  const quote = `${response.status}; what the server says of it is lost: ${fault}`;
  return { ...failureOfStatus(response, { text: "", now }), quote };
}

/** What a server says of an error, as far as it comes within the bounds: the status tells enough, and a body may stall or have no end. */
async function errorText({ body }: Response): Promise<string> {
  await using bytes = new ByteSource(body);
  const decoder = new TextDecoder();
  const until = performance.now() + ERROR_TEXT_MS;
  let text = "";
  while (text.length < MAX_ERROR_LENGTH) {
    const part = await bytes.next(until - performance.now());
    if (part.kind !== "bytes") break;
    text += decoder.decode(part.bytes, { stream: true });
  }
  return text.slice(0, MAX_ERROR_LENGTH) + decoder.decode();
}

function failureOfStatus(
  { status, headers }: Response,
  { text, now }: { readonly text: string; readonly now: () => Date },
): Failure {
  const waitMs = retryAfterMs(headers, now);
  const shouldRetry = headers.get("x-should-retry");
  return failureOfReply(bodyOf(text), {
    status,
    ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }),
    ...(shouldRetry === "true" || shouldRetry === "false"
      ? { shouldRetry: shouldRetry === "true" }
      : {}),
  });
}

function bodyOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return withoutMarkup(text);
  }
}

function withoutMarkup(text: string): string {
  if (!/^\s*</.test(text)) return text;
  return text.slice(0, MAX_PAGE_LENGTH).replace(/<(script|style)\b.*?<\/\1>/gis, " ").replace(
    /<[^>]*>/g,
    " ",
  ).trim();
}
