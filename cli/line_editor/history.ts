/**
 * What was sent before, to be called up again. Kept in memory only.
 */

/** Messages kept at most. */
const MAX_ENTRIES = 500;

/** The messages of one conversation, and which of them is called up. */
export interface LineHistory {
  /** Keeps a message; the next walk begins behind it. */
  add(text: string): void;
  /** The message before the one called up; `undefined` at the oldest. `draft` is what stands there now. */
  older(draft: string): string | undefined;
  /** The message after it, and behind the newest the draft that was left; `undefined` when none is called up. */
  newer(draft: string): string | undefined;
  /** Begins a walk anew. */
  rewind(): void;
}

/** Makes an empty history. */
export function createHistory(): LineHistory {
  const entries: string[] = [];
  // What was changed on a walk stays changed until its end.
  let walked = new Map<number, string>();
  let at = 0;

  function rewind(): void {
    at = entries.length;
    walked = new Map();
  }
  function go(step: number, draft: string): string | undefined {
    const to = at + step;
    if (to < 0 || to > entries.length) return undefined;
    walked.set(at, draft);
    at = to;
    return walked.get(at) ?? entries[at] ?? "";
  }
  return {
    add(text) {
      if (text.trim() !== "" && entries.at(-1) !== text) entries.push(text);
      if (entries.length > MAX_ENTRIES) entries.shift();
      rewind();
    },
    older: (draft) => go(-1, draft),
    newer: (draft) => go(1, draft),
    rewind,
  };
}
