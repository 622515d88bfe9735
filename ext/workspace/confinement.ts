/**
 * Keeps every access in one folder. A path is resolved, and what was opened there is used only when the folders on the way to it were the same
 * plain folders before and after, and the file that is open is the one that lies there.
 *
 * A swap of a folder for a link, and back, leaves its mark in the time of the folder that holds both, as long as that time is older than the
 * steps of the clock that files get: so a folder that changed just now is waited for.
 */
import { lstatSync } from "node:fs";
import { basename, dirname, sep } from "node:path";
import { isAllowedName, readNames, Refusal, shownPath } from "./path_rules.ts";

/** How long a change must be past, in ms. The clock of files steps by 1 to 10 ms; twice the longest step. */
export const SETTLE_MS = 20;

/** How often a way that changes is tried. */
export const ATTEMPTS = 12;

/** Where a path leads, all links followed. */
export interface Place {
  /** The path as errors show it. */
  readonly shown: string;
  /** Names from the root to the place, without links. */
  readonly names: readonly string[];
  /** How many of the names are there already. */
  readonly existing: number;
}

/** Something to be done in a folder while the way there stands still. */
export interface Work<T> {
  /** Does it; called again when the way changed meanwhile. Throws {@linkcode Moved} when what it did landed elsewhere. */
  readonly act: () => T | Promise<T>;
  /** Takes back what was done on a way that changed. */
  readonly undo?: (result: T) => void | Promise<void>;
}

/** Says that what lies at a path is not what was opened there, so that it is tried again. */
export class Moved extends Error {}

/** One folder on the way. */
interface Stage {
  readonly dev: number;
  readonly ino: number;
  readonly changedMs: number;
  /** The time that cannot be set back, which the runtime tells in whole seconds. */
  readonly touchedMs: number;
}

/** One root folder and the ways in it. */
export class Confinement {
  readonly #root: string;
  readonly #withheld: ReadonlySet<string>;
  /** Names of those files by their folders, so that a listing need not put paths together. */
  readonly #withheldIn = new Map<string, Set<string>>();

  /**
   * @param root Its real path: absolute, without links.
   * @param withheld Real paths of files that are out of reach.
   */
  constructor(root: string, withheld: ReadonlySet<string> = new Set()) {
    this.#root = root.endsWith(sep) ? root.slice(0, -1) : root;
    this.#withheld = withheld;
    for (const file of withheld) {
      const names = this.#withheldIn.get(dirname(file)) ?? new Set();
      this.#withheldIn.set(dirname(file), names.add(basename(file)));
    }
  }

  /** Names in a folder that are out of reach; nothing where there are none. */
  withheldIn(names: readonly string[]): ReadonlySet<string> | undefined {
    return this.#withheldIn.size === 0 ? undefined : this.#withheldIn.get(this.full(names));
  }

  /** Whether a path for the system, without links, is out of reach. */
  isWithheld(full: string): boolean {
    return this.#withheld.has(full);
  }

  /** The path for the system. */
  full(names: readonly string[]): string {
    return names.length === 0 ? this.#root || sep : [this.#root, ...names].join(sep);
  }

  /**
   * Finds where a path leads. The place need not exist.
   *
   * @throws {Refusal} when it leads out, to `.git`, or to nowhere by a link.
   */
  async locate(path: unknown): Promise<Place> {
    const names = readNames(path);
    const shown = shownPath(path);
    for (let existing = names.length; existing >= 0; existing--) {
      const real = await this.#realNames(names.slice(0, existing), path);
      if (real === undefined) continue;
      const rest = names.slice(existing);
      // Something is there that cannot be followed: a link to nowhere.
      if (rest[0] !== undefined && this.#isThere([...real, rest[0]])) throw new Refusal(path);
      if (rest[0] !== undefined && this.isWithheld(this.full([...real, rest[0]]))) {
        throw new Refusal(path);
      }
      return { shown, names: [...real, ...rest], existing: real.length };
    }
    throw new Error("the workspace's folder is gone");
  }

  /**
   * Does some work in the folder of these names while the way there stands still.
   *
   * @throws {Refusal} when the way leads over anything but folders. Rejects when it does not come to rest, and with what the work throws.
   */
  async steady<T>(folder: readonly string[], shown: string, work: Work<T>): Promise<T> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (attempt > 0) await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
      const before = this.#way(folder, shown);
      if (isFresh(before)) continue;
      let result: T;
      try {
        result = await work.act();
      } catch (error) {
        if (error instanceof Moved || !this.#isStill(before, folder)) continue;
        throw error;
      }
      if (this.#isStill(before, folder)) return result;
      await work.undo?.(result);
    }
    throw new Error(`${shown}: the folders on the way keep changing; try again later`);
  }

  /** The real names of a path, or nothing when it does not exist. */
  async #realNames(
    names: readonly string[],
    path: unknown,
  ): Promise<readonly string[] | undefined> {
    let real: string;
    try {
      real = await Deno.realPath(this.full(names));
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return undefined;
      throw new Refusal(path);
    }
    if (real === this.full([])) return [];
    if (!real.startsWith(this.#root + sep)) throw new Refusal(path);
    const found = real.slice(this.#root.length + 1).split(sep);
    if (!found.every(isAllowedName) || this.isWithheld(real)) throw new Refusal(path);
    return found;
  }

  #isThere(names: readonly string[]): boolean {
    return lstatSync(this.full(names), { throwIfNoEntry: false }) !== undefined;
  }

  /** The folders from the root to this one. */
  #way(folder: readonly string[], shown: string): readonly Stage[] {
    return Array.from({ length: folder.length + 1 }, (_, length) => {
      const info = lstatSync(this.full(folder.slice(0, length)), { throwIfNoEntry: false });
      if (info === undefined) throw new Error(`${shown} does not exist; listDir shows what does`);
      if (!info.isDirectory()) throw new Refusal(shown);
      return { dev: info.dev, ino: info.ino, changedMs: info.mtimeMs, touchedMs: info.ctimeMs };
    });
  }

  #isStill(before: readonly Stage[], folder: readonly string[]): boolean {
    try {
      const after = this.#way(folder, "");
      return before.every((stage, index) => {
        const now = after[index];
        // What the last folder holds are no folders on the way.
        return now?.ino === stage.ino && now.dev === stage.dev &&
          (index === before.length - 1 ||
            (now.changedMs === stage.changedMs && now.touchedMs === stage.touchedMs));
      });
    } catch {
      return false;
    }
  }
}

/** Whether a folder on the way changed so lately that a further change might leave no mark. */
function isFresh(way: readonly Stage[]): boolean {
  const now = Date.now();
  return way.slice(0, -1).some((stage) => Math.abs(now - stage.changedMs) < SETTLE_MS);
}
