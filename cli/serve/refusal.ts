/**
 * What a client is told when its request is not served: a status, one word for programs and a sentence for people. Never a stack, never what the request held.
 */
import type { JsonValue } from "../../contracts/json.ts";

/** Why a request is not served, for programs. */
export type RefusalCode =
  | "bad_request"
  | "unauthorized"
  | "wrong_host"
  | "cross_origin"
  | "not_found"
  | "method_not_allowed"
  | "timeout"
  | "busy"
  | "not_waiting"
  | "too_large"
  | "unsupported_media_type"
  | "internal"
  | "overloaded"
  | "stopping";

const STATUS: Readonly<Record<RefusalCode, number>> = {
  bad_request: 400,
  unauthorized: 401,
  wrong_host: 403,
  cross_origin: 403,
  not_found: 404,
  method_not_allowed: 405,
  timeout: 408,
  busy: 409,
  not_waiting: 409,
  too_large: 413,
  unsupported_media_type: 415,
  internal: 500,
  overloaded: 503,
  stopping: 503,
};

/** A request that is not served. Thrown by what looks at it, and answered by the router. */
export class Refusal extends Error {
  /** Why, for programs. */
  readonly code: RefusalCode;
  /** Headers that belong to it, such as `retry-after`. */
  readonly headers: Readonly<Record<string, string>>;

  /** Creates a refusal with a sentence for people. */
  constructor(code: RefusalCode, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.name = "Refusal";
    this.code = code;
    this.headers = headers;
  }
}

/** Headers of everything that is no artifact: kept by nobody, shown in no frame, taken for nothing else. */
export const PLAIN_HEADERS: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/** A reply in JSON. */
export function jsonReply(
  value: JsonValue,
  { status = 200, headers = {} }: {
    readonly status?: number;
    readonly headers?: Readonly<Record<string, string>>;
  } = {},
): Response {
  return new Response(`${JSON.stringify(value)}\n`, {
    status,
    headers: { ...PLAIN_HEADERS, "content-type": "application/json; charset=utf-8", ...headers },
  });
}

/** The reply to a request that is not served: `{"error":{"code","message"}}`. */
export function refusalReply({ code, message, headers }: Refusal): Response {
  return jsonReply({ error: { code, message } }, { status: STATUS[code], headers });
}
