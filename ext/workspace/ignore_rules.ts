/** What `.gitignore` files leave out. A file deeper down has the last word; what an ignored folder holds is never looked at. */
import type { Confinement } from "./confinement.ts";
import { ignoreHint } from "./ignore_hint.ts";
import { readSmallFile } from "./open_file.ts";

/** Bytes of a `.gitignore` that is taken into account. */
const MAX_RULES_BYTES = 1_048_576;

/** Paths after which a matcher is made anew: it remembers each that it was asked about. */
const REMEMBERED = 1_000;

/**
 * Names in a row that one rule may leave open (`**` between others). Each multiplies what a path of the depth that is walked may cost, in a matcher that
 * cannot be ended: with five of them it is half a second at worst, with seven half a minute.
 */
const MAX_OPEN = 5;

/** The rules that hold in a folder: its own, and those of the folders above it. */
export interface IgnoreRules {
  /** Whether they leave out what has a name in a folder. */
  leavesOut(folder: readonly string[], name: string, isFolder: boolean): boolean;
}

/**
 * The rules of a folder: those of the folders above it, and its own `.gitignore`, if it has one that can be read and is no link. The way to the
 * folder must be known to stand still.
 */
export type MakeRules = (
  within: Confinement,
  folder: readonly string[],
  above: IgnoreRules,
) => IgnoreRules;

/** The part of the package that is used. */
interface Matcher {
  add(rules: string | Matcher): Matcher;
  test(path: string): { readonly ignored: boolean; readonly unignored: boolean };
}

/** Loads what reads rules. When they have taken longer than `timeoutMs` in all, asking them throws. */
export async function loadIgnore(timeoutMs: number): Promise<MakeRules> {
  const { default: ignore } = await import("npm:ignore@7.0.17");
  const create = () => ignore({ ignorecase: false, allowRelativePaths: true }) as Matcher;
  let leftMs = timeoutMs;
  const spend = (began: number) => {
    leftMs -= performance.now() - began;
    if (leftMs < 0) throw tookTooLong(timeoutMs);
  };
  return (within, folder, above) => {
    const bytes = readSmallFile(within.full([...folder, ".gitignore"]), MAX_RULES_BYTES);
    if (bytes === undefined) return above;
    const text = withoutSlowRules(new TextDecoder().decode(bytes));
    const rules = create().add(text);
    const hint = ignoreHint(text);
    return rulesOf(folder.length, above, { create: () => create().add(rules), hint, spend });
  };
}

function tookTooLong(timeoutMs: number): Error {
  return new Error(
    `the rules of .gitignore took longer than ${timeoutMs} ms; all: true goes on without them`,
  );
}

/** What such a rule would leave out is found. */
function withoutSlowRules(rules: string): string {
  const isSlow = (line: string) => line.split("**").length - 1 > MAX_OPEN;
  return rules.split("\n").filter((line) => !isSlow(line)).join("\n");
}

function rulesOf(
  depth: number,
  above: IgnoreRules,
  { create, hint, spend }: {
    readonly create: () => Matcher;
    /** What a path matches that a rule is about; without it each is asked about. */
    readonly hint: RegExp | undefined;
    readonly spend: (began: number) => void;
  },
): IgnoreRules {
  let matcher: Matcher | undefined;
  let asked = 0;
  let lastFolder: readonly string[] | undefined;
  let path = "";
  return {
    leavesOut(folder, name, isFolder) {
      if (folder !== lastFolder) path = folder.slice(depth).map((one) => `${one}/`).join("");
      lastFolder = folder;
      if (hint?.test(path + name) === false) return above.leavesOut(folder, name, isFolder);
      const began = performance.now();
      if (asked++ % REMEMBERED === 0) matcher = undefined;
      matcher ??= create();
      const verdict = matcher.test(`${path}${name}${isFolder ? "/" : ""}`);
      spend(began);
      return verdict.ignored || (!verdict.unignored && above.leavesOut(folder, name, isFolder));
    },
  };
}
