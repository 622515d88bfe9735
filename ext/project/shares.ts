/** Divides room among texts. Pure functions. */

/**
 * How many bytes each text gets when all together get `total`: small ones all they want, and large ones alike.
 *
 * @param wanted bytes that each would take
 */
export function shareBytes(wanted: readonly number[], total: number): readonly number[] {
  const shares = wanted.map(() => 0);
  const bySize = [...wanted.entries()].sort(([, one], [, other]) => one - other);
  let left = total;
  for (const [done, [index, bytes]] of bySize.entries()) {
    const share = Math.min(bytes, Math.floor(left / (bySize.length - done)));
    shares[index] = share;
    left -= share;
  }
  return shares;
}

/** Refuses what is no positive whole number. @throws {RangeError} */
export function checkBytes(
  caller: string,
  values: Readonly<Record<string, number>>,
): void {
  for (const [name, value] of Object.entries(values)) {
    if (Number.isSafeInteger(value) && value > 0) continue;
    throw new RangeError(`${caller}: ${name} must be a positive whole number, got ${value}`);
  }
}
