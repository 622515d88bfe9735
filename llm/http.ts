/**
 * One HTTP exchange: sends a request through the OpenAI package and gives its raw body to a reader, within a time limit, ending at once when the
 * caller's signal ends. After it nothing is left open.
 */
import { ByteSource } from "./byte_source.ts";
import { type Failure, failureOfReply, failureOfSilence } from "./failure.ts";
import { retryAfterMs } from "./retry_after.ts";
import type { OpenAI } from "./openai_package.d.ts";
import { failureOfTransport } from "./transport_failure.ts";

/** What to send. */
export type Exchange =
  | { readonly method: "get"; readonly path: string }
  | { readonly method: "post"; readonly path: string; readonly body: object };

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
export async function exchange(
  sdk: OpenAI,
  { request, read, options }: {
    readonly request: Exchange;
    readonly read: (bytes: ByteSource) => Promise<Failure | undefined>;
    readonly options: ExchangeOptions;
  },
): Promise<Failure | undefined> {
  const { signal } = options;
  signal?.throwIfAborted();
  const controller = new AbortController();
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => {
    aborted.reject(signal?.reason);
    controller.abort(signal?.reason);
  };
  signal?.addEventListener("abort", onAbort, { once: true });
  const work = sendAndRead(sdk, { request, read, options, controller });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal?.removeEventListener("abort", onAbort);
    // After an abort the work still ends, with nobody waiting for it.
    work.catch(() => {});
  }
}

async function sendAndRead(
  sdk: OpenAI,
  { request, read, options, controller }: {
    readonly request: Exchange;
    readonly read: (bytes: ByteSource) => Promise<Failure | undefined>;
    readonly options: ExchangeOptions;
    readonly controller: AbortController;
  },
): Promise<Failure | undefined> {
  const { requestTimeoutMs, now } = options;
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    controller.abort();
  }, requestTimeoutMs);
  let response: Response;
  try {
    response = await send(sdk, request, controller.signal);
  } catch (error) {
    const status = statusError(error);
    if (status !== undefined) return failureOfStatus(status, now);
    if (late) return failureOfSilence(requestTimeoutMs, "request");
    return failureOfTransport(error instanceof Error ? error.cause ?? error : error);
  } finally {
    clearTimeout(timer);
  }
  await using bytes = new ByteSource(response.body);
  return await read(bytes);
}

function send(sdk: OpenAI, request: Exchange, signal: AbortSignal): Promise<Response> {
  return request.method === "get"
    ? sdk.get(request.path, { signal }).asResponse()
    : sdk.post(request.path, { signal, body: request.body }).asResponse();
}

interface StatusError {
  readonly status: number;
  readonly headers: Headers;
  readonly error: unknown;
  readonly message: string;
}

// By its shape and not by its class, which would have to be loaded to be compared with.
function statusError(error: unknown): StatusError | undefined {
  if (!(error instanceof Error) || !("status" in error) || typeof error.status !== "number") {
    return undefined;
  }
  const headers = "headers" in error && error.headers instanceof Headers
    ? error.headers
    : new Headers();
  const body = "error" in error ? error.error : undefined;
  return { status: error.status, headers, error: body, message: error.message };
}

function failureOfStatus(
  { status, headers, error, message }: StatusError,
  now: () => Date,
): Failure {
  const waitMs = retryAfterMs(headers, now);
  const shouldRetry = headers.get("x-should-retry");
  // The package puts the status before a text that is no JSON, and words of its own in place of an empty one.
  const text = message.replace(new RegExp(`^${status} (?:status code \\(no body\\))?`), "");
  const body = error !== undefined && error !== null ? error : withoutMarkup(text);
  return failureOfReply(body, {
    status,
    ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }),
    ...(shouldRetry === "true" || shouldRetry === "false"
      ? { shouldRetry: shouldRetry === "true" }
      : {}),
  });
}

function withoutMarkup(text: string): string {
  if (!/^\s*</.test(text)) return text;
  return text.replace(/<(script|style)\b.*?<\/\1>/gis, " ").replace(/<[^>]*>/g, " ").trim();
}
