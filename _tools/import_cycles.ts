/** Finds import cycles. Pure: a list of edges in, a list of cycles out. */

/** An arrow of the graph. */
export interface Arrow {
  /** Where it starts. */
  readonly from: string;
  /** Where it leads. */
  readonly to: string;
}

/**
 * One shortest cycle through each knot of files that reach each other, as the names along it with the first repeated at the end.
 * The order is that of the arrows, so the same graph always gives the same answer.
 */
export function findCycles(arrows: readonly Arrow[]): string[][] {
  const targets = new Map<string, string[]>();
  for (const { from, to } of arrows) {
    targets.set(from, [...(targets.get(from) ?? []), to]);
  }
  const seen = new Set<string>();
  const cycles: string[][] = [];
  for (const start of targets.keys()) {
    if (seen.has(start)) continue;
    const cycle = shortestWayBack(start, targets);
    if (cycle === undefined) continue;
    cycles.push(cycle);
    // Everything that start reaches and that reaches start belongs to the same knot: one report is enough.
    for (const name of reachable(start, targets)) {
      if (reachable(name, targets).has(start)) seen.add(name);
    }
  }
  return cycles;
}

/** The names that can be reached from `start`, itself only when it lies on a cycle. */
export function reachable(
  start: string,
  targets: ReadonlyMap<string, readonly string[]>,
): Set<string> {
  const found = new Set<string>();
  const open = [start];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    for (const next of targets.get(name) ?? []) {
      if (found.has(next)) continue;
      found.add(next);
      open.push(next);
    }
  }
  return found;
}

function shortestWayBack(
  start: string,
  targets: ReadonlyMap<string, readonly string[]>,
): string[] | undefined {
  const cameFrom = new Map<string, string>();
  const queue = [start];
  for (const name of queue) {
    for (const next of targets.get(name) ?? []) {
      if (next === start) return wayTo(name, start, cameFrom);
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, name);
      queue.push(next);
    }
  }
  return undefined;
}

function wayTo(last: string, start: string, cameFrom: ReadonlyMap<string, string>): string[] {
  const way = [start];
  for (let name = last; name !== start; name = cameFrom.get(name) ?? start) way.unshift(name);
  return [start, ...way];
}
