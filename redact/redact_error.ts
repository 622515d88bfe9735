/** Takes secrets out of errors: runtimes and clients put whole URLs and headers into messages, stacks and causes. */
import type { TextRedactor } from "../contracts/redaction.ts";
import { redactJson } from "./redact_json.ts";

/** Causes that are followed; what lies deeper is left out. */
const MAX_DEPTH = 8;

/**
 * A copy of an error without secrets in its message, its stack, its causes and its own fields. It is an instance of the same class, with the
 * same name and code. A field comes as the JSON that it would be, and is left out where it would be none. What is thrown without being an
 * error is copied in the same way. The original stays as it is.
 */
export function redactError<E>(error: E, redactor: TextRedactor): E {
  return redactThrown(error, { redactor, depth: 0 }) as E;
}

interface Place {
  readonly redactor: TextRedactor;
  readonly depth: number;
}

function redactThrown(thrown: unknown, place: Place): unknown {
  if (!(thrown instanceof Error)) return redactField(thrown, place.redactor);
  if (place.depth >= MAX_DEPTH) return undefined;
  const copy = newOfSameClass(thrown, place.redactor.redact(String(thrown.message)));
  for (const [key, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(thrown))) {
    if (key === "message") continue;
    const value = redactMember(key, { value: Reflect.get(thrown, key), place });
    if (value === undefined) continue;
    const { enumerable } = descriptor;
    Object.defineProperty(copy, key, { value, enumerable, configurable: true, writable: true });
  }
  return copy;
}

/** Of the same class for `instanceof`, and an error for the runtime, without running a constructor that is not known. */
function newOfSameClass(error: Error, message: string): Error {
  // Its name and code are read from where only its own constructor can put them.
  if (error instanceof DOMException) return new DOMException(message, error.name);
  return Object.setPrototypeOf(new Error(message), Object.getPrototypeOf(error));
}

function redactMember(
  key: string,
  { value, place }: { readonly value: unknown; readonly place: Place },
): unknown {
  const inner = { ...place, depth: place.depth + 1 };
  if (key === "cause") return redactThrown(value, inner);
  if (key === "errors" && Array.isArray(value)) {
    return value.map((one) => redactThrown(one, inner));
  }
  return redactField(value, place.redactor);
}

function redactField(value: unknown, redactor: TextRedactor): unknown {
  try {
    const json = JSON.stringify(value);
    return json === undefined ? undefined : redactJson(JSON.parse(json), redactor);
  } catch {
    return undefined;
  }
}
