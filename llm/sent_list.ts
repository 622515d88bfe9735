/**
 * Lists in the shape of the wire, made anew only from where they differ from what was sent before: of a conversation all but its end is the same with every turn.
 * Only what cannot change is remembered; it goes with the last of those items that it was made of.
 */
import { keepParts } from "./kept_json.ts";

/** The beginning of a list as it was sent. */
interface Sent<Item, Wire> {
  readonly items: readonly Item[];
  readonly wire: readonly Wire[];
  /** The JSON of each. */
  readonly parts: readonly string[];
}

/** So many items of a new list may stand behind those that were sent: more than one turn adds. */
const MAX_NEW = 300;

/** Remembers lists of one kind. */
export class SentList<Item extends object, Wire extends object> {
  readonly #sent = new WeakMap<Item, Sent<Item, Wire>>();
  readonly #isSettled: (item: Item) => boolean;
  readonly #jsonOf: (wire: Wire, item: Item) => string;

  /** `isSettled` tells whether an item can neither change nor be sent otherwise; `jsonOf` gives the JSON of one. */
  constructor(
    isSettled: (item: Item) => boolean,
    jsonOf: (wire: Wire, item: Item) => string = (wire) => JSON.stringify(wire),
  ) {
    this.#isSettled = isSettled;
    this.#jsonOf = jsonOf;
  }

  /** The items as `shape` makes them. The JSON of the list is kept with it. */
  shaped(items: readonly Item[], shape: (item: Item) => Wire): Wire[] {
    const before = this.#takeBefore(items);
    let settled = 0;
    while (settled < before.items.length && before.items[settled] === items[settled]) settled++;
    const wire = before.wire.slice(0, settled);
    const parts = before.parts.slice(0, settled);
    for (let at = settled; at < items.length; at++) {
      const item = items[at]!;
      const made = shape(item);
      wire.push(made);
      parts.push(this.#jsonOf(made, item));
      if (at === settled && this.#isSettled(item)) settled++;
    }
    keepParts(wire, parts);
    if (settled > 0) {
      this.#sent.set(items[settled - 1]!, { items: items.slice(0, settled), wire, parts });
    }
    return wire;
  }

  /** What was sent of a list before; it moves on to the list's new end. */
  #takeBefore(items: readonly Item[]): Sent<Item, Wire> {
    for (let at = items.length - 1; at >= Math.max(0, items.length - MAX_NEW); at--) {
      const before = this.#sent.get(items[at]!);
      if (before === undefined) continue;
      this.#sent.delete(items[at]!);
      return before;
    }
    return NOTHING;
  }
}

const NOTHING: Sent<never, never> = { items: [], wire: [], parts: [] };
