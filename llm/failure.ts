/**
 * What went wrong in one try, and what that means: which error it becomes, whether another try may help, and what a person can do.
 * Failures are values here; only {@linkcode toError} makes the error that a caller sees, with everything secret taken out.
 */
import { AgentLoopError, type ErrorCode } from "../contracts/errors.ts";
import type { TokenUsage } from "../contracts/model.ts";
import { contextWindowOf, isContextOverflow } from "./context_overflow.ts";
import { parseProviderError, type ProviderError } from "./provider_error.ts";
import { type Scrub, scrubError } from "./scrub.ts";

/** One failed try. */
export interface Failure {
  /** The code of the error it becomes. */
  readonly code: ErrorCode;
  /** Why it failed: the middle of a sentence, in words of this package. */
  readonly reason: string;
  /** What a server or the runtime said about it; stands behind the reason in parentheses. */
  readonly quote?: string;
  /** What to do about it: sentences. */
  readonly hint: string;
  /** The same for those who only use the program, where the hint does not suit them. */
  readonly advice?: string;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  /** HTTP status, where there was one. */
  readonly status?: number;
  /** How long the server asks to be left alone. */
  readonly retryAfterMs?: number;
  /** What the provider said, where it said something. */
  readonly provider?: ProviderError;
  /** The error behind it. */
  readonly cause?: unknown;
}

/** Text that a server chose is cut here in messages, in characters. */
const MAX_QUOTE_LENGTH = 500;

/** Accounts that have run dry: the status is that of a rate limit, but waiting does not help. */
const NO_CREDIT = /insufficient_quota|billing|insufficient[ _]credit/i;

/** Whatever a provider calls it when its filter stands in the way of a request. */
const FILTERED =
  /content[_ -]?(?:filter|policy|management)|responsible_?ai_?policy|moderation|safety (?:system|policy)|usage policies/i;

