/**
 * Takes secrets out of JSON, as values and as text, for what carries either: event arguments, audit rows, stored steps.
 * What comes out is JSON again. Values may be nested to any depth.
 */
import type { JsonValue } from "../contracts/json.ts";
import type { TextRedactor } from "../contracts/redaction.ts";

/**
 * A copy of a value without secrets in its texts, its keys and the digits of its numbers; a number that holds one becomes a text. Keys that
 * are the same afterwards are numbered: `[redacted]`, `[redacted] 2`.
 */
export function redactJson(value: JsonValue, redactor: TextRedactor): JsonValue {
  const root: Record<string, JsonValue> = {};
  const open: Copy[] = [];
  place(root, { key: "value", value: redactValue(value, { redactor, open }) });
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { from, to } = next;
    if (Array.isArray(to)) {
      for (const item of from as readonly JsonValue[]) {
        to.push(redactValue(item, { redactor, open }));
      }
      continue;
    }
    for (const [name, item] of Object.entries(from)) {
      const key = freeKey(to, redactor.redact(name));
      place(to, { key, value: redactValue(item, { redactor, open }) });
    }
  }
  return root.value!;
}

/**
 * The same for JSON text. What needs no change is returned as it is, byte for byte; so is everything beside the secrets, unless one of them
 * stands where the text would no longer be JSON without it. Text that is no JSON is treated as any text.
 */
export function redactJsonText(json: string, redactor: TextRedactor): string {
  const redacted = redactor.redact(json);
  if (redacted === json || isJson(redacted)) return redacted;
  try {
    return JSON.stringify(redactJson(JSON.parse(json), redactor));
  } catch {
    return redacted;
  }
}

/** An object or array that is to be copied. */
interface Copy {
  readonly from: object;
  readonly to: JsonValue[] | Record<string, JsonValue>;
}

/** A value's copy; those of an object's or array's items follow later, so that no depth is too much for the stack. */
function redactValue(
  value: JsonValue,
  { redactor, open }: { readonly redactor: TextRedactor; readonly open: Copy[] },
): JsonValue {
  switch (typeof value) {
    case "string":
      return redactor.redact(value);
    case "number": {
      const digits = String(value);
      const redacted = redactor.redact(digits);
      return redacted === digits ? value : redacted;
    }
    case "object": {
      if (value === null) return null;
      const to = Array.isArray(value) ? [] : {};
      open.push({ from: value, to });
      return to;
    }
    default:
      return value;
  }
}

/** Sets a key of its own, also when it is `__proto__`. */
function place(
  to: Record<string, JsonValue>,
  { key, value }: { readonly key: string; readonly value: JsonValue },
): void {
  Object.defineProperty(to, key, { value, enumerable: true, configurable: true, writable: true });
}

function freeKey(taken: object, key: string): string {
  let free = key;
  for (let n = 2; Object.hasOwn(taken, free); n++) free = `${key} ${n}`;
  return free;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
