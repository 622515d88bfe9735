/** Faults as lines for a model: bounded in number, each a path, what was expected, and what came. */
import { showValue } from "./show_value.ts";
import { stepInto } from "./schema_node.ts";
import type { Fault, Place } from "./walk.ts";

/** Faults that are told; a model mends a few at a time. */
const MAX_ISSUES = 8;
/** Steps of a path that are told: half of them from its beginning, half from its end. */
const MAX_PATH_STEPS = 12;

/** Collects faults. */
export class IssueList {
  #lines: Set<string> | undefined;
  /** Whether there are more than are told. */
  more = false;

  /** Whether no further one is told. */
  get full(): boolean {
    return this.#lines !== undefined && this.#lines.size >= MAX_ISSUES;
  }

  /** Adds a fault at a place. It is put into words only when it is told. */
  add(place: Place, fault: () => Fault): void {
    if (this.full) this.more = true;
    else this.#add(`${pathOf(place)}: ${words(fault())}`);
  }

  /** Says that the check has ended before its end. */
  bound(why: string): void {
    this.#add(`$: ${why}`);
  }

  /** The lines, the last of which says whether there are more. */
  lines(): readonly string[] {
    const lines = [...this.#lines ?? []];
    return this.more ? [...lines, "and more"] : lines;
  }

  #add(line: string): void {
    this.#lines ??= new Set();
    this.#lines.add(line);
  }
}

function words(fault: Fault): string {
  return "says" in fault ? fault.says : `expected ${fault.expected}, got ${showValue(fault.value)}`;
}

function pathOf(place: Place): string {
  const keys: (string | number)[] = [];
  for (let here: Place | undefined = place; here !== undefined; here = here.parent) {
    if (here.key !== undefined) keys.unshift(here.key);
  }
  if (keys.length <= MAX_PATH_STEPS) return keys.reduce<string>(stepInto, "$");
  const tail = keys.slice(-MAX_PATH_STEPS / 2).reduce<string>(stepInto, "");
  return `${keys.slice(0, MAX_PATH_STEPS / 2).reduce<string>(stepInto, "$")}…${tail}`;
}
