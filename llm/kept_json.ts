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
    if (value === undefined) continue;
    pieces.push(pieces.length === 0 ? "{" : ",", JSON.stringify(name), ":");
    const kept = parts.get(value);
    if (kept === undefined) pieces.push(JSON.stringify(value));
    else if (kept.length === 0) pieces.push("[]");
    else {
      for (let at = 0; at < kept.length; at++) pieces.push(at === 0 ? "[" : ",", kept[at]!);
      pieces.push("]");
    }
  }
  pieces.push(pieces.length === 0 ? "{}" : "}");
  return pieces.join("");
}

/** Whether nothing of a value of JSON can change any more. */
export function isFrozenWhole(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isFrozenWhole);
}
