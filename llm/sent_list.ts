/**
 * Lists in the shape of the wire, made anew only from where they differ from what was sent before: of a conversation all but its end is the same with every turn.
 * Only what cannot change is remembered; it goes with the last of those items that it was made of, or when many other lists were sent since: whoever keeps that one item
 * is not to keep a whole conversation.
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

/** Each time that so many lists were sent, those go that were neither among them nor among as many before. More conversations than go on at once. */
const MAX_KEPT = 512;

/** Remembers lists of one kind. */
export class SentList<Item extends object, Wire extends object> {
  #newest = new WeakMap<Item, Sent<Item, Wire>>();
  #older = new WeakMap<Item, Sent<Item, Wire>>();
  #newestCount = 0;
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
    if (settled === items.length) this.#keep({ items: [...items], wire, parts });
    else {
      this.#keep({
        items: items.slice(0, settled),
        wire: wire.slice(0, settled),
        parts: parts.slice(0, settled),
      });
    }
    return wire;
  }

  #keep(sent: Sent<Item, Wire>): void {
    const last = sent.items.at(-1);
    if (last === undefined) return;
    if (this.#newestCount++ >= MAX_KEPT) {
      this.#older = this.#newest;
      this.#newest = new WeakMap();
      this.#newestCount = 1;
    }
    this.#newest.set(last, sent);
  }

  /** What was sent of a list before; it moves on to the list's new end. */
  #takeBefore(items: readonly Item[]): Sent<Item, Wire> {
    for (let at = items.length - 1; at >= Math.max(0, items.length - MAX_NEW); at--) {
      const last = items[at]!;
      const before = this.#newest.get(last) ?? this.#older.get(last);
      if (before === undefined) continue;
      this.#newest.delete(last);
      this.#older.delete(last);
      return before;
    }
    return NOTHING;
  }
}

const NOTHING: Sent<never, never> = { items: [], wire: [], parts: [] };
