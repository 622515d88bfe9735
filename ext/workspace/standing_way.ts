/**
 * Looks at folders before something is read in them, and says afterwards whether they and all folders on the way to them stood still: the rule of
 * `confinement.ts`, for many folders at once, each looked at twice however much was read in it.
 */
import { type Confinement, SETTLE_MS } from "./confinement.ts";
import { Refusal } from "./path_rules.ts";

/** What a folder was when it was looked at. */
export interface Stage {
  readonly dev: number;
  readonly ino: number | null;
  /** When something in it was last made, renamed or taken away, in ms; it can be set back. */
  readonly changedMs: number;
  /** When it last changed in any way, in ms; it cannot be set, but the runtime tells it in whole seconds. */
  readonly touchedMs: number;
  /** Whether that was so lately that a further change might leave no mark. */
  readonly fresh: boolean;
}

interface Seen {
  readonly path: string;
  readonly stage: Stage;
  /** Whether a change in it matters, and not only that it is the same folder. */
  held: boolean;
}

/** Folders that something is read in, until it is asked whether they stood still. */
export class StandingWay {
  readonly #within: Confinement;
  readonly #seen = new Map<string, Seen>();

  /** @param within Where the folders are. */
  constructor(within: Confinement) {
    this.#within = within;
  }

  /**
   * Looks at a folder and at those on the way to it.
   *
   * @param names The folder, from the root.
   * @returns What the folder is now. With `contents`, it does not stand still when anything in it is made, renamed or taken away.
   * @throws {Refusal} when one of them is no folder. Throws what the system says when one is not there.
   */
  enter(
    names: readonly string[],
    { contents = false }: { readonly contents?: boolean } = {},
  ): Stage {
    const last = this.#look(names, contents);
    for (let length = names.length - 1; length >= 0; length--) {
      this.#look(names.slice(0, length), true);
    }
    return last;
  }

  /** Whether all that was looked at is what it was, and what was not to change did not. */
  stoodStill(): boolean {
    for (const { path, stage, held } of this.#seen.values()) {
      if (held && stage.fresh) return false;
      const now = stageOf(path);
      if (now === undefined || !isSameFolder(now, stage)) return false;
      if (held && !isUnchanged(now, stage)) return false;
    }
    return true;
  }

  #look(names: readonly string[], held: boolean): Stage {
    const path = this.#within.full(names);
    const before = this.#seen.get(path);
    if (before !== undefined) {
      before.held ||= held;
      return before.stage;
    }
    const stage = stageOf(path);
    if (stage === undefined) throw new Refusal(names.join("/") || ".");
    this.#seen.set(path, { path, stage, held });
    return stage;
  }
}

/** Whether two looks saw the same folder, and nothing in it was made, renamed or taken away between them. */
export function isUnchanged(now: Stage, before: Stage): boolean {
  return isSameFolder(now, before) && now.changedMs === before.changedMs &&
    now.touchedMs === before.touchedMs;
}

function isSameFolder(now: Stage, before: Stage): boolean {
  return now.ino === before.ino && now.dev === before.dev;
}

/** What lies at a path, or nothing when it is no folder. */
function stageOf(path: string): Stage | undefined {
  let info: Deno.FileInfo;
  try {
    info = Deno.lstatSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) {
      return undefined;
    }
    throw error;
  }
  if (!info.isDirectory) return undefined;
  const changedMs = info.mtime?.getTime() ?? 0;
  const fresh = Math.abs(Date.now() - changedMs) < SETTLE_MS;
  const touchedMs = info.ctime?.getTime() ?? 0;
  return { dev: info.dev, ino: info.ino, changedMs, touchedMs, fresh };
}
