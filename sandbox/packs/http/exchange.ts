/**
 * The engine under `fetch` and `require("http")`: from the arguments of a call to its answer, over all redirects. No address is dialled that the gate was
 * not asked about, and none but the one that it was asked about.
 */
import { Buffer } from "node:buffer";
import type { IncomingMessage } from "node:http";
import type { JsonValue } from "../../../contracts/json.ts";
import type { CallContext } from "../../../contracts/sandbox.ts";
import { decodeBody } from "./body_text.ts";
import { CallClock } from "./call_clock.ts";
import type { Connections } from "./connections.ts";
import type { Route } from "./dial.ts";
import { fillSecrets } from "./fill_secrets.ts";
import { HttpFailure, toHttpFailure } from "./http_failure.ts";
import { classifyAddresses, classifyHost, isAddress } from "./network_class.ts";
import { readBody } from "./read_body.ts";
import { readRequest, type ScriptRequest } from "./read_request.ts";
import { isRedirect, redirected } from "./redirect.ts";
import type { RequestSlots } from "./request_slots.ts";
import { aimOfUrl, bareHost, portOf } from "./request_url.ts";
import { resolveBySystem, type ResolveHost } from "./resolve_host.ts";
import { answerHeaders, sendRequest, StaleConnection, type WireRequest } from "./send_request.ts";

/** What the engine works with; one for all calls of a sandbox. */
export interface Engine {
  /** Wall time of a request that names none, in ms. */
  readonly timeoutMs: number;
  /** Bytes of a body at most. */
  readonly maxBytes: number;
  /** Bounds what is under way at once. */
  readonly slots: RequestSlots;
  /** Resolves names. @default the operating system's way */
  readonly resolve?: ResolveHost;
  /** Makes connections, and keeps those that may serve again. */
  readonly connections: Connections;
}

/** What scripts get back. */
export interface PlainResponse {
  readonly status: number;
  readonly ok: boolean;
  /** Where the answer came from, after redirects. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Text, or base64 where that was asked for. */
  readonly body: string;
}

/** One call: its request, its way back to the gate, its time. */
interface Call {
  readonly request: ScriptRequest & WireRequest;
  readonly context: CallContext;
  readonly clock: CallClock;
  readonly engine: Engine;
}

/** Redirects that are followed at most; half of what browsers do. */
const MAX_REDIRECTS = 10;
/** Statuses whose answers have no body. */
const WITHOUT_BODY = new Set([204, 205, 304]);

/**
 * Makes a request.
 *
 * @param args url and options, as the script gave them
 * @throws {HttpFailure} what the script is to see, and whatever `context.authorize` and `context.fill` reject with.
 */
export async function exchange(
  args: readonly JsonValue[],
  context: CallContext,
  engine: Engine,
): Promise<PlainResponse> {
  const { args: filled, secrets } = await fillSecrets(args, context);
  const request = { ...readRequest(filled), secrets };
  using _slot = await engine.slots.take(context.signal);
  const limitMs = request.timeoutMs ?? engine.timeoutMs;
  using clock = new CallClock({ signal: context.signal, limitMs });
  try {
    return await follow({ request, context, clock, engine });
  } catch (error) {
    if (!clock.timedOut) throw error;
    throw new HttpFailure(
      `no complete answer from ${request.url.host} within ${limitMs} ms (timeoutMs)`,
      "TimeoutError",
    );
  }
}

async function follow(call: Call): Promise<PlainResponse> {
  let next: WireRequest = call.request;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    // The gate has heard of the first host; a further one is not even resolved before it has.
    if (redirects > 0) await authorize(call, next.url, classifyHost(next.url.hostname));
    const answer = await ask(call, next);
    try {
      if (!isRedirect(answer) || call.request.redirect === "manual") {
        return await takeAnswer(call, { answer, url: next.url });
      }
      if (call.request.redirect === "error") {
        throw new HttpFailure(
          `${next.url.host} answered with a redirect, which redirect: "error" refuses`,
        );
      }
      next = redirected(next, answer);
    } finally {
      answer.destroy();
    }
  }
  throw new HttpFailure(
    `gave up after ${MAX_REDIRECTS} redirects, the next one to ${next.url.host}`,
  );
}

/** Sends one request and gives the head of its answer. */
async function ask(call: Call, request: WireRequest): Promise<IncomingMessage> {
  const { clock: { signal }, engine } = call;
  const { method } = request;
  const route = await findRoute(call, request.url);
  const send = (fresh: boolean) => {
    const connection = engine.connections.to(route, { method, fresh, signal });
    return sendRequest(request, { connection, signal });
  };
  try {
    return await send(false).catch((error) => {
      if (error instanceof StaleConnection) return send(true);
      throw error;
    });
  } catch (error) {
    throw toHttpFailure(error, { host: request.url.host, stage: "send" });
  }
}

/** Resolves and classifies the host of a URL, and asks the gate about it. */
async function findRoute(call: Call, url: URL): Promise<Route> {
  const { clock, engine } = call;
  const host = bareHost(url);
  const port = portOf(url);
  const addresses = isAddress(host) ? [host] : await resolve(call, { host, port, url });
  // Names that stand for this machine are private whatever they resolve to.
  const network = classifyHost(host) === "private" ? "private" : classifyAddresses(addresses);
  await authorize(call, url, network);
  clock.signal.throwIfAborted();
  const bySystem = engine.resolve === undefined;
  return { host, port, secure: url.protocol === "https:", addresses, network, bySystem };
}

async function resolve(
  { clock, engine }: Call,
  { host, port, url }: { readonly host: string; readonly port: number; readonly url: URL },
): Promise<readonly string[]> {
  const resolveHost = engine.resolve ?? resolveBySystem;
  try {
    const addresses = await clock.until(Promise.try(() => resolveHost(host, port)));
    // A zone id belongs to a link of this machine.
    const usable = addresses.every((address) => isAddress(address) && !address.includes("%"));
    if (usable && addresses.length > 0) return [...new Set(addresses)];
  } catch (error) {
    throw toHttpFailure(error, { host: url.host, stage: "resolve" });
  }
  throw new HttpFailure(`${url.host} cannot be asked: the name has no usable address`);
}

/** Asks the gate; a person may have to think, and that is no time of the request. */
async function authorize(
  { clock, context }: Call,
  url: URL,
  network: Route["network"] | undefined,
): Promise<void> {
  const { target, port } = aimOfUrl(url);
  await clock.standStill(() =>
    context.authorize({ target, port, ...(network === undefined ? {} : { network }) })
  );
}

async function takeAnswer(
  call: Call,
  { answer, url }: { readonly answer: IncomingMessage; readonly url: URL },
): Promise<PlainResponse> {
  const { request } = call;
  const status = answer.statusCode ?? 0;
  const bodiless = request.method === "HEAD" || WITHOUT_BODY.has(status);
  const bytes = bodiless ? new Uint8Array() : await read(call, { answer, host: url.host });
  return {
    status,
    ok: status >= 200 && status < 300,
    url: url.href,
    headers: answerHeaders(answer),
    body: request.as === "base64"
      ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64")
      : decodeBody(bytes, answer.headers["content-type"]),
  };
}

async function read(
  { engine, clock }: Call,
  { answer, host }: { readonly answer: IncomingMessage; readonly host: string },
): Promise<Uint8Array> {
  try {
    const bytes = await readBody(answer, engine);
    clock.signal.throwIfAborted();
    return bytes;
  } catch (error) {
    throw toHttpFailure(error, { host, stage: "read" });
  }
}
