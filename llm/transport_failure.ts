/**
 * What it means when a request could not be sent or its connection broke. The runtime tells these apart by text only.
 */
import type { Failure } from "./failure.ts";

interface Kind {
  readonly pattern: RegExp;
  readonly reason: string;
  readonly hint: string;
  readonly advice?: string;
  readonly retryable: boolean;
}

const KINDS: readonly Kind[] = [
  {
    pattern: /NotCapable|PermissionDenied|requires net access/i,
    reason: "this program may not connect there",
    hint: "Grant it: --allow-net=HOST.",
    retryable: false,
  },
  {
    pattern: /requests to port \d+ are blocked|bad port/i,
    reason: "the runtime refuses to connect to that port",
    hint: "Let the server listen on another port.",
    retryable: false,
  },
  {
    pattern: /number of redirects|too many redirects/i,
    reason: "the server redirects without end",
    hint: "Check the base URL (OPENAI_BASE_URL).",
    retryable: false,
  },
  {
    pattern: /InvalidContentType|corrupt message|wrong version number/i,
    reason: "the server does not speak TLS",
    hint: "Check the base URL: it may have to start with http:// instead of https://.",
    retryable: false,
  },
  {
    pattern: /certificate|UnknownIssuer|self[- ]signed/i,
    reason: "the server's certificate is not trusted",
    hint: "Trust its authority (DENO_TLS_CA_STORE=system, or --cert FILE), or check the base URL.",
    retryable: false,
  },
  {
    pattern: /dns error|lookup address|name or service not known|ENOTFOUND|EAI_AGAIN/i,
    reason: "the host name could not be resolved",
    hint: "Check the base URL (OPENAI_BASE_URL) and the network.",
    retryable: true,
  },
  {
    pattern: /connection refused|ECONNREFUSED/i,
    reason: "the connection was refused",
    hint: "Is the server running there? Check the base URL (OPENAI_BASE_URL).",
    advice: "Check whether the server is running, and the base URL.",
    retryable: true,
  },
  {
    pattern: /timed? ?out/i,
    reason: "the connection timed out",
    hint: "Check the base URL (OPENAI_BASE_URL) and the network.",
    retryable: true,
  },
];

const UNKNOWN: Omit<Kind, "pattern"> = {
  reason: "the connection failed",
  hint: "Check the network and the base URL (OPENAI_BASE_URL).",
  retryable: true,
};

/** A request that could not be sent, or that got no reply. */
export function failureOfTransport(error: unknown): Failure {
  const texts = messagesOf(error);
  const text = texts.join(": ");
  const kind = KINDS.find(({ pattern }) => pattern.test(text));
  if (kind === undefined) {
    const quote = texts.at(-1) ?? "no reason given";
    return { code: "model_connection", ...UNKNOWN, quote, cause: error };
  }
  const { pattern: _, ...meaning } = kind;
  return { code: "model_connection", ...meaning, cause: error };
}

/** Whether an error is of a kind that only connections have. */
export function isTransportError(error: unknown): boolean {
  const text = messagesOf(error).join(": ");
  return KINDS.some(({ pattern }) => pattern.test(text)) || CONNECTION.test(text);
}

const CONNECTION = /error sending request|fetch failed|connection (?:error|closed|reset|failed)/i;

function messagesOf(error: unknown, depth = 4): string[] {
  if (!(error instanceof Error) || depth === 0) return [];
  return [`${error.name}: ${error.message}`, ...messagesOf(error.cause, depth - 1)];
}
