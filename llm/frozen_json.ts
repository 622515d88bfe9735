/**
 * JSON of what cannot change, made once: a conversation is sent again with every turn, and all but its end is what was sent before. Pure but for what it remembers, which goes with
 * the values.
 */

const texts = new WeakMap<object, string>();

/** The JSON of an object; of one that is to be {@linkcode keepJson kept} it is made once. */
export function jsonOf(value: object): string {
  return texts.get(value) || JSON.stringify(value);
}

/** Makes the JSON of an object now, for as long as there is the object. It must not change any more. */
export function keepJson(value: object): void {
  texts.set(value, JSON.stringify(value));
}

/** Whether nothing of a value of JSON can change any more. */
export function isFrozenWhole(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isFrozenWhole);
}
