/** Medians, and the lines in which a bench prints them. */

/** The middle of some figures. */
export function median(figures: readonly number[]): number {
  const sorted = [...figures].sort((a, b) => a - b);
  const at = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[at]! : (sorted[at - 1]! + sorted[at]!) / 2;
}

/** One figure with what it is held against. */
export interface Figure {
  readonly name: string;
  readonly unit: string;
  /** One value a round. */
  readonly values: readonly number[];
  /** The bar that the median should not pass, where there is one. */
  readonly bar?: number;
}

/** Prints a figure: median, least, greatest, and the bar. */
export function report({ name, unit, values, bar }: Figure): void {
  const middle = median(values);
  const verdict = bar === undefined
    ? ""
    : `  bar ${bar} ${unit}: ${middle <= bar ? "held" : "MISSED"}`;
  const [least, most] = [Math.min(...values), Math.max(...values)];
  console.log(
    `${name.padEnd(58)} ${format(middle)} ${unit} [${format(least)}-${format(most)}]${verdict}`,
  );
}

function format(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 1 ? value.toFixed(2) : value.toFixed(3);
}

/** Milliseconds that some work took. */
export async function timed(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
