/** What becomes of a request when its answer is a redirect: as browsers do it, but never from https to http. */
import { Buffer } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { HttpFailure } from "./http_failure.ts";
import { readUrl } from "./request_url.ts";
import type { WireRequest } from "./send_request.ts";

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** Headers that are about a body. */
const BODY_HEADERS = ["content-type", "content-encoding", "content-language", "content-location"];
/** Headers that are for one origin only. */
const ORIGIN_HEADERS = ["authorization", "cookie"];

/** Whether an answer sends the request elsewhere. */
export function isRedirect({ statusCode, headers }: IncomingMessage): boolean {
  return REDIRECTS.has(statusCode ?? 0) && headers.location !== undefined;
}

/**
 * The request that follows a redirect. Headers that hold a secret go to the origin that they were written for, and to no other.
 *
 * @throws {HttpFailure} when it leads to what is no http or https URL, or from https to http, or would carry a body with a secret to another origin.
 */
export function redirected(before: WireRequest, answer: IncomingMessage): WireRequest {
  const url = redirectUrl(before.url, answer.headers.location ?? "");
  const headers = new Headers(before.headers);
  const { secrets } = before;
  const leaves = url.origin !== before.url.origin;
  if (leaves) {
    for (const name of [...ORIGIN_HEADERS, ...secrets?.headers ?? []]) headers.delete(name);
  }
  if (!becomesGet(before.method, answer.statusCode)) {
    if (leaves && secrets?.body) {
      throw new HttpFailure(
        `${before.url.host} redirects to ${url.origin}, where a body with a secret is not sent; ask that URL itself if it is meant`,
      );
    }
    return { ...before, url, headers };
  }
  for (const name of BODY_HEADERS) headers.delete(name);
  // What holds a secret does so on the next way too; the body is gone.
  return {
    url,
    headers,
    method: "GET",
    ...(secrets === undefined ? {} : { secrets: { ...secrets, body: false } }),
  };
}

function becomesGet(method: string, status: number | undefined): boolean {
  if (status === 303) return method !== "GET" && method !== "HEAD";
  return (status === 301 || status === 302) && method === "POST";
}

function redirectUrl(from: URL, location: string): URL {
  // Headers come as Latin 1; browsers take what is in them for UTF-8.
  const to = URL.parse(Buffer.from(location, "latin1").toString("utf8"), from);
  if (to === null) throw new HttpFailure(`${from.host} redirects to what is not a URL`);
  if (from.protocol === "https:" && to.protocol === "http:") {
    throw new HttpFailure(
      `${from.host} redirects from https to ${to.origin}, which is not encrypted; ask for the http URL itself if that is meant`,
    );
  }
  try {
    return readUrl(to.href);
  } catch (error) {
    const reason = error instanceof Error ? error.message : "";
    throw new HttpFailure(`${from.host} redirects to where no request can go: ${reason}`);
  }
}
