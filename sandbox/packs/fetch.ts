/**
 * `fetch` for scripts: a small HTTP client whose answer is plain data. Requests go to named hosts only, each hop of a redirect included.
 * The gate asks the policy about the first host; the pack itself holds the line for those that follow.
 */
import type { JsonValue } from "../../contracts/json.ts";
import type { CallContext, Capability, Pack } from "../../contracts/sandbox.ts";

/** Options of {@linkcode fetchCapability}. */
export interface FetchOptions {
  /** Hosts that may be asked: `example.com`, or `127.0.0.1:8080` for one port only. */
  readonly allowHosts: readonly string[];
  /** Wall time of one request. @default 30_000 */
  readonly timeoutMs?: number;
  /** Bytes of a response body at most, counted after decompression. @default 4_194_304 (4 MiB) */
  readonly maxBytes?: number;
}

const PROMPT =
  `/** HTTP request to an allowed host; body may be a string or any JSON value. res.json() and res.text() read the body. */
declare function fetch(url: string, init?: { method?: string; headers?: Record<string, string>; body?: unknown }): { status: number; ok: boolean; url: string; headers: Record<string, string>; body: string; json(): any; text(): string };`;

/** Adds the methods that a response has in browsers, as properties that do not thread into \`args\`. */
const GUEST_SOURCE = `
const { defineProperty } = Object;
const { parse } = JSON;
const method = (value) => ({ value, enumerable: false, configurable: true, writable: true });
host.define("fetch", function fetch(url, init) {
  return host.then(host.call("fetch", [String(url), init]), (response) => {
    defineProperty(response, "json", method(() => parse(response.body)));
    defineProperty(response, "text", method(() => response.body));
    return response;
  });
});`;

const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** A capability named \`fetch\` that lets scripts ask the hosts in \`allowHosts\`. */
export function fetchCapability(options: FetchOptions): Capability {
  return {
    name: "fetch",
    description: "HTTP requests to allowed hosts",
    build: () => [fetchPack(options)],
  };
}

function fetchPack(options: FetchOptions): Pack {
  const { timeoutMs = 30_000 } = options;
  return {
    name: "fetch",
    prompt: PROMPT,
    guestSource: GUEST_SOURCE,
    functions: [{
      name: "fetch",
      sideEffect: true,
      timeoutMs,
      target: ([url]) => URL.parse(String(url))?.hostname,
      execute: (args, context) => request(args, { options, context }),
    }],
  };
}

interface RequestParts {
  readonly options: FetchOptions;
  readonly context: CallContext;
}

/** What scripts get back. */
interface PlainResponse {
  readonly status: number;
  readonly ok: boolean;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

async function request(args: readonly JsonValue[], parts: RequestParts): Promise<PlainResponse> {
  const { options, context } = parts;
  let url = parseUrl(args[0], options);
  let init = requestInit(args[1]);
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    const response = await fetch(url, { ...init, redirect: "manual", signal: context.signal });
    const location = response.headers.get("location");
    if (!REDIRECTS.has(response.status) || location === null) {
      return await readResponse(response, url, options);
    }
    await response.body?.cancel();
    url = parseUrl(new URL(location, url).href, options);
    if (response.status === 303 || (response.status < 307 && init.method === "POST")) {
      init = { ...init, method: "GET", body: undefined };
    }
  }
  throw new Error(`fetch: more than ${MAX_REDIRECTS} redirects`);
}

function parseUrl(value: JsonValue | undefined, options: FetchOptions): URL {
  const url = URL.parse(String(value));
  if (url === null) throw new TypeError(`fetch: "${String(value).slice(0, 200)}" is not a URL`);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new TypeError(`fetch: ${url.protocol} is not allowed; use http: or https:`);
  }
  if (!options.allowHosts.includes(url.hostname) && !options.allowHosts.includes(url.host)) {
    throw new Error(`fetch: the host ${url.host} is not allowed; do not try again in this run`);
  }
  return url;
}

function requestInit(value: JsonValue | undefined): RequestInit & { method: string } {
  const given = (typeof value === "object" && value !== null ? value : {}) as {
    readonly method?: JsonValue;
    readonly headers?: JsonValue;
    readonly body?: JsonValue;
  };
  const headers = new Headers((given.headers ?? {}) as Record<string, string>);
  const method = String(given.method ?? "GET").toUpperCase();
  if (given.body === undefined || given.body === null) return { method, headers };
  if (typeof given.body === "string") return { method, headers, body: given.body };
  if (!headers.has("content-type")) headers.set("content-type", "application/json");
  return { method, headers, body: JSON.stringify(given.body) };
}

async function readResponse(
  response: Response,
  url: URL,
  options: FetchOptions,
): Promise<PlainResponse> {
  const { maxBytes = 4 * 1024 * 1024 } = options;
  const decoder = new TextDecoder();
  let body = "";
  let bytes = 0;
  for await (const piece of response.body ?? []) {
    bytes += piece.length;
    if (bytes > maxBytes) {
      throw new RangeError(`fetch: the body is over the limit of ${maxBytes} bytes`);
    }
    body += decoder.decode(piece, { stream: true });
  }
  return {
    status: response.status,
    ok: response.ok,
    url: url.href,
    headers: Object.fromEntries(response.headers),
    body: body + decoder.decode(),
  };
}
