/**
 * Walks the files below a folder in the order of their names. Links are not followed, `.git` is not entered.
 *
 * Many folders are listed at a stretch, without giving up the thread; what was found counts only when they, and the folders on the way to them,
 * stood still meanwhile. Else the stretch is walked again from its beginning, after a pause and folder by folder.
 */
import { setImmediate } from "node:timers";
import { ATTEMPTS, type Confinement, type Place, SETTLE_MS } from "./confinement.ts";
import { type IgnoreRules, loadIgnore, type MakeRules } from "./ignore_rules.ts";
import { type FolderEntry, missing, plainError, readEntries } from "./open_file.ts";
import { MAX_NAMES, Refusal } from "./path_rules.ts";
import { type Stage, StandingWay } from "./standing_way.ts";

/** Entries of a stretch, and folders. */
const STRETCH = { entries: 1_000, folders: 64 };

/** How long a walk may hold the thread. */
const TURN_MS = 8;

/** How to walk. */
export interface WalkOptions {
  /** Also what `.gitignore` files name. @default false */
  readonly all?: boolean;
  /** Time that the rules of those may take, in ms. The walk fails when they take longer. */
  readonly timeoutMs: number;
  /** Ends the walk. */
  readonly signal?: AbortSignal;
  /** Whether to yield a file, asked before any rule. Must not throw. @default all */
  readonly wants?: (folder: readonly string[], name: string) => boolean;
}

/** Regular files that follow one another in one folder. */
export interface FileRun {
  /** The folder, from the root. */
  readonly folder: readonly string[];
  /** What the folder was before it was listed. */
  readonly stage: Stage;
  /** The names of the files. */
  readonly files: readonly string[];
}

/** A folder whose entries are gone through. */
interface Frame {
  readonly names: readonly string[];
  readonly stage: Stage;
  readonly entries: readonly FolderEntry[];
  readonly rules: IgnoreRules;
  /** The next entry. */
  at: number;
}

/** The regular files below a folder. Holds no more than the folders that are being walked, and one stretch. */
export async function* walkFiles(
  within: Confinement,
  start: Place,
  options: WalkOptions,
): AsyncGenerator<readonly FileRun[]> {
  if (start.existing < start.names.length) throw missing(start.shown);
  const makeRules = options.all ? undefined : await loadIgnore(options.timeoutMs);
  const walk = new Walk(within, { ...options, makeRules });
  let began = performance.now();
  let failed = 0;
  let from: Place | readonly Frame[] = start;
  while ("names" in from || from.length > 0) {
    options.signal?.throwIfAborted();
    const stretch = walk.stretch(from, failed === 0);
    if (stretch === undefined) {
      if (++failed === ATTEMPTS) {
        throw new Error(`${start.shown}: the folders on the way keep changing; try again later`);
      }
      await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
      continue;
    }
    failed = 0;
    from = stretch.frames;
    yield stretch.runs;
    if (performance.now() - began < TURN_MS) continue;
    await new Promise((resolve) => setImmediate(resolve));
    began = performance.now();
  }
}

class Walk {
  readonly #within: Confinement;
  readonly #options: WalkOptions & { readonly makeRules?: MakeRules };

  constructor(within: Confinement, options: WalkOptions & { readonly makeRules?: MakeRules }) {
    this.#within = within;
    this.#options = options;
  }

  /** Goes on from where a walk is; nothing when a folder did not stand still. What it is given stays as it is. */
  stretch(
    from: Place | readonly Frame[],
    isLong: boolean,
  ): { readonly runs: readonly FileRun[]; readonly frames: readonly Frame[] } | undefined {
    const way = new StandingWay(this.#within);
    const frames: Frame[] = [];
    try {
      if ("names" in from) frames.push(this.#enterStart(from, way));
      else frames.push(...from.map((frame) => ({ ...frame })));
    } catch (error) {
      if (!way.stoodStill()) return undefined;
      const { shown } = from as Place;
      throw error instanceof Refusal ? new Refusal(shown) : plainError(error, shown);
    }
    const runs = this.#go(frames, way, isLong ? STRETCH : { entries: 1, folders: 1 });
    return way.stoodStill() ? { runs, frames } : undefined;
  }

  #go(frames: Frame[], way: StandingWay, most: typeof STRETCH): FileRun[] {
    const runs: FileRun[] = [];
    let entries = 0;
    let folders = 0;
    while (frames.length > 0 && entries < most.entries && folders < most.folders) {
      const frame = frames.at(-1) as Frame;
      const files: string[] = [];
      let below: Frame | undefined;
      while (frame.at < frame.entries.length && below === undefined) {
        const { name, kind } = frame.entries[frame.at++] as FolderEntry;
        entries++;
        if (kind === "file" && this.#keeps(frame, name)) files.push(name);
        // What lies deeper could not be named.
        if (kind !== "dir" || frame.names.length + 2 > MAX_NAMES) continue;
        if (frame.rules.leavesOut(frame.names, name, true)) continue;
        folders++;
        below = this.#enterBelow(frame, name, way);
      }
      if (files.length > 0) runs.push({ folder: frame.names, stage: frame.stage, files });
      if (below !== undefined) frames.push(below);
      else frames.pop();
    }
    return runs;
  }

  /** Whether a file is yielded. What is wanted is asked first: it costs less than the rules. */
  #keeps({ names, rules }: Frame, name: string): boolean {
    return this.#options.wants?.(names, name) !== false && !rules.leavesOut(names, name, false);
  }

  /** The folder that a walk begins with, with the rules of those above it. */
  #enterStart(start: Place, way: StandingWay): Frame {
    way.enter(start.names);
    const { makeRules } = this.#options;
    let rules: IgnoreRules = NO_RULES;
    for (let length = 0; length < start.names.length && makeRules !== undefined; length++) {
      rules = makeRules(this.#within, start.names.slice(0, length), rules);
    }
    return this.#list(start.names, rules, way);
  }

  /** A folder below; nothing when it went away or became something else after its being listed, or may not be read. */
  #enterBelow({ names, rules }: Frame, name: string, way: StandingWay): Frame | undefined {
    try {
      return this.#list([...names, name], rules, way);
    } catch {
      return undefined;
    }
  }

  #list(names: readonly string[], above: IgnoreRules, way: StandingWay): Frame {
    const stage = way.enter(names);
    const entries = readEntries(this.#within, names);
    const { makeRules } = this.#options;
    const hasRules = makeRules !== undefined &&
      entries.some((entry) => entry.name === ".gitignore" && entry.kind === "file");
    return {
      names,
      stage,
      entries,
      at: 0,
      rules: hasRules ? makeRules(this.#within, names, above) : above,
    };
  }
}

const NO_RULES: IgnoreRules = { leavesOut: () => false };
