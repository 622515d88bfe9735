/**
 * How the OpenAI-wire client is set up: the options that callers write, checked and completed.
 */
import { type Endpoint, OPENAI_BASE_URL, parseEndpoint } from "./endpoint.ts";
import { AgentLoopError } from "../contracts/errors.ts";
import { refuseUnknown } from "../contracts/known_names.ts";
import { createScrub, type Scrub } from "./scrub.ts";

/**
 * The model that is asked when none is named and the endpoint is OpenAI itself: small, cheap, and good at code. Any other endpoint
 * is asked for its list of models instead.
 */
export const DEFAULT_OPENAI_MODEL = "gpt-5-mini";

/** The part of `fetch` that the client uses. */
export type FetchFunction = (
  input: string | URL | Request,
  init?: RequestInit,
) => Promise<Response>;

/** Options of `createOpenAIClient`. All of them may be left out; `configFromEnv` makes them from the environment. */
export interface OpenAIConfig {
  /** The API key. Without one, no `Authorization` is sent: right for most local servers. @default none */
  readonly apiKey?: string;
  /** Where the API is, up to and with `/v1` or what stands in its place. @default "https://api.openai.com/v1" */
  readonly baseUrl?: string;
  /**
   * The model for requests that name none.
   *
   * @default at OpenAI `DEFAULT_OPENAI_MODEL`; elsewhere the only entry of the server's list of models, and an error when it has several
   */
  readonly model?: string;
  /** How often a call is tried again after 429, 5xx and failed connections; 0 turns it off. @default 3 */
  readonly maxRetries?: number;
  /**
   * How long the server may take to begin its reply, in ms. Long, since a local server reads the whole prompt before its first byte.
   *
   * @default 600_000 (as the OpenAI package has it)
   */
  readonly requestTimeoutMs?: number;
  /**
   * How long a reply that has begun may be silent, in ms. Any byte counts as life, comments too.
   *
   * @default 180_000: reasoning models are silent for minutes, and a run of 300 s should still have time for a second try
   */
  readonly idleTimeoutMs?: number;
  /** The longest `Retry-After` that is waited for, in ms; where more is asked the call fails at once. @default 60_000 */
  readonly maxRetryAfterMs?: number;
  /** Sampling temperature for requests that name none. @default the provider's own */
  readonly temperature?: number;
  /** Seed for requests that name none. @default none */
  readonly seed?: number;
  /** Headers to add to each request, such as `HTTP-Referer`; they go before the client's own. @default none */
  readonly headers?: Readonly<Record<string, string>>;
  /** Makes the requests, and gives responses whose bodies nobody has begun to read. @default the global `fetch` */
  readonly fetch?: FetchFunction;
  /** The clock, for the dates in `Retry-After`. @default the system's */
  readonly now?: () => Date;
  /** Random numbers from 0 to 1, for the jitter of the waits. @default Math.random */
  readonly random?: () => number;
  /** Waits before a retry; must reject with the signal's reason when the signal ends. @default a timer */
  readonly sleep?: (delayMs: number, signal?: AbortSignal) => Promise<void>;
}

/** The options after checks, with their defaults. Internal to this folder. */
export interface ResolvedConfig {
  readonly endpoint: Endpoint;
  /** Headers of the caller, and the authorization where it is not the API key. */
  readonly headers: Readonly<Record<string, string>>;
  readonly apiKey?: string;
  readonly model?: string;
  readonly temperature?: number;
  readonly seed?: number;
  readonly maxRetries: number;
  readonly requestTimeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly maxRetryAfterMs: number;
  readonly fetch: FetchFunction;
  readonly now: () => Date;
  readonly random: () => number;
  readonly sleep: (delayMs: number, signal?: AbortSignal) => Promise<void>;
  readonly scrub: Scrub;
}

/** The longest delay that a timer can hold. */
const MAX_TIMER_MS = 2_147_483_647;

const OPTIONS: Readonly<Record<keyof OpenAIConfig, true>> = {
  apiKey: true,
  baseUrl: true,
  model: true,
  maxRetries: true,
  requestTimeoutMs: true,
  idleTimeoutMs: true,
  maxRetryAfterMs: true,
  temperature: true,
  seed: true,
  headers: true,
  fetch: true,
  now: true,
  random: true,
  sleep: true,
};

