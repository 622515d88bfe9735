/** Reads the arguments of a request. What cannot be meant is refused with what would do, rather than sent in some other form. */
import type { JsonValue } from "../../../contracts/json.ts";
import { badRequest } from "./http_failure.ts";
import { readUrl } from "./request_url.ts";

/** A request as the script wants it. */
export interface ScriptRequest {
  readonly url: URL;
  /** In capitals. */
  readonly method: string;
  readonly headers: Headers;
  readonly body?: Uint8Array<ArrayBuffer>;
  /** Left out where the script names none. */
  readonly timeoutMs?: number;
  /** What the body is handed over as. */
  readonly as: "text" | "base64";
  /** What happens with a redirect: it is followed, given back, or an error. */
  readonly redirect: "follow" | "manual" | "error";
}

/** Options that requests have. */
const OPTIONS = ["method", "headers", "body", "timeoutMs", "as", "redirect"] as const;

/** Options that browsers have and that mean nothing here. */
const WITHOUT_MEANING = new Set([
  "cache",
  "credentials",
  "duplex",
  "integrity",
  "keepalive",
  "mode",
  "priority",
  "referrer",
  "referrerPolicy",
  "signal",
]);

/** Headers that follow from the URL, the body and the connection. */
const FORBIDDEN_HEADERS =
  /^(?:connection|content-length|expect|host|http2-settings|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/;

type Init = { readonly [key: string]: JsonValue };

/** Reads `(url, init)`. */
export function readRequest([url, init]: readonly JsonValue[]): ScriptRequest {
  const given = readInit(init);
  const method = readMethod(given.method);
  const headers = readHeaders(given.headers);
  const body = readBody(given.body, { method, headers });
  const timeoutMs = readTimeout(given.timeoutMs);
  return {
    url: readUrl(url),
    method,
    headers,
    ...(body === undefined ? {} : { body }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    as: readChoice("as", given.as, ["text", "base64"]),
    redirect: readChoice("redirect", given.redirect, ["follow", "manual", "error"]),
  };
}

function readInit(init: JsonValue | undefined): Init {
  if (init === undefined || init === null) return {};
  if (typeof init !== "object" || Array.isArray(init)) {
    throw badRequest("the second argument is an object of options");
  }
  for (const key of Object.keys(init)) {
    if ((OPTIONS as readonly string[]).includes(key) || WITHOUT_MEANING.has(key)) continue;
    throw badRequest(
      `there is no option ${JSON.stringify(key.slice(0, 40))}; there is: ${OPTIONS.join(", ")}${
        hint(key)
      }`,
    );
  }
  return init as Init;
}

/** What other clients call by these names. */
function hint(key: string): string {
  if (key === "params" || key === "query" || key === "qs") return ". A query belongs into the URL";
  if (key === "data" || key === "json" || key === "form") return ". Data belongs into body";
  return key === "timeout" ? ". The time is timeoutMs" : "";
}

function readMethod(value: JsonValue | undefined): string {
  const method = String(value ?? "GET").toUpperCase();
  if (!/^[A-Z][A-Z-]{0,30}$/.test(method) || /^(?:CONNECT|TRACE|TRACK)$/.test(method)) {
    throw badRequest(`the method ${JSON.stringify(method.slice(0, 40))} is not allowed`);
  }
  return method;
}

function readHeaders(value: JsonValue | undefined): Headers {
  const headers = new Headers();
  if (value === undefined || value === null) return headers;
  if (typeof value !== "object") throw badRequest("headers is an object of names and values");
  const pairs = Array.isArray(value) ? value : Object.entries(value);
  for (const pair of pairs) {
    if (!Array.isArray(pair) || pair.length !== 2) {
      throw badRequest("headers is an object of names and values, or a list of such pairs");
    }
    addHeader(headers, String(pair[0]), pair[1]);
  }
  return headers;
}

function addHeader(headers: Headers, name: string, value: JsonValue): void {
  const shown = JSON.stringify(name.slice(0, 100));
  if (FORBIDDEN_HEADERS.test(name.toLowerCase())) {
    throw badRequest(`the header ${shown} cannot be set: it follows from the rest of the request`);
  }
  if (value === null || typeof value === "object") {
    throw badRequest(`the header ${shown} needs a text as its value`);
  }
  try {
    headers.append(name, String(value));
  } catch {
    throw badRequest(
      `the header ${shown} cannot be sent: names are of letters, digits and "-", values have no line breaks and no letters beyond Latin 1`,
    );
  }
}

function readBody(
  value: JsonValue | undefined,
  { method, headers }: { readonly method: string; readonly headers: Headers },
): Uint8Array<ArrayBuffer> | undefined {
  if (value === undefined || value === null) return undefined;
  if (method === "GET" || method === "HEAD") {
    throw badRequest(`a ${method} request has no body; use method: "POST", or put it into the URL`);
  }
  const isText = typeof value === "string";
  if (!headers.has("content-type")) {
    headers.set("content-type", isText ? "text/plain;charset=UTF-8" : "application/json");
  }
  return new TextEncoder().encode(isText ? value : JSON.stringify(value));
}

function readTimeout(value: JsonValue | undefined): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "number" && value > 0) return value;
  throw badRequest("timeoutMs is a number of milliseconds above 0");
}

function readChoice<T extends string>(
  key: string,
  value: JsonValue | undefined,
  choices: readonly [T, ...T[]],
): T {
  if (value === undefined || value === null) return choices[0];
  const choice = choices.find((one) => one === value);
  if (choice !== undefined) return choice;
  throw badRequest(`${key} is ${choices.map((one) => JSON.stringify(one)).join(" or ")}`);
}
