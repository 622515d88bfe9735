/** The files beside a `SKILL.md`: listed and read when a script asks, and never outside of the skill's folder. */
import { join, sep } from "node:path";
import type { DocumentFiles } from "../../contracts/sandbox.ts";
import { readConfined, reasonOf } from "./confined_file.ts";
import { plainLine, quoted } from "./plain_text.ts";
import type { Skill } from "./skill.ts";

/** Bytes of a file that a script may have. */
const MAX_FILE_BYTES = 1024 * 1024;

/** Entries that one listing looks at, and how deep it goes. */
const MAX_ENTRIES = 2000;
const MAX_DEPTH = 6;

/** Folders that hold no files of a skill. Whatever begins with a dot is left out too. */
const SKIPPED = new Set(["node_modules", "__pycache__"]);

/** The files beside a skill. */
export function skillFiles(skill: Pick<Skill, "name" | "path" | "folder">): DocumentFiles {
  const { name, path } = skill;
  return {
    list: () => listFiles(path),
    read: async (asked) => await readFile({ name, root: rootOf(skill), folder: path, asked }),
  };
}

/** The project, where the skill lies in it as it was found: then all of the way there can be watched. By a link, the skill's folder alone. */
function rootOf({ path, folder }: Pick<Skill, "path" | "folder">): string {
  const end = sep + folder.split("/").join(sep);
  return path.endsWith(end) ? path.slice(0, -end.length) : path;
}

async function readFile(
  { name, root, folder, asked }: {
    readonly name: string;
    readonly root: string;
    readonly folder: string;
    readonly asked: string;
  },
): Promise<string> {
  const refused = new Error(`${quoted(asked)} is outside of the skill's folder or no regular file`);
  const names = asked.split("/").filter((part) => part !== "" && part !== ".");
  const isPlain = names.length > 0 && !names.includes("..") && !asked.startsWith("/") &&
    !asked.includes("\0") && asked.isWellFormed() && !(sep === "\\" && /[\\:]/.test(asked));
  if (!isPlain) throw refused;
  const read = await readConfined(root, {
    path: join(folder, ...names),
    maxBytes: MAX_FILE_BYTES,
    folder,
  });
  switch (read.kind) {
    case "text":
      return read.text;
    case "missing":
      throw new Error(
        `there is no file ${quoted(asked)} beside ${quoted(name)}; skillGet(${
          quoted(name)
        }) lists what there is`,
      );
    case "refused":
      throw refused;
    case "large":
      throw new Error(
        `${quoted(asked)} has ${read.bytes} bytes or more; the limit is ${MAX_FILE_BYTES}`,
      );
    case "binary":
      throw new Error(`${quoted(asked)} is binary (${read.bytes} bytes), no text`);
    case "failed":
      throw new Error(`${quoted(asked)}: ${read.reason}`);
  }
}

/** Paths of the regular files; links are not followed, and names that cannot be shown as they are are left out. */
async function listFiles(folder: string): Promise<readonly string[]> {
  const files: string[] = [];
  const waiting: (readonly string[])[] = [[]];
  let looked = 0;
  for (let names = waiting.shift(); names !== undefined; names = waiting.shift()) {
    try {
      // The folder itself may have become a link since it was loaded.
      if (await Deno.realPath(join(folder, ...names)) !== join(folder, ...names)) continue;
      for await (const entry of Deno.readDir(join(folder, ...names))) {
        if (++looked > MAX_ENTRIES) return files.sort();
        const { name } = entry;
        if (name.startsWith(".") || SKIPPED.has(name) || name !== plainLine(name)) continue;
        if (entry.isDirectory && names.length < MAX_DEPTH) waiting.push([...names, name]);
        const path = [...names, name].join("/");
        if (entry.isFile && path !== "SKILL.md") files.push(path);
      }
    } catch (error) {
      // What cannot be listed may still be read.
      if (names.length === 0) files.push(`(not listed: ${reasonOf(error)})`);
    }
  }
  return files.sort();
}
