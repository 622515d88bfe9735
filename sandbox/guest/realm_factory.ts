/**
 * Makes realms. The first one sets up the engine and the realm's own code; the first of a kind installs the packs of that kind as well. All others start from a copy of
 * the memory that came of it, so that neither is paid for by a script.
 */
import type { SandboxLimits } from "../../contracts/sandbox.ts";
import type { Engine, EngineHooks, EngineInstance } from "./engine.ts";
import { formatForRealm } from "./format.ts";
import {
  layIntoNew,
  type MemoryLayout,
  type MemoryTemplate,
  takeTemplate,
} from "./memory_template.ts";
import { type Anchors, createAnchors, type Realm, RealmError, wrapRealm } from "./realm.ts";
import type { GuestPack, RealmSetup } from "./realm_bridge.ts";

/** Code of packs may take this long. Nobody waits for it in a script's time, and it is ours. */
const MAX_SETUP_MS = 10_000;

/** Memories of the realm's own code that are kept at most, each about a third of a megabyte: as many as there are kinds in `realm_stocks.ts`. */
const MAX_BASES = 8;

/** Realms that are alike. */
export interface RealmKind {
  /**
   * Makes one.
   *
   * @throws {RealmError} when the code of a pack throws, or does not end.
   */
  create(): Promise<Realm>;
}

/** Makes realms of many kinds, with one engine. */
export interface RealmFactory {
  /** Realms with these limits and packs. Makes none yet. */
  kindOf(limits: SandboxLimits, packs: readonly GuestPack[]): RealmKind;
}

/** A memory to start from, with the values in it. */
interface Start {
  readonly anchors: Anchors;
  readonly template: MemoryTemplate;
}

/**
 * Makes a factory. Failures are not remembered.
 *
 * @param layout from `measureLayout`; absent when memory cannot be laid anew: then every realm is set up from the start
 */
export function createRealmFactory(
  engine: Engine,
  layout: MemoryLayout | undefined,
): RealmFactory {
  /** What every kind of these limits of the engine starts from; the last used one at the end. */
  const bases = new Map<string, Start>();

  function keep(key: string, base: Start): void {
    bases.delete(key);
    bases.set(key, base);
    for (const oldest of bases.keys()) {
      if (bases.size <= MAX_BASES) return;
      bases.delete(oldest);
    }
  }

  async function withOwnCode(
    instance: EngineInstance,
    { memoryBytes, stackBytes }: SandboxLimits,
  ): Promise<Anchors> {
    const key = `${memoryBytes}/${stackBytes}`;
    const base = bases.get(key);
    if (base !== undefined && layIntoNew(instance, base.template)) {
      keep(key, base);
      return base.anchors;
    }
    const anchors = await createAnchors(instance, { stackBytes });
    if (layout !== undefined) {
      keep(key, { anchors, template: takeTemplate(instance.memory, layout) });
    }
    return anchors;
  }

  return {
    kindOf(limits, packs) {
      let start: Start | undefined;
      return {
        async create() {
          const instance = await engine.createInstance(limits.memoryBytes);
          if (start !== undefined && layIntoNew(instance, start.template)) {
            return wrapRealm(instance, start.anchors, start.template);
          }
          const anchors = await withOwnCode(instance, limits);
          await install(instance, anchors, { limits, packs });
          if (layout === undefined) return wrapRealm(instance, anchors);
          start = { anchors, template: takeTemplate(instance.memory, layout) };
          return wrapRealm(instance, anchors, start.template);
        },
      };
    },
  };
}

async function install(
  instance: EngineInstance,
  anchors: Anchors,
  { limits, packs }: { readonly limits: SandboxLimits; readonly packs: readonly GuestPack[] },
): Promise<void> {
  const realm = wrapRealm(instance, anchors);
  realm.setHooks(setupHooks(realm));
  const { argsBytes, hostCalls, callArgumentBytes, logBytes } = limits;
  const setup: RealmSetup = {
    limits: { argsBytes, hostCalls, callArgumentBytes, logBytes },
    packs,
  };
  await realm.control("setup", JSON.stringify(setup));
}

/** There is no script yet, whose host could be asked. */
function setupHooks(realm: Realm): EngineHooks {
  const endsAt = performance.now() + MAX_SETUP_MS;
  return {
    onCall(argv) {
      const { operation, text } = realm.readCall(argv);
      if (operation === "format") return realm.newString(formatForRealm(text));
      if (operation === "log") return 0;
      const called = operation === "call"
        ? text.slice(0, text.indexOf("\n"))
        : operation === "seed"
        ? "Math.random"
        : operation;
      throw new RealmError(`a pack's own code called ${called} before there was a script`);
    },
    onPoll: () => performance.now() > endsAt,
    onClock: () => 0,
  };
}