/** A try that the server answered with an error, by HTTP status or inside a body that began well. */
export function failureOfReply(
  body: unknown,
  { status, retryAfterMs, shouldRetry }: {
    readonly status?: number;
    readonly retryAfterMs?: number;
    /** The server's own word on it, which beats ours. */
    readonly shouldRetry?: boolean;
  },
): Failure {
  const provider = parseProviderError(body);
  const known = status ?? provider.status ?? statusOfWords(provider);
  const meaning = meaningOf(known, provider);
  const quote = [known, provider.message || provider.code || provider.type].filter(Boolean).join(
    ": ",
  );
  return {
    code: meaning.code,
    reason: meaning.reason,
    ...(quote === "" ? {} : { quote }),
    hint: meaning.hint,
    retryable: shouldRetry ?? meaning.retryable,
    provider,
    ...(known === undefined ? {} : { status: known }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

// Errors inside a stream often have a word where a status would stand.
function statusOfWords({ code, type }: ProviderError): number | undefined {
  const words = `${code ?? ""} ${type ?? ""}`;
  if (/rate_?limit|too_many_requests/i.test(words)) return 429;
  if (/overloaded|unavailable/i.test(words)) return 503;
  if (/server_error|internal_error|api_error/i.test(words)) return 500;
  if (/authentication/i.test(words)) return 401;
  if (/permission/i.test(words)) return 403;
  return undefined;
}

type Meaning = Pick<Failure, "code" | "reason" | "hint" | "retryable">;

function meaningOf(status: number | undefined, provider: ProviderError): Meaning {
  const words = `${provider.code ?? ""} ${provider.type ?? ""} ${provider.message}`;
  const mayOverflow = status === undefined || status === 400 || status === 413 || status === 422 ||
    status >= 500;
  if (mayOverflow && isContextOverflow(provider)) {
    return {
      code: "model_context_overflow",
      reason: "the conversation does not fit into the model's context window",
      hint: "Shorten the history or the message, or choose a model with a larger window.",
      retryable: false,
    };
  }
  const mayBeFiltered = status === undefined || status === 400 || status === 403 || status === 422;
  if (mayBeFiltered && FILTERED.test(words)) {
    return {
      code: "model_rejected",
      reason: "the provider's content filter stopped the request",
      hint: "Rephrase the message, or choose another model.",
      retryable: false,
    };
  }
  switch (status) {
    case undefined:
      return {
        code: "model_incomplete",
        reason: "the server reported an error in the middle of its reply",
        hint: "Try again later, or choose another model.",
        retryable: true,
      };
    case 401:
      return {
        code: "model_auth",
        reason: "the API key was refused",
        hint:
          "Check the key (OPENAI_API_KEY), and that it belongs to this endpoint (OPENAI_BASE_URL).",
        retryable: false,
      };
    case 403:
      return {
        code: "model_auth",
        reason: "access was denied",
        hint:
          "Check that the API key may use this model, and that no proxy or region rule stands in the way.",
        retryable: false,
      };
    case 404:
    case 405:
      return {
        code: "model_not_found",
        reason: "the endpoint or the model does not exist",
        hint: notFoundHint(words),
        retryable: false,
      };
    case 408:
    case 425:
      return {
        code: "model_overloaded",
        reason: "the server gave up waiting",
        hint: "Try again later.",
        retryable: true,
      };
    case 413:
      return {
        code: "model_context_overflow",
        reason: "the request is too large for the server",
        hint: "Shorten the history or the message.",
        retryable: false,
      };
    case 429:
      return NO_CREDIT.test(words)
        ? {
          code: "model_rate_limited",
          reason: "the account has no credit left",
          hint: "Check the plan and the billing of the account that the key belongs to.",
          retryable: false,
        }
        : {
          code: "model_rate_limited",
          reason: "the rate limit was reached",
          hint: "Try again later, or raise the limit with the provider.",
          retryable: true,
        };
    default:
      return status >= 500
        ? {
          code: "model_overloaded",
          reason: "the server failed",
          hint: "Try again later; if it stays like this, look at the server's log or status page.",
          retryable: true,
        }
        : {
          code: "model_rejected",
          reason: "the request was rejected",
          hint: "Look at what the server says about it, and at the model and the options.",
          retryable: false,
        };
  }
}

function notFoundHint(words: string): string {
  const url = "the base URL (OPENAI_BASE_URL), which most often ends in /v1";
  const model = "the model's name (OPENAI_CHAT_MODEL)";
  return /model/i.test(words) ? `Check ${model}.` : `Check ${url}, and ${model}.`;
}

/** A reply that began and then was silent, or that did not begin in time. */
export function failureOfSilence(waitMs: number, phase: "request" | "stream"): Failure {
  const option = phase === "request" ? "requestTimeoutMs" : "idleTimeoutMs";
  return {
    code: "timeout",
    reason: phase === "request"
      ? `the reply did not begin within ${waitMs} ms`
      : `the reply stalled: no byte came for ${waitMs} ms`,
    hint: `Try again later; a program can allow more time (${option}).`,
    retryable: true,
  };
}

/** A reply that ended before it was complete. */
export function failureOfCut(reason: string, cause?: unknown): Failure {
  return {
    code: "model_incomplete",
    reason,
    hint: "Try again; if it stays like this, look at the server's log, and at what stands between.",
    retryable: true,
    ...(cause === undefined ? {} : { cause }),
  };
}

/** A reply that ended well and brought nothing at all. */
export function failureOfEmptiness(): Failure {
  return {
    code: "model_empty",
    reason: "the reply was empty: it ended without any content",
    hint: "Try again, or choose another model.",
    retryable: true,
  };
}

/** A reply whose body cannot be read; what is wrong with it is the end of a sentence. Only a `fetch` that is not the runtime's own gives such a one. */
export function failureOfBody(fault: string): Failure {
  return {
    code: "config",
    reason: fault,
    hint:
      "Let it give responses as they came: what looks into one reads a copy (response.clone()), or makes a new Response of what it read.",
    advice: "Tell whoever runs the program.",
    // The request was answered, and would be again, by the same function.
    retryable: false,
  };
}

/** A reply that is not of this protocol. */
export function failureOfForeignReply(reason: string): Failure {
  return {
    code: "model_rejected",
    reason,
    hint:
      "Check the base URL (OPENAI_BASE_URL): it must lead to an OpenAI-compatible API, most often at /v1.",
    retryable: false,
  };
}

/**
 * The error that a caller sees: which endpoint and model, why, and what to do. Message, causes and stack are free of secrets and of
 * control characters.
 */
export function toError(
  failure: Failure,
  { task, scrub, tries = 1, tokens }: {
    /** What was being done, to what: `Asking m at http://…`. */
    readonly task: string;
    readonly scrub: Scrub;
    readonly tries?: number;
    readonly tokens?: TokenUsage;
  },
): AgentLoopError {
  const often = tries > 1 ? ` after ${tries} tries` : "";
  const cause = scrubError(failure.cause, scrub);
  const { code, provider, reason, quote, hint, advice = hint } = failure;
  const contextWindow = code === "model_context_overflow" && provider !== undefined
    ? contextWindowOf(provider)
    : undefined;
  const spent = tokens !== undefined && tokens.prompt + tokens.completion > 0;
  const told = quote ? `${reason} (${quote})` : reason;
  return new AgentLoopError(
    `${scrub(task)} failed${often}: ${tidy(scrub(told))}. ${hint}`,
    {
      code,
      why: tidy(scrub(reason)),
      advice,
      ...(cause === undefined ? {} : { cause }),
      ...(contextWindow === undefined ? {} : { contextWindow }),
      ...(failure.status === undefined ? {} : { status: failure.status }),
      ...(spent ? { tokens: { prompt: tokens.prompt, completion: tokens.completion } } : {}),
    },
  );
}

function tidy(text: string): string {
  // deno-lint-ignore no-control-regex -- a server's text must not steer a terminal
  const line = text.replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, " ").trim();
  return line.length > MAX_QUOTE_LENGTH
    ? `${line.slice(0, MAX_QUOTE_LENGTH)}…`.toWellFormed()
    : line;
}
