/** Ids of runs: UUID version 7 (RFC 9562), so that ids sort by the time of their run. Clock and randomness are handed in. */

/**
 * A new id for a run.
 *
 * @param unixMs the time of the run, in ms since the epoch
 * @param random a source of numbers in [0, 1)
 */
export function createRunId(unixMs: number, random: () => number): string {
  const time = hex(Math.max(0, Math.trunc(unixMs)), 12).slice(-12);
  const randomA = hex(random() * 0x1000, 3);
  // The variant takes the two highest bits of this group: 10.
  const randomB = hex(0x8000 + Math.floor(random() * 0x4000), 4);
  const randomC = hex(random() * 0x1000000, 6) + hex(random() * 0x1000000, 6);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomA}-${randomB}-${randomC}`;
}

/** A number as lower-case hexadecimal digits, padded to a width. */
function hex(value: number, digits: number): string {
  return Math.floor(value).toString(16).padStart(digits, "0");
}
