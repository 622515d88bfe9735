/**
 * What a script is told when a request fails: one sentence without anything of the host's inside. Errors of the runtime are translated here,
 * and nowhere handed on as they are.
 */

/** A failure that a script is to see. The engine puts the function's name before the message. */
export class HttpFailure extends Error {
  /** Creates a failure. `name` is the error's name for the script. */
  constructor(
    message: string,
    name: "Error" | "RangeError" | "TimeoutError" | "TypeError" = "Error",
  ) {
    super(message);
    this.name = name;
  }
}

/** The script's own mistake: what it asked for makes no sense. */
export function badRequest(message: string): HttpFailure {
  return new HttpFailure(message, "TypeError");
}

/** Where a request was when it failed. */
export interface FailedAt {
  /** Host and port as a person would write them. */
  readonly host: string;
  /** What was being done. */
  readonly stage: "resolve" | "send" | "read";
}

/** Translates what resolver, socket, TLS and parser throw. A failure that is translated already stays as it is. */
export function toHttpFailure(error: unknown, { host, stage }: FailedAt): HttpFailure {
  if (error instanceof HttpFailure) return error;
  const { code, message } = readError(error);
  if (code === "HPE_HEADER_OVERFLOW") return tooManyHeaders(host);
  const why = permissionNeeded(code, message, host) ?? wordsFor(code);
  const what = stage === "read" ? `the answer of ${host} broke off` : `${host} cannot be asked`;
  return new HttpFailure(`${what}: ${why}`);
}

/** Bytes of response headers at most. Node's default of 16 KiB is below what some sites send. */
export const MAX_HEADER_BYTES = 64 * 1024;

function tooManyHeaders(host: string): HttpFailure {
  return new HttpFailure(
    `the headers of ${host}'s answer are over the limit of ${MAX_HEADER_BYTES} bytes`,
    "RangeError",
  );
}

function readError(error: unknown): { readonly code: string; readonly message: string } {
  if (!(error instanceof Error)) return { code: "", message: "" };
  const first = error instanceof AggregateError ? error.errors[0] : error;
  const { name, message, code } = (first ?? error) as Error & { readonly code?: unknown };
  return { code: typeof code === "string" ? code : name, message };
}

function permissionNeeded(code: string, message: string, host: string): string | undefined {
  if (code !== "NotCapable" && code !== "EPERM" && !message.startsWith("Requires net access")) {
    return undefined;
  }
  return `the program that runs the script has no permission to connect there (--allow-net=${host})`;
}

/** What a request fails with that the program may not make. Said before the runtime is asked, which would ask in turn at a terminal. */
export function noPermission(): Error {
  return Object.assign(new Error("no permission"), { code: "NotCapable" });
}

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused",
  ETIMEDOUT: "the connection timed out",
  EHOSTUNREACH: "there is no way to the host from here",
  ENETUNREACH: "there is no way to the host from here",
  EADDRNOTAVAIL: "there is no way to the host from here",
  ENOTFOUND: "the name cannot be resolved",
  EAI_AGAIN: "the name cannot be resolved at the moment",
  ENODATA: "the name has no address",
  ECONNRESET: "the other side closed the connection",
  ECONNABORTED: "the other side closed the connection",
  EPIPE: "the other side closed the connection",
  ERR_STREAM_PREMATURE_CLOSE: "the other side closed the connection",
  EMFILE: "too many connections are open",
  CERT_HAS_EXPIRED: "its certificate has expired",
  CERT_NOT_YET_VALID: "its certificate is not valid yet",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another name",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is signed by itself",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate comes from an authority that is not trusted here",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    "its certificate comes from an authority that is not trusted here",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    "its certificate comes from an authority that is not trusted here",
  CERT_REVOKED: "its certificate was revoked",
};

function wordsFor(code: string): string {
  const words = WORDS[code];
  if (words !== undefined) return words;
  if (code.startsWith("HPE_")) return "what it sent is not HTTP";
  if (code.startsWith("ERR_SSL_") || code === "EPROTO") return "no secure connection can be made";
  if (code.includes("CERT")) return "its certificate is not valid";
  return /^[A-Z][A-Z0-9_]{2,40}$/.test(code)
    ? `the request failed (${code})`
    : "the request failed";
}