/**
 * Checks the options and completes them.
 *
 * @throws {TypeError} when there is no such option, or it has a value that it cannot have; no message shows a key.
 * @throws {AgentLoopError} `config` when the endpoint is OpenAI itself and there is nothing to authorize with.
 */
export function resolveConfig(config: OpenAIConfig): ResolvedConfig {
  refuseUnknown("createOpenAIClient", config, OPTIONS);
  const endpoint = parseEndpoint(textOr(config.baseUrl, "baseUrl") ?? OPENAI_BASE_URL);
  const apiKey = checkedKey(textOr(config.apiKey, "apiKey"));
  const headers = checkedHeaders(config.headers ?? {});
  const authorized = "authorization" in headers || "api-key" in headers;
  if (apiKey === undefined && endpoint.basicAuthorization !== undefined && !authorized) {
    headers["authorization"] = endpoint.basicAuthorization;
  }
  if (endpoint.isOpenAI && apiKey === undefined && !authorized) throw missingKey(endpoint);
  const model = textOr(config.model, "model");
  return {
    endpoint,
    headers,
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(model === undefined ? {} : { model }),
    ...(config.temperature === undefined
      ? {}
      : { temperature: number(config.temperature, "temperature", { min: 0, max: 100 }) }),
    ...(config.seed === undefined ? {} : {
      seed: number(config.seed, "seed", {
        min: Number.MIN_SAFE_INTEGER,
        max: Number.MAX_SAFE_INTEGER,
        whole: true,
      }),
    }),
    maxRetries: number(config.maxRetries ?? 3, "maxRetries", { min: 0, max: 100, whole: true }),
    requestTimeoutMs: duration(config.requestTimeoutMs ?? 600_000, "requestTimeoutMs"),
    idleTimeoutMs: duration(config.idleTimeoutMs ?? 180_000, "idleTimeoutMs"),
    maxRetryAfterMs: number(config.maxRetryAfterMs ?? 60_000, "maxRetryAfterMs", {
      min: 0,
      max: MAX_TIMER_MS,
    }),
    fetch: config.fetch ?? ((input, init) => fetch(input, init)),
    now: config.now ?? (() => new Date()),
    random: config.random ?? Math.random,
    sleep: config.sleep ?? sleep,
    scrub: createScrub([apiKey ?? "", ...endpoint.secrets, ...Object.values(headers)]),
  };
}

function missingKey(endpoint: Endpoint): AgentLoopError {
  return new AgentLoopError(
    `No API key for ${endpoint.label}. Set OPENAI_API_KEY (and let it be read: --allow-env=OPENAI_API_KEY), or set ` +
      "OPENAI_BASE_URL (and let it be read) to a server that needs none.",
    {
      code: "config",
      why: "no API key is set",
      advice: "Set the API key (OPENAI_API_KEY), or choose a server that needs none.",
    },
  );
}

function textOr(value: unknown, name: string): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== "string") {
    throw new TypeError(`${name} must be text; got ${value === null ? "null" : typeof value}`);
  }
  return value.trim() === "" ? undefined : value.trim();
}

// A header takes no more than this, and the runtime's own error would show the whole key.
function checkedKey(key: string | undefined): string | undefined {
  if (key !== undefined && !/^[\x21-\x7e]+$/.test(key)) {
    throw new TypeError(
      "The API key must be printable ASCII without spaces; check OPENAI_API_KEY for quotes or line breaks",
    );
  }
  return key;
}

function checkedHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const checked: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    try {
      new Headers({ [name]: value });
    } catch {
      throw new TypeError(
        `headers: ${JSON.stringify(name)} is no name, or its value no value, of a header`,
      );
    }
    checked[name.toLowerCase()] = value;
  }
  return checked;
}

function duration(value: unknown, name: string): number {
  return number(value, name, { min: 1, max: MAX_TIMER_MS });
}

function number(
  value: unknown,
  name: string,
  { min, max, whole = false }: { min: number; max: number; whole?: boolean },
): number {
  const fits = typeof value === "number" && value >= min && value <= max;
  if (!fits || (whole && !Number.isInteger(value))) {
    const kind = whole ? "a whole number" : "a number";
    throw new TypeError(`${name} must be ${kind} from ${min} to ${max}; got ${String(value)}`);
  }
  return value;
}

function sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, delayMs);
    if (signal?.aborted) return abort();
    signal?.addEventListener("abort", abort, { once: true });
  });
}
