/**
 * Reads the body of a request: JSON text of a bounded size that comes within a bounded time.
 */
import { messageOf } from "../failure.ts";
import { formatBytes, formatDuration } from "../units.ts";
import { Refusal } from "./refusal.ts";

/** What a body may be. */
export interface BodyLimits {
  /** Bytes at most. */
  readonly maxBytes: number;
  /** Time until all of it has come, in ms. */
  readonly timeoutMs: number;
}

/**
 * The object that the body holds.
 *
 * @throws {Refusal} `unsupported_media_type`, `too_large`, `timeout` or `bad_request`.
 */
export async function readJsonBody(
  request: {
    readonly headers: Headers;
    readonly body: ReadableStream<Uint8Array> | null;
  },
  limits: BodyLimits,
): Promise<Readonly<Record<string, unknown>>> {
  checkHeaders(request.headers, limits);
  const text = await readText(request.body, limits);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Refusal("bad_request", "The body is no JSON.");
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  throw new Refusal("bad_request", "The body must be a JSON object.");
}

function checkHeaders(headers: Headers, { maxBytes }: BodyLimits): void {
  // A page can send other types to another origin without asking it first.
  const type = headers.get("content-type") ?? "";
  if (!/^application\/json\s*(?:;\s*charset=(?:utf-8|"utf-8")\s*)?$/i.test(type)) {
    throw new Refusal("unsupported_media_type", "The body must come as application/json.");
  }
  const encoding = headers.get("content-encoding") ?? "identity";
  if (encoding.toLowerCase() !== "identity") {
    throw new Refusal("unsupported_media_type", "The body must come without an encoding.");
  }
  if (Number(headers.get("content-length") ?? 0) > maxBytes) throw tooLarge(maxBytes);
}

async function readText(
  body: ReadableStream<Uint8Array> | null,
  { maxBytes, timeoutMs }: BodyLimits,
): Promise<string> {
  if (body === null) throw new Refusal("bad_request", "The body is empty.");
  const reader = body.getReader();
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    reader.cancel().catch(() => {});
  }, timeoutMs);
  let text = "";
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (isLate) {
        throw new Refusal("timeout", `The body did not come within ${formatDuration(timeoutMs)}.`);
      }
      if (done) return text + decoder.decode();
      bytes += value.length;
      if (bytes > maxBytes) {
        reader.cancel().catch(() => {});
        throw tooLarge(maxBytes);
      }
      text += decoder.decode(value, { stream: true });
    }
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal(
      "bad_request",
      error instanceof TypeError && /decod|encod/i.test(messageOf(error))
        ? "The body is not UTF-8 text."
        : "The body broke off.",
    );
  } finally {
    clearTimeout(timer);
  }
}

function tooLarge(maxBytes: number): Refusal {
  return new Refusal("too_large", `The body may have ${formatBytes(maxBytes)} at most.`, {
    // What is still to come is not waited for.
    connection: "close",
  });
}
