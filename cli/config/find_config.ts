/**
 * Finds and reads the config file of a project: the nearest `.agentloop/config.json` from a folder up to the root of its repository. What it says is left to
 * others. Asks for no permission: where the runtime may not read, there is no file.
 */
import { join, sep } from "node:path";
import { isGranted } from "../permission.ts";
import { projectFolders } from "../repository_root.ts";
import { reasonOf } from "../text_input.ts";
import { configError } from "./config_error.ts";

/** A config file that was found, and what stands in it. */
export interface ConfigFile {
  /** Its real path. */
  readonly path: string;
  /** The folder that holds `.agentloop`; relative paths in the file start here. */
  readonly project: string;
  /** The root of the repository; the project's folder where there is none. */
  readonly root: string;
  /** What stands in it. */
  readonly bytes: Uint8Array;
}

/**
 * Finds the config file for a folder. The nearest one is used, alone.
 *
 * @throws {CliError} `usage` when it is there and cannot be used: a file that narrows what scripts may do must not be passed over.
 */
export async function findConfig(folder: string = "."): Promise<ConfigFile | undefined> {
  const found = projectFolders(folder);
  if (found === undefined) return undefined;
  for (const project of found.folders) {
    const shown = join(project, ".agentloop", "config.json");
    if (!isGranted({ name: "read", path: shown })) return undefined;
    if (!isThere(shown)) continue;
    const path = realPathInside(shown, found.root);
    // The way to the file may be a link to what the runtime may not read.
    if (!isGranted({ name: "read", path })) return undefined;
    // Loads more of the runtime, which an invocation without a config file is not to wait for.
    const { readRegular } = await import("./read_regular.ts");
    return { path, project, root: found.root, bytes: readRegular(path) };
  }
  return undefined;
}

function isThere(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) {
      return false;
    }
    throw configError(
      path,
      error instanceof Deno.errors.FilesystemLoop
        ? noWay(error)
        : `it cannot be looked at: ${reasonOf(error)}`,
    );
  }
}

function realPathInside(path: string, root: string): string {
  let real: string;
  try {
    real = Deno.realPathSync(path);
  } catch (error) {
    throw configError(path, noWay(error));
  }
  const inside = root.endsWith(sep) ? root : root + sep;
  if (real.startsWith(inside)) return real;
  throw configError(path, `it is a link that leads out of the project, whose root is ${root}`);
}

function noWay(error: unknown): string {
  const isLoop = error instanceof Deno.errors.FilesystemLoop;
  return `it is a link that cannot be followed: ${
    isLoop ? "it leads to itself." : reasonOf(error)
  }`;
}
