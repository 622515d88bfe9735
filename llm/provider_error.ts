/**
 * What providers write when something went wrong, in one shape. Pure; meaning is given to it in failure.ts.
 */

/** An error as a provider told it. */
export interface ProviderError {
  /** Its text; "" when there was none. */
  readonly message: string;
  /** Its word for the kind, such as `unsupported_parameter`. */
  readonly code?: string;
  /** Its word for the class, such as `invalid_request_error`. */
  readonly type?: string;
  /** The parameter of the request that it is about. */
  readonly param?: string;
  /** An HTTP status that stands inside the body, as in a stream that began with 200. */
  readonly status?: number;
  /** The model's window in tokens, where the body names it in a field of its own. */
  readonly contextWindow?: number;
}

/**
 * Reads an error from what a provider sent in its place: an object, an object within `error`, a list of them, text, or the `detail` of a failed
 * validation. Never throws; what cannot be understood becomes the message.
 */
export function parseProviderError(value: unknown): ProviderError {
  if (typeof value === "string") return { message: value };
  if (Array.isArray(value)) return parseProviderError(value[0]);
  if (!isRecord(value)) return { message: "" };
  if (value["error"]) {
    return parseProviderError(value["error"]);
  }
  const detail = fromDetail(value["detail"]);
  const code = word(value["code"]);
  const type = word(value["type"]) ?? detail?.type;
  const param = word(value["param"]) ?? detail?.param;
  const status = statusOf(value["status"]) ?? statusOf(value["code"]);
  const contextWindow = value["n_ctx"];
  return {
    message: [
      text(value["message"]) ?? detail?.message ?? text(value["msg"]),
      rawOf(value["metadata"]),
    ]
      .filter((part) => part !== undefined).join(": "),
    ...(code === undefined ? {} : { code }),
    ...(type === undefined ? {} : { type }),
    ...(param === undefined ? {} : { param }),
    ...(status === undefined ? {} : { status }),
    ...(typeof contextWindow === "number" ? { contextWindow } : {}),
  };
}

// `{"detail": "…"}` and `{"detail": [{"loc": ["body", "seed"], "msg": "…", "type": "…"}]}`
function fromDetail(
  detail: unknown,
): Omit<ProviderError, "code" | "status" | "contextWindow"> | undefined {
  if (typeof detail === "string") return { message: detail };
  const first = Array.isArray(detail) ? detail[0] : undefined;
  if (!isRecord(first)) return undefined;
  const place = Array.isArray(first["loc"]) ? first["loc"].filter((part) => part !== "body") : [];
  const type = word(first["type"]);
  return {
    message: [place.join("."), text(first["msg"])].filter(Boolean).join(": "),
    ...(place.length === 0 ? {} : { param: place.join(".") }),
    ...(type === undefined ? {} : { type }),
  };
}

// A router's own message says no more than that somebody else failed; what that one said stands here.
function rawOf(metadata: unknown): string | undefined {
  return isRecord(metadata) ? text(metadata["raw"]) : undefined;
}

function statusOf(value: unknown): number | undefined {
  const status = typeof value === "string" && /^\d{3}$/.test(value) ? Number(value) : value;
  if (typeof status !== "number" || !Number.isInteger(status)) return undefined;
  return status >= 400 && status <= 599 ? status : undefined;
}

function word(value: unknown): string | undefined {
  return typeof value === "number" ? String(value) : text(value);
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Whether a value is an object with fields. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
