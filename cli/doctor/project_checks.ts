/**
 * What a run would find in the project: the folder and the checkout that it lies in, instructions, skills. Reads nothing that is not permitted.
 */
import { join, parse } from "node:path";
import { loadProject } from "../../ext/project/mod.ts";
import { loadSkills } from "../../ext/skills/mod.ts";
import { messageOf } from "../failure.ts";
import type { CliOptions } from "../option_table.ts";
import { pathExists } from "../path_exists.ts";
import { isGranted } from "../permission.ts";
import { repositoryRoot } from "../repository_root.ts";
import { reasonOf } from "../text_input.ts";
import { countOf, formatBytes } from "../units.ts";
import type { CheckResult } from "./checks.ts";

/** What the checks depend on. */
type ProjectOptions = Pick<CliOptions, "cwd" | "skillsDir">;

/** The checks one after the other. Where the folder cannot be used there is nothing to look for in it. */
export async function* checkProject(options: ProjectOptions): AsyncGenerator<CheckResult> {
  const cwd = options.cwd ?? ".";
  const folder = await checkFolder(cwd);
  yield folder;
  const root = repositoryRoot(cwd);
  if (folder.state !== "ok" || root === undefined) return;
  yield await checkInstructions(cwd);
  yield await checkSkills(root, options.skillsDir);
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
    const root = repositoryRoot(folder) ?? folder;
    const git = isCheckout(root);
    return {
      name,
      state: "ok",
      detail: `${folder}, ${gitText({ git, root, folder })}`,
      data: { cwd: folder, root, git: git ?? null },
    };
  } catch (error) {
    return { name, state: "failed", detail: `${cwd}: ${reasonOf(error)}`, data: { cwd } };
  }
}

/** Whether a folder is the root of a checkout; nothing where the folders above it may not be looked at. */
function isCheckout(root: string): boolean | undefined {
  const path = join(root, ".git");
  if (isGranted({ name: "read", path }) && pathExists(path)) return true;
  return isGranted({ name: "read", path: join(parse(root).root, ".git") }) ? false : undefined;
}

function gitText(
  { git, root, folder }: {
    readonly git: boolean | undefined;
    readonly root: string;
    readonly folder: string;
  },
): string {
  switch (git) {
    case true:
      return root === folder ? "a git checkout" : `in the git checkout ${root}`;
    case false:
      return "no git checkout";
    case undefined:
      return "whether it lies in a git checkout may not be looked at";
  }
}

async function checkInstructions(cwd: string): Promise<CheckResult> {
  const { documents, warnings } = await loadProject({ cwd });
  const found = documents.map(({ name, bytes }) => `${name} (${formatBytes(bytes)})`);
  return foundCheck("AGENTS.md", {
    found: found.length === 0 ? "none" : found.join(", "),
    warnings,
    data: { files: documents.map(({ name, bytes }) => ({ name, bytes })) },
  });
}

async function checkSkills(
  root: string,
  dirs: readonly string[] | undefined,
): Promise<CheckResult> {
  try {
    const { skills, warnings } = await loadSkills({ root, ...(dirs && { dirs }) });
    const names = skills.map((skill) => skill.name);
    return foundCheck("skills", {
      found: names.length === 0 ? "none" : names.join(", "),
      warnings: warnings.map(({ file, line, message }) =>
        `${file}${line === undefined ? "" : `:${line}`}: ${message}`
      ),
      data: { skills: names },
    });
  } catch (error) {
    return { name: "skills", state: "failed", detail: messageOf(error) };
  }
}

/** What was found, and the first of what is wrong with it. */
function foundCheck(
  name: string,
  { found, warnings, data }: {
    readonly found: string;
    readonly warnings: readonly string[];
    readonly data: NonNullable<CheckResult["data"]>;
  },
): CheckResult {
  const [first] = warnings;
  return {
    name,
    state: first === undefined ? "ok" : "warning",
    detail: first === undefined
      ? found
      : `${found}; ${countOf(warnings.length, "warning")}: ${first}`,
    data: { ...data, warnings: [...warnings] },
  };
}
