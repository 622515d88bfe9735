/**
 * What a run would find in the project: the folder and the checkout that it lies in. Reads names only, and nothing that is not permitted.
 */
import { dirname, join } from "node:path";
import type { CliOptions } from "../option_table.ts";
import { isGranted } from "../permission.ts";
import { reasonOf } from "../text_input.ts";
import type { CheckResult } from "./checks.ts";

/** The checks one after the other. */
export async function* checkProject(options: Pick<CliOptions, "cwd">): AsyncGenerator<CheckResult> {
  yield await checkFolder(options.cwd ?? ".");
}

async function checkFolder(cwd: string): Promise<CheckResult> {
  const name = "project";
  if (!isGranted({ name: "read", path: cwd })) {
    return { name, state: "skipped", detail: `${cwd} may not be read`, data: { cwd } };
  }
  try {
    const folder = await Deno.realPath(cwd);
    if (!(await Deno.stat(folder)).isDirectory) {
      return { name, state: "failed", detail: `${cwd} is no folder`, data: { cwd } };
    }
    const { root, seen } = await findCheckout(folder);
    const git = root !== undefined
      ? `in the git checkout ${root === folder ? "that it is" : root}`
      : seen
      ? "no git checkout"
      : "whether it lies in a git checkout may not be looked at";
    return {
      name,
      state: "ok",
      detail: `${folder}, ${git}`,
      data: {
        cwd: folder,
        root: root ?? folder,
        git: root !== undefined ? true : seen ? false : null,
      },
    };
  } catch (error) {
    return { name, state: "failed", detail: `${cwd}: ${reasonOf(error)}`, data: { cwd } };
  }
}

/** The nearest folder upward that holds `.git`; `seen` tells whether every folder could be looked at. */
async function findCheckout(
  folder: string,
): Promise<{ readonly root: string | undefined; readonly seen: boolean }> {
  for (let at = folder;; at = dirname(at)) {
    const path = join(at, ".git");
    if (!isGranted({ name: "read", path })) return { root: undefined, seen: false };
    if (await Deno.lstat(path).then(() => true, () => false)) return { root: at, seen: true };
    if (dirname(at) === at) return { root: undefined, seen: true };
  }
}
