/**
 * Fills secrets into a request: into its URL behind the host, the values of its headers, and its body. Which parts hold one is remembered, since a
 * redirect must not carry them to another origin.
 */
import type { JsonValue } from "../../../contracts/json.ts";
import type { CallContext } from "../../../contracts/sandbox.ts";
import type { SecretUse } from "../../../contracts/secret.ts";
import { badRequest } from "./http_failure.ts";
import { isThisMachine } from "./network_class.ts";
import { bareHost, portOf, readUrl } from "./request_url.ts";

/** Which parts of a request hold a secret. */
export interface SecretParts {
  /** Names of headers, in small letters. */
  readonly headers: ReadonlySet<string>;
  /** Whether the body does. */
  readonly body: boolean;
}

/** The arguments of a request with secrets filled in. */
export interface FilledArguments {
  readonly args: readonly JsonValue[];
  readonly secrets: SecretParts;
}

type Fill = (text: string, encode?: (value: string) => string) => Promise<string>;

/** What every placeholder begins with; options without it are passed on as they are. */
const MARK = "{{secret:";

/**
 * Fills a call's arguments.
 *
 * @throws whatever `context.fill` rejects with.
 */
export async function fillSecrets(
  args: readonly JsonValue[],
  context: Pick<CallContext, "fill">,
): Promise<FilledArguments> {
  const none: SecretParts = { headers: new Set(), body: false };
  const [url, init, ...rest] = args;
  const aim = readUrl(url);
  const use: SecretUse = {
    host: bareHost(aim),
    port: portOf(aim),
    plain: aim.protocol === "http:" && !isThisMachine(aim.hostname),
  };
  const fill: Fill = (text, encode) => context.fill(text, use, encode);
  // Asked also where there is nothing to fill in, so that the answer is cleared of what was filled in before.
  const filledUrl = await fillUrl(String(url), { fill, aim });
  if (!isObject(init) || !JSON.stringify(init).includes(MARK)) {
    return { args: [filledUrl, ...args.slice(1)], secrets: none };
  }
  const { headers, names } = await fillHeaders(init.headers, fill);
  const body = await fillBody(init.body, fill);
  const filled: { [name: string]: JsonValue } = { ...init };
  if (headers !== undefined) filled.headers = headers;
  if (body !== undefined) filled.body = body;
  const holdsSecret = JSON.stringify(body) !== JSON.stringify(init.body);
  return {
    args: [filledUrl, filled, ...rest],
    secrets: { headers: names, body: holdsSecret },
  };
}

/** A value stands in a URL as one part of a path or query, whatever is in it; the host stays what was judged. */
async function fillUrl(
  text: string,
  { fill, aim }: { readonly fill: Fill; readonly aim: URL },
): Promise<string> {
  const filled = await fill(text, encodeURIComponent);
  if (filled === text || readUrl(filled).host === aim.host) return filled;
  throw badRequest("a secret cannot stand in the host of a URL");
}

async function fillHeaders(
  headers: JsonValue | undefined,
  fill: Fill,
): Promise<{ headers: JsonValue | undefined; names: ReadonlySet<string> }> {
  const names = new Set<string>();
  if (typeof headers !== "object" || headers === null) return { headers, names };
  const pairs = Array.isArray(headers) ? headers : Object.entries(headers);
  const filled: JsonValue[] = [];
  for (const pair of pairs) {
    if (!Array.isArray(pair) || typeof pair[1] !== "string") {
      filled.push(pair as JsonValue);
      continue;
    }
    const value = await fill(pair[1]);
    if (value !== pair[1]) names.add(String(pair[0]).toLowerCase());
    filled.push([pair[0] as JsonValue, value]);
  }
  return { headers: filled, names };
}

/** A body of text is filled as text; in one of data the texts are, so that no value can change what is around it. */
async function fillBody(body: JsonValue | undefined, fill: Fill): Promise<JsonValue | undefined> {
  if (typeof body === "string") return await fill(body);
  if (typeof body !== "object" || body === null) return body;
  if (Array.isArray(body)) {
    return await Promise.all(body.map(async (item) => (await fillBody(item, fill))!));
  }
  const entries = Object.entries(body).map(async ([key, item]) =>
    [key, (await fillBody(item, fill))!] as const
  );
  return Object.fromEntries(await Promise.all(entries));
}

function isObject(value: JsonValue | undefined): value is { readonly [key: string]: JsonValue } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
