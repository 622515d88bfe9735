/** The value that a session carries from turn to turn: kept as JSON text, known to the model by its digest. */
import type { JsonValue } from "../contracts/json.ts";
import { digestJson, digestValue } from "./digest.ts";
import { utf8Bytes } from "./utf8.ts";

/** A carried value. */
export interface CarriedData {
  /** The value as JSON text, byte for byte what the script returned. */
  readonly json: string;
  /** What the model sees of it. */
  readonly digest: string;
  /** Bytes of it that no prompt holds: its size less its digest's, never below 0. */
  readonly withheldBytes: number;
}

/** A value as it is carried, from its JSON text. */
export function carryJson(json: string): CarriedData {
  return carried(json, digestJson(json));
}

/** The same for a value that is at hand. */
export function carryValue(json: string, value: JsonValue): CarriedData {
  return carried(json, digestValue(value));
}

function carried(json: string, digest: string): CarriedData {
  return { json, digest, withheldBytes: Math.max(0, utf8Bytes(json) - utf8Bytes(digest)) };
}
