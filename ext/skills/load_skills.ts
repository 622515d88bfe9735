/**
 * Finds the skills of a project: `<root>/.agentloop/skills/<name>/SKILL.md`. Nothing outside of the root is read, also through links. A file that is
 * bad is left out with a warning; the rest is used.
 */
import { lstatSync } from "node:fs";
import { basename, isAbsolute, join, sep } from "node:path";
import { isBelow, readConfined, reasonOf } from "./confined_file.ts";
import { FrontMatterProblem, readFrontMatter } from "./front_matter.ts";
import { plainLine, quoted } from "./plain_text.ts";
import { type ReadSkill, readSkill, type SkillPlace } from "./read_skill.ts";
import type { LoadedSkills, Skill, SkillWarning } from "./skill.ts";
import { takenNames } from "./skill_names.ts";

/** Options of {@linkcode loadSkills}. */
export interface LoadSkillsOptions {
  /** The project: an existing folder. It may be given by a link. */
  readonly root: string;
  /** Folders that hold skills, below the root, parted by slashes: `.claude/skills`, `.agents/skills`. @default [".agentloop/skills"] */
  readonly dirs?: readonly string[];
  /** Names that skills must not have beside those of this package: documents, modules and functions of your own packs. @default none */
  readonly taken?: readonly string[];
}

/** Where skills lie when nothing is named. */
const DEFAULT_DIR = ".agentloop/skills";

/** Bytes of a `SKILL.md`: fourteen times the largest that was seen. */
const MAX_FILE_BYTES = 1024 * 1024;

/** Entries of a folder that are looked at. */
const MAX_ENTRIES = 1000;

/** What has been found so far. */
interface Finding {
  readonly root: string;
  readonly taken: ReadonlySet<string>;
  readonly skills: Map<string, Skill>;
  readonly warnings: SkillWarning[];
  /** Real folders that were read: a second way to one is no second skill. */
  readonly seen: Set<string>;
}

/**
 * Loads the skills of a project. The program needs permission to read the root; where that was not granted there are none, and nobody is asked for it.
 *
 * @throws {TypeError} when the root is no text.
 * @throws {RangeError} when a folder is named that does not lie below the root. Rejects when the root is no folder.
 */
export async function loadSkills(options: LoadSkillsOptions): Promise<LoadedSkills> {
  const { root, dirs, taken = [] } = options;
  if (typeof root !== "string" || root === "") {
    throw new TypeError("loadSkills: root must be the path of a folder");
  }
  const folders = (dirs ?? [DEFAULT_DIR]).map(checkedDir);
  const finding: Finding = {
    root: "",
    taken: takenNames(taken),
    skills: new Map(),
    warnings: [],
    seen: new Set(),
  };
  if (Deno.permissions.querySync({ name: "read", path: root }).state === "granted") {
    const real = await realFolder(root);
    for (const folder of folders) {
      await searchFolder(folder, { ...finding, root: real }, dirs !== undefined);
    }
  } else if (dirs !== undefined) {
    const message = "it was not looked at, since the program may not read the project";
    finding.warnings.push(...folders.map((folder) => ({ file: plainLine(folder), message })));
  }
  return { skills: [...finding.skills.values()], warnings: finding.warnings };
}

/** The folder as plain names below the root. */
function checkedDir(dir: string): string {
  const names = dir.split(sep === "\\" ? /[\\/]/ : "/").filter((name) =>
    name !== "" && name !== "."
  );
  const leadsOut = isAbsolute(dir) || dir.startsWith("/") || names.includes("..");
  if (!leadsOut && names.length > 0 && !dir.includes("\0")) return names.join("/");
  throw new RangeError(
    `the folder for skills must lie below the project's root, such as ".claude/skills"; it is ${
      quoted(dir)
    }`,
  );
}

async function realFolder(root: string): Promise<string> {
  const real = await Deno.realPath(root).catch((error) => {
    throw new Error(`the project ${root} cannot be used: ${reasonOf(error)}`, { cause: error });
  });
  if (lstatSync(real).isDirectory()) return real;
  throw new Error(`the project ${root} is no folder; root must name one`);
}

async function searchFolder(folder: string, finding: Finding, isNamed: boolean): Promise<void> {
  const warn = (message: string) =>
    void finding.warnings.push({ file: plainLine(folder), message });
  try {
    const real = await Deno.realPath(join(finding.root, folder));
    if (!isBelow(finding.root, real)) return warn("it leads out of the project; left out");
    const names: string[] = [];
    for await (const { name, isFile } of Deno.readDir(real)) {
      if (isFile || name.startsWith(".")) continue;
      if (names.length === MAX_ENTRIES) {
        warn(`it holds more than ${MAX_ENTRIES} folders; the rest is left out`);
        break;
      }
      names.push(name);
    }
    for (const name of names.sort()) {
      await searchSkill({ name, folder: `${folder}/${name}`, path: join(real, name) }, finding);
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) {
      return warn(`it was not read: ${reasonOf(error)}`);
    }
    if (isNamed) warn("there is no such folder");
  }
}

async function searchSkill(
  { name, folder, path }: { readonly name: string; readonly folder: string; readonly path: string },
  finding: Finding,
): Promise<void> {
  const file = plainLine(`${folder}/SKILL.md`);
  const warn = (message: string, line?: number) =>
    void finding.warnings.push({
      file,
      ...(line === undefined ? {} : { line }),
      message: plainLine(message),
    });
  const real = await Deno.realPath(path).catch(() => undefined);
  // A link to nowhere is no skill.
  if (real === undefined || finding.seen.has(real)) return;
  if (!isBelow(finding.root, real)) return warn("it leads out of the project; left out");
  finding.seen.add(real);
  const text = await readSkillFile(real, { root: finding.root, warn });
  if (text === undefined) return;
  const folderNames: SkillPlace["folderNames"] = [name, basename(real)];
  let found: ReadSkill;
  try {
    const matter = await readFrontMatter(text);
    found = readSkill(matter, { folder, path: real, folderNames, taken: finding.taken });
  } catch (error) {
    if (!(error instanceof FrontMatterProblem)) throw error;
    return warn(`${error.message}; left out`, error.line);
  }
  const { skill, notes } = found;
  const other = finding.skills.get(skill.name);
  if (other !== undefined) {
    return warn(`there is a skill ${quoted(skill.name)} in ${quoted(other.folder)}; left out`);
  }
  for (const note of notes) warn(note.message, note.line);
  finding.skills.set(skill.name, skill);
}

/** The text of a folder's `SKILL.md`; nothing when there is none, or none that can be used. */
async function readSkillFile(
  folder: string,
  { root, warn }: { readonly root: string; readonly warn: (message: string) => void },
): Promise<string | undefined> {
  const read = await readConfined(root, {
    path: join(folder, "SKILL.md"),
    maxBytes: MAX_FILE_BYTES,
  });
  switch (read.kind) {
    case "text":
      return read.text;
    case "missing":
      return undefined;
    case "refused":
      warn("it leads out of the project or is no regular file; left out");
      return undefined;
    case "large":
      warn(`it is larger than ${MAX_FILE_BYTES} bytes; left out`);
      return undefined;
    case "binary":
      warn("it is no UTF-8 text; left out");
      return undefined;
    case "failed":
      warn(`${read.reason}; left out`);
      return undefined;
  }
}
