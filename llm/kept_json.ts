/** JSON that was made before, of what cannot change. Pure but for what it remembers, which goes with the values. */

const texts = new WeakMap<object, string>();

/** The JSON of a value: the text that was kept, where there is one. */
export function jsonOf(value: unknown): string | undefined {
  const kept = typeof value === "object" && value !== null ? texts.get(value) : undefined;
  return kept ?? JSON.stringify(value);
}

/** Keeps the JSON of an object, which must not change any more, for as long as there is the object. */
export function keepJson(value: object, json: string): void {
  texts.set(value, json);
}

/** Whether nothing of a value of JSON can change any more. */
export function isFrozenWhole(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isFrozenWhole);
}
