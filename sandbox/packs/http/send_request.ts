/** One request over one connection, up to the head of its answer. */
import { type IncomingMessage, request as startRequest } from "node:http";
import type { ConnectionOptions } from "./connections.ts";
import type { SecretParts } from "./fill_secrets.ts";
import { HttpFailure, MAX_HEADER_BYTES } from "./http_failure.ts";

/** A request as it goes out. */
export interface WireRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
  readonly body?: Uint8Array;
  /** Which parts hold secrets that were filled in, and so are for one origin only. */
  readonly secrets?: SecretParts;
}

/** What is sent where the script names nothing else. Some servers refuse requests without a name. */
const DEFAULT_HEADERS: Readonly<Record<string, string>> = {
  "accept": "*/*",
  "accept-encoding": "gzip, deflate, br",
  "user-agent": "agentloop",
};

/** A kept connection that the other side had left by the time it was to be used again: nothing was answered, and nothing may have been read. */
export class StaleConnection extends Error {}

/**
 * Sends a request and resolves with the answer once its head is there; destroying the answer before its end ends the connection. When the signal
 * ends, both are destroyed with its reason, also while the body is read.
 *
 * @throws {StaleConnection} see there.
 * @throws {Error} what the connection failed with.
 */
export function sendRequest(
  { url, method, headers, body }: WireRequest,
  { connection, signal }: {
    readonly connection: ConnectionOptions;
    readonly signal: AbortSignal;
  },
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = startRequest({
      method,
      path: `${url.pathname}${url.search}`,
      host: url.hostname,
      setHost: false,
      headers: wireHeaders({ url, method, headers, body }),
      ...connection,
      maxHeaderSize: MAX_HEADER_BYTES,
    });
    let received: IncomingMessage | undefined;
    const fail = (error: unknown) => {
      // First the answer: where its length is not known, the end of the connection would be its end.
      if (received !== undefined) return void received.destroy(error as Error);
      reject(request.reusedSocket && !signal.aborted ? new StaleConnection() : error);
    };
    const onAbort = () => {
      fail(signal.reason);
      request.destroy(signal.reason);
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
    request.on("error", fail);
    request.on("response", (answer) => {
      // Whoever reads the body hears of its failures; until then nobody does.
      answer.on("error", () => {});
      received = answer;
      resolve(answer);
    });
    request.on("upgrade", (_answer, upgraded) => {
      upgraded.destroy();
      reject(new HttpFailure(`${url.host} wants another protocol than HTTP`));
    });
    request.on("close", () => {
      signal.removeEventListener("abort", onAbort);
      // Without effect where there is an answer; where there is none, nobody else says that there will not be.
      reject(Object.assign(new Error("closed"), { code: "ECONNRESET" }));
    });
    request.end(body);
  });
}

function wireHeaders({ url, method, headers, body }: WireRequest): Record<string, string> {
  const hasBody = body !== undefined || method === "POST" || method === "PUT" || method === "PATCH";
  return {
    "host": url.host,
    ...DEFAULT_HEADERS,
    ...Object.fromEntries(headers),
    ...(hasBody ? { "content-length": String(body?.length ?? 0) } : {}),
  };
}

/** The headers of an answer by their names in small letters. Those that came more than once are joined: by a comma, cookies by a line break. */
export function answerHeaders({ rawHeaders }: IncomingMessage): Record<string, string> {
  const headers = new Map<string, string>();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!.toLowerCase();
    const value = rawHeaders[at + 1]!;
    const before = headers.get(name);
    const joint = name === "set-cookie" ? "\n" : ", ";
    headers.set(name, before === undefined ? value : before + joint + value);
  }
  return Object.fromEntries(headers);
}
