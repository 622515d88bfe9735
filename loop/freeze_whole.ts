/** Values of JSON that nobody can change any more: what is the loop's own, one for all runs and tenants, and given to clients and compactors. */

/** Freezes a value of JSON with all that it holds, and gives it back. It must be nobody else's. */
export function freezeWhole<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const member of Object.values(value)) freezeWhole(member);
  return Object.freeze(value);
}
