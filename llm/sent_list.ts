/**
 * Lists in the shape of the wire, made anew only from where they differ from what was sent before: of a conversation all but its end is the same with every turn.
 * Only what cannot change is remembered; it goes with the list's first item.
 */
import { keepJson } from "./kept_json.ts";

/** The beginning of a list as it was sent. */
interface Sent<Item, Wire> {
  readonly items: readonly Item[];
  /** These, and what stood behind them. */
  readonly wire: readonly Wire[];
  /** The JSON of all that, with commas between. */
  readonly json: string;
  /** Where in it each of them ends. */
  readonly ends: readonly number[];
}

const NOTHING: Sent<never, never> = { items: [], wire: [], json: "", ends: [] };

/** Remembers lists of one kind. */
export class SentList<Item extends object, Wire extends object> {
  readonly #sent = new WeakMap<Item, Sent<Item, Wire>>();
  readonly #isSettled: (item: Item) => boolean;

  /** `isSettled` tells whether an item can neither change nor be sent otherwise. */
  constructor(isSettled: (item: Item) => boolean) {
    this.#isSettled = isSettled;
  }

  /** The items as `shape` makes them. The JSON of the list is kept with it. */
  shaped(items: readonly Item[], shape: (item: Item) => Wire): Wire[] {
    const [first] = items;
    const before: Sent<Item, Wire> = (first && this.#sent.get(first)) ?? NOTHING;
    let settled = 0;
    while (settled < before.items.length && before.items[settled] === items[settled]) settled++;
    const wire = before.wire.slice(0, settled);
    const ends = before.ends.slice(0, settled);
    let json = before.json.slice(0, ends.at(-1) ?? 0);
    for (let at = settled; at < items.length; at++) {
      const made = shape(items[at]!);
      wire.push(made);
      json += at === 0 ? JSON.stringify(made) : `,${JSON.stringify(made)}`;
      ends.push(json.length);
      if (at === settled && this.#isSettled(items[at]!)) settled++;
    }
    keepJson(wire, `[${json}]`);
    if (first !== undefined && settled > 0) {
      this.#sent.set(first, { items: items.slice(0, settled), wire, json, ends });
    }
    return wire;
  }
}
