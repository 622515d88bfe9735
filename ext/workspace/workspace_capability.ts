/** The capability: functions for the files of one folder, with the declarations that a model gets. */
import { lstatSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { refuseUnknown } from "../../contracts/known_names.ts";
import type { Capability, Pack } from "../../contracts/sandbox.ts";
import { Confinement } from "./confinement.ts";
import { readFunctions } from "./read_functions.ts";
import { writeFunctions } from "./write_functions.ts";

/** Options of {@linkcode workspaceCapability}. */
export interface WorkspaceOptions {
  /** The folder that everything is confined to. It may be given by a link; what it leads to when a run begins is what counts. */
  readonly root: string;
  /** Bytes that one `readFile` returns at most; a script can ask for less. @default 5_242_880 (5 MiB): fits a call's result in base64, too */
  readonly maxReadBytes?: number;
  /** Time that the matching of one `glob` or `grep` may take, in ms. @default 5_000 */
  readonly matchTimeoutMs?: number;
  /** Leave `writeFile` and `editFile` out. @default false */
  readonly readOnly?: boolean;
  /** Paths of files in the folder that scripts are to know nothing of, there or not: those of the program itself, such as its database. @default none */
  readonly withheld?: readonly string[];
}

const OPTIONS: Readonly<Record<keyof WorkspaceOptions, true>> = {
  root: true,
  maxReadBytes: true,
  matchTimeoutMs: true,
  readOnly: true,
  withheld: true,
};

const PROMPT_READ = `// Files below one root, paths relative to it. all: also what .gitignore names.
declare function readFile(path: string, o?: { from?: number; to?: number /* lines, from 1 */; encoding?: "base64"; maxBytes?: number }): string;
declare function listDir(path?: string): { name: string; kind: "file" | "dir" | "link" | "other" }[];
declare function glob(pattern: string, o?: { all?: boolean }): string[]; // "src/**/*.ts"
declare function grep(regex: string, o?: { literal?: boolean; path?: string; glob?: string; context?: number; max?: number; ignoreCase?: boolean; all?: boolean }): { matches: { path: string; line: number; text: string; before?: string[]; after?: string[] }[]; truncated: boolean };`;

const PROMPT_WRITE = `declare function writeFile(path: string, text: string): { created: boolean };
declare function editFile(path: string, target: string /* stands there exactly once */, replacement: string): { line: number };`;

/**
 * Lets scripts read, list, search and change the files of one folder, and nothing outside of it: no `..`, no link that leads out, no devices,
 * no `.git`. Changes count as consequences, so that a policy asks about them, with a diff to look at.
 *
 * Building fails when the root is no folder. The program needs permission to read that folder and, unless it is read-only, to write it.
 *
 * @throws {TypeError} when the root is no text, or empty, or there is no such option. @throws {RangeError} when a limit is no positive whole number.
 */
export function workspaceCapability(options: WorkspaceOptions): Capability {
  refuseUnknown("workspaceCapability", options, OPTIONS);
  const { root, maxReadBytes = 5 * 1024 * 1024, matchTimeoutMs = 5_000, readOnly = false } =
    options;
  const { withheld = [] } = options;
  if (typeof root !== "string" || root === "") {
    throw new TypeError("workspaceCapability: root must be the path of a folder");
  }
  for (const [name, value] of Object.entries({ maxReadBytes, matchTimeoutMs })) {
    if (Number.isSafeInteger(value) && value > 0) continue;
    throw new RangeError(`workspaceCapability: ${name} must be a positive whole number`);
  }
  return {
    name: "workspace",
    description: "files of one folder: read, list, search, write, edit",
    build: async (): Promise<Pack[]> => {
      const within = new Confinement(await realFolder(root), await realPaths(withheld));
      return [{
        name: "workspace",
        prompt: readOnly ? PROMPT_READ : `${PROMPT_READ}\n${PROMPT_WRITE}`,
        functions: [
          ...readFunctions(within, { maxReadBytes, matchTimeoutMs }),
          ...(readOnly ? [] : writeFunctions(within)),
        ],
      }];
    },
  };
}

/** Where files lie, all links followed; those of one that is not there yet, but for its own name. */
async function realPaths(paths: readonly string[]): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const path of paths) {
    const real = await Deno.realPath(path).catch(() => undefined);
    const folder = await Deno.realPath(dirname(path)).catch(() => undefined);
    if (real !== undefined) found.add(real);
    if (folder !== undefined) found.add(join(folder, basename(path)));
  }
  return found;
}

/** The folder itself, all links followed. What is wrong is said to the program's owner, so with the path. */
async function realFolder(root: string): Promise<string> {
  let real: string;
  try {
    real = await Deno.realPath(root);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`the workspace ${root} cannot be used: ${why}`, { cause: error });
  }
  if (lstatSync(real).isDirectory()) return real;
  throw new Error(`the workspace ${root} is no folder; root must name one`);
}
