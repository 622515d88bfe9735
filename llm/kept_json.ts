/** JSON that was made before, of what cannot change. Pure but for what it remembers, which goes with the values. */

const parts = new WeakMap<readonly object[], readonly string[]>();

/** Keeps the JSON of each item of a list, which must not change any more, for as long as there is the list. */
export function keepParts(list: readonly object[], json: readonly string[]): void {
  parts.set(list, json);
}

/** The JSON of an object; of its members that are lists it is put together from what was kept. */
export function bodyJson(body: object): string {
  const pieces: string[] = [];
  for (const [name, value] of Object.entries(body)) {
    const kept = parts.get(value);
    // Nothing for what is no JSON, such as a function: then the name is left out too.
    const json: string | undefined = kept === undefined ? JSON.stringify(value) : "[]";
    if (json === undefined) continue;
    pieces.push(pieces.length === 0 ? "{" : ",", JSON.stringify(name), ":");
    if (kept === undefined || kept.length === 0) pieces.push(json);
    else {
      for (let at = 0; at < kept.length; at++) pieces.push(at === 0 ? "[" : ",", kept[at]!);
      pieces.push("]");
    }
  }
  pieces.push(pieces.length === 0 ? "{}" : "}");
  return pieces.join("");
}

/** Whether nothing of a value of JSON can change any more. What is computed (by a getter, a class, a `toJSON`, a date) may differ each time. */
export function isFrozenWhole(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return typeof value !== "function";
  if (!Object.isFrozen(value) || !PLAIN.has(Object.getPrototypeOf(value))) return false;
  return Reflect.ownKeys(value).every((key) => {
    const member = Object.getOwnPropertyDescriptor(value, key)!;
    return "value" in member && isFrozenWhole(member.value);
  });
}

const PLAIN: ReadonlySet<unknown> = new Set([Object.prototype, Array.prototype, null]);
