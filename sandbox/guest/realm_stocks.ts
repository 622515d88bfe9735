/** The realms that are ready for scripts, by kind, and those that were used and are to be renewed. What is kept is bounded over all kinds. */
import type { SandboxLimits } from "../../contracts/sandbox.ts";
import type { Realm } from "./realm.ts";
import type { GuestPack } from "./realm_bridge.ts";
import type { RealmFactory, RealmKind } from "./realm_factory.ts";

/** Used realms that are kept at most: more than this are seldom busy at one moment, and each holds about a megabyte. */
const MAX_STOCK = 64;

/** Kinds that are remembered at most; each holds a copy of a realm's memory, about a third of a megabyte. */
const MAX_KINDS = 8;

/** Realms of one kind. */
export interface RealmStock {
  /** Sees to it that one is there, unless the kind is forgotten. */
  prepare(): void;
  /**
   * Gives one; the taker owns it.
   *
   * @throws {RealmError} as `RealmKind.create`, by the promise.
   */
  take(): Realm | Promise<Realm>;
  /** Takes a used realm back; it is renewed later. */
  giveBack(realm: Realm): void;
}

/** The stocks of one thread. */
export interface RealmStocks {
  /** The stock for these limits and packs. */
  of(limits: SandboxLimits, packs: readonly GuestPack[]): RealmStock;
  /** Renews what was given back, and drops what cannot be renewed. */
  tidy(): void;
  /** Forgets all kinds, and drops their realms. */
  clear(): void;
  /** Whether a realm is being made. */
  readonly isMaking: boolean;
}

interface KeptStock {
  tidy(): void;
  /** Drops a realm; false when there is none. */
  dropOne(): boolean;
  /** Drops all realms, and takes none back. */
  retire(): void;
}

interface Kind {
  readonly limits: string;
  readonly packs: string;
  readonly stock: RealmStock & KeptStock;
}

/** Makes the stocks; all are empty. */
export function createRealmStocks(factory: RealmFactory): RealmStocks {
  /** The last used one at the end. */
  const kinds: Kind[] = [];
  /** Packs are told by their text: each run brings its own, and most are alike. */
  const packsKeys = new WeakMap<readonly GuestPack[], string>();
  let kept = 0;
  let making = 0;

  function packsKey(packs: readonly GuestPack[]): string {
    let key = packsKeys.get(packs);
    if (key === undefined) {
      key = JSON.stringify(packs);
      packsKeys.set(packs, key);
    }
    return key;
  }

  /** Makes room for one more realm, at the cost of the kind that was not used for the longest time. */
  function mayKeep(): boolean {
    return kept < MAX_STOCK || kinds.slice(0, -1).some(({ stock }) => stock.dropOne());
  }

  function createStock(kind: RealmKind): Kind["stock"] {
    const fresh: Realm[] = [];
    const used: Realm[] = [];
    let ahead: Promise<Realm> | undefined;
    let isRetired = false;
    const make = (): Promise<Realm> => {
      making++;
      return kind.create().finally(() => making--);
    };
    const renewed = (): Realm | undefined => {
      for (;;) {
        const realm = used.pop();
        if (realm === undefined || realm.renew()) return realm;
        kept--;
      }
    };
    return {
      prepare() {
        if (isRetired || fresh.length > 0 || used.length > 0 || ahead !== undefined) return;
        ahead = make();
        ahead.catch(() => {}); // whoever takes it sees the failure
      },
      take() {
        const ready = fresh.pop() ?? renewed();
        if (ready !== undefined) {
          kept--;
          return ready;
        }
        const made = ahead ?? make();
        ahead = undefined;
        return made;
      },
      giveBack(realm) {
        if (isRetired || !mayKeep()) return;
        kept++;
        used.push(realm);
      },
      tidy() {
        for (let realm = renewed(); realm !== undefined; realm = renewed()) fresh.push(realm);
      },
      dropOne() {
        if ((used.pop() ?? fresh.pop()) === undefined) return false;
        kept--;
        return true;
      },
      retire() {
        isRetired = true;
        kept -= used.splice(0).length + fresh.splice(0).length;
        ahead = undefined;
      },
    };
  }

  function kindOf(limits: SandboxLimits, packs: readonly GuestPack[]): Kind {
    const wanted = { limits: limitsKey(limits), packs: packsKey(packs) };
    const at = kinds.findLastIndex((kind) =>
      kind.limits === wanted.limits && kind.packs === wanted.packs
    );
    if (at >= 0) return kinds.splice(at, 1)[0]!;
    return { ...wanted, stock: createStock(factory.kindOf(limits, packs)) };
  }

  return {
    of(limits, packs) {
      const kind = kindOf(limits, packs);
      kinds.push(kind);
      if (kinds.length > MAX_KINDS) kinds.shift()!.stock.retire();
      return kind.stock;
    },
    tidy() {
      for (const { stock } of kinds) stock.tidy();
    },
    clear() {
      for (const { stock } of kinds.splice(0)) stock.retire();
    },
    get isMaking() {
      return making > 0;
    },
  };
}

/** What realms are set up with, in one text. */
function limitsKey(
  { memoryBytes, stackBytes, argsBytes, hostCalls, callArgumentBytes, logBytes }: SandboxLimits,
): string {
  return [memoryBytes, stackBytes, argsBytes, hostCalls, callArgumentBytes, logBytes].join("/");
}
