/**
 * The channel to a web hook: a signed POST. The address is the host program's, never a model's. Nothing of it but its host is told in errors, since paths of web hooks
 * are secrets.
 */
import { refuseUnknown } from "../../../contracts/known_names.ts";
import type { Channel, ChannelMessage, Delivery } from "../../../contracts/channel.ts";
import { pause, RUNTIME_TIMERS, type SchedulerTimers } from "../run_options.ts";
import { messageJson } from "./stdout_channel.ts";

/** The longest wait that is made within one delivery; a longer one is left to the next attempt at the occurrence. */
const MAX_INLINE_WAIT_MS = 10_000;

/** Options of {@linkcode webhookChannel}. */
export interface WebhookChannelOptions {
  /** Where it is posted to: http or https, without a user in it. */
  readonly url: string;
  /** The key of the signature, 16 characters at least. */
  readonly secret: string;
  /** Makes the request. Where addresses matter, let it check what it dials, and reject with an error of the name `NotAllowedError` for one that must not be reached. */
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** Rejects an address that must not be reached, such as one of a private network; asked before every request. Its message is told. */
  readonly checkUrl: (url: URL) => void | Promise<void>;
  /** The channel's name. @default "webhook" */
  readonly name?: string;
  /** Time that one request may take, in ms. @default 10_000 */
  readonly timeoutMs?: number;
  /** Requests within one delivery. @default 3 */
  readonly attempts?: number;
  /** Time before the second request, in ms; it doubles. @default 500 */
  readonly retryDelayMs?: number;
  /** The clock. @default () => new Date() */
  readonly now?: () => Date;
  /** Waits. @default those of the runtime */
  readonly timers?: SchedulerTimers;
}

const OPTIONS: Readonly<Record<keyof WebhookChannelOptions, true>> = {
  url: true,
  secret: true,
  fetch: true,
  checkUrl: true,
  name: true,
  timeoutMs: true,
  attempts: true,
  retryDelayMs: true,
  now: true,
  timers: true,
};

/**
 * A channel that posts JSON. Headers: `Idempotency-Key` names the message, and is the same however often it is sent; `X-Agentloop-Signature` is
 * `t=SECONDS,v1=HEX`, the HMAC-SHA256 of `SECONDS.BODY` under the secret, so that a receiver can refuse what is old. Redirects are not followed. What a server
 * refuses by 429, a status from 500 on, or not at all (no connection, no answer in time) is sent again, after what `Retry-After` says.
 *
 * @throws {TypeError} when the address is none, the secret too short, or a function missing.
 */
export function webhookChannel(options: WebhookChannelOptions): Channel {
  refuseUnknown("webhookChannel", options, OPTIONS);
  const { name = "webhook", attempts = 3, retryDelayMs = 500, timers = RUNTIME_TIMERS } = options;
  const url = checkedUrl(options.url);
  if (typeof options.secret !== "string" || options.secret.length < 16) {
    throw new TypeError("webhookChannel: secret must be a text of 16 characters at least");
  }
  for (const field of ["fetch", "checkUrl"] as const) {
    if (typeof options[field] === "function") continue;
    throw new TypeError(`webhookChannel: ${field} must be a function`);
  }
  return {
    name,
    async deliver(message, { signal }) {
      for (let attempt = 1;; attempt++) {
        const delivery = await post(message, { url, options, signal });
        if (delivery.ok || !delivery.retry || attempt >= attempts || signal.aborted) {
          return delivery;
        }
        const ms = Math.max(retryDelayMs * 2 ** (attempt - 1), delivery.retryAfterMs ?? 0);
        if (ms > MAX_INLINE_WAIT_MS) return delivery;
        await pause(ms, { timers, signal });
      }
    },
  };
}

async function post(
  message: ChannelMessage,
  { url, options, signal }: {
    readonly url: URL;
    readonly options: WebhookChannelOptions;
    readonly signal: AbortSignal;
  },
): Promise<Delivery> {
  const { fetch, checkUrl, secret, timeoutMs = 10_000, now = () => new Date() } = options;
  try {
    await checkUrl(url);
  } catch (error) {
    return refused(url, error);
  }
  const body = JSON.stringify(messageJson(message));
  const seconds = Math.floor(now().getTime() / 1000);
  const timeout = new AbortController();
  const timers = options.timers ?? RUNTIME_TIMERS;
  const timer = timers.set(
    () => timeout.abort(new Error(`no answer within ${timeoutMs} ms`)),
    timeoutMs,
  );
  try {
    const response = await fetch(url.href, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "idempotency-key": message.id,
        "x-agentloop-signature": `t=${seconds},v1=${await signature(secret, `${seconds}.${body}`)}`,
      },
      body,
      redirect: "manual",
      signal: AbortSignal.any([signal, timeout.signal]),
    });
    await response.body?.cancel();
    return deliveryOf(response, { host: url.host, now: now() });
  } catch (error) {
    if (error instanceof Error && error.name === "NotAllowedError") return refused(url, error);
    return { ok: false, reason: `${url.host} did not answer: ${messageOf(error)}`, retry: true };
  } finally {
    timers.clear(timer);
  }
}

function refused({ host }: URL, error: unknown): Delivery {
  return { ok: false, reason: `${host} may not be reached: ${messageOf(error)}`, retry: false };
}

function deliveryOf(
  { status, headers }: Response,
  { host, now }: { readonly host: string; readonly now: Date },
): Delivery {
  if (status >= 200 && status < 300) return { ok: true };
  const retryAfterMs = retryAfter(headers.get("retry-after"), now);
  // A redirect is opaque in some clients: status 0.
  const moved = status === 0 || (status >= 300 && status < 400);
  return {
    ok: false,
    reason: moved
      ? `${host} answered with a redirect, which is not followed`
      : `${host} answered with status ${status}`,
    retry: status === 429 || status >= 500,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

/** What `Retry-After` says, in ms: seconds or a date. */
function retryAfter(value: string | null, now: Date): number | undefined {
  if (value === null) return undefined;
  if (/^\d{1,9}$/.test(value.trim())) return Number(value) * 1000;
  const ms = Date.parse(value) - now.getTime();
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}

async function signature(secret: string, text: string): Promise<string> {
  const encoder = new TextEncoder();
  const key = await crypto.subtle.importKey(
    "raw",
    encoder.encode(secret),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["sign"],
  );
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, encoder.encode(text))).toHex();
}

function checkedUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new TypeError(
      "webhookChannel: url must be an address that begins with https:// or http://",
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw new TypeError("webhookChannel: url must not hold a user or password");
  }
  url.hash = "";
  return url;
}

/** What the runtime says of a failed request may hold the address; only its cause is told. */
function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/https?:\/\/\S+/g, "…").slice(0, 200);
}
