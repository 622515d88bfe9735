/**
 * Makes a skill of a header and a text: which keys there must be, and what they must look like. Where a file breaks the letter of the format in a way
 * that changes nothing, it is used and a note says so. What restricts a skill is understood or the skill is refused.
 */
import type { JsonValue } from "../../contracts/json.ts";
import { type FrontMatter, FrontMatterProblem, type LineNote } from "./front_matter.ts";
import { quoted } from "./plain_text.ts";
import type { Skill } from "./skill.ts";
import { isSkillName, skillNameOf } from "./skill_names.ts";

/** Characters of a description, as the format has it. */
const DESCRIPTION_CHARACTERS = 1024;

/** Where a skill was found. */
export interface SkillPlace {
  /** Its folder below the root. */
  readonly folder: string;
  /** Its folder on this machine, links resolved. */
  readonly path: string;
  /** Names of the folder: as it was found, and where a link leads. */
  readonly folderNames: readonly [string, ...string[]];
  /** Names that it must not have, in lower case. */
  readonly taken: ReadonlySet<string>;
}

/** A skill, and what there is to say about its file. */
export interface ReadSkill {
  /** The skill. */
  readonly skill: Skill;
  /** What there is to say. */
  readonly notes: readonly LineNote[];
}

/**
 * Reads a skill.
 *
 * @throws {FrontMatterProblem} when it must not be used.
 */
export function readSkill(matter: FrontMatter, place: SkillPlace): ReadSkill {
  const { header, lines, body } = matter;
  const notes = [...matter.notes];
  refuseHidden(matter);
  const description = textOf(header.description);
  if (description === undefined) {
    throw new FrontMatterProblem(
      "there must be a description, as text",
      lines.get("description") ?? 1,
    );
  }
  if (description.length > DESCRIPTION_CHARACTERS) {
    notes.push({
      ...lineOf(lines, "description"),
      message:
        `the description has ${description.length} characters, the format allows ${DESCRIPTION_CHARACTERS}; it was used whole`,
    });
  }
  const named = readName(matter, place);
  if (named.note !== undefined) notes.push(named.note);
  const license = textOf(header.license);
  const compatibility = textOf(header.compatibility);
  const allowedTools = readTools(matter);
  const skill: Skill = {
    name: named.name,
    description,
    ...(license === undefined ? {} : { license }),
    ...(compatibility === undefined ? {} : { compatibility }),
    ...(allowedTools === undefined ? {} : { allowedTools }),
    header,
    body,
    folder: place.folder,
    path: place.path,
  };
  return { skill, notes };
}

/** The name of the header; where it is none, one made of it or of the folder's. */
function readName(
  { header, lines }: FrontMatter,
  { folderNames, taken }: SkillPlace,
): { readonly name: string; readonly note?: LineNote } {
  const given = textOf(header.name);
  const [folderName] = folderNames;
  const line = lineOf(lines, "name");
  const name = given !== undefined && isSkillName(given)
    ? given
    : [given ?? "", folderName].map(skillNameOf).find(isSkillName);
  for (const candidate of [given, name]) {
    if (candidate !== undefined && taken.has(candidate.toLowerCase())) {
      throw new FrontMatterProblem(`the name ${quoted(candidate)} is taken`, line.line ?? 1);
    }
  }
  if (name === given && name !== undefined) {
    if (folderNames.includes(name)) return { name };
    const message = `it is named ${quoted(name)} and lies in ${
      quoted(folderName)
    }; the first counts`;
    return { name, note: { ...line, message } };
  }
  const wrong = given === undefined
    ? "there is no name"
    : `the name ${quoted(given)} is not of lower-case letters, digits and hyphens (64 at most)`;
  if (name === undefined) throw new FrontMatterProblem(wrong, line.line ?? 1);
  return { name, note: { ...line, message: `${wrong}; it is known as ${quoted(name)}` } };
}

/** The tools that the header names. Other spellings of the key are the same restriction. */
function readTools({ header, lines }: FrontMatter): readonly string[] | undefined {
  const keys = Object.keys(header).filter((key) => folded(key) === "allowedtools");
  const [key, second] = keys;
  if (key === undefined) return undefined;
  const line = lines.get(second ?? key) ?? 1;
  if (second !== undefined) {
    throw new FrontMatterProblem(`${quoted(key)} and ${quoted(second)} mean the same`, line);
  }
  const value = header[key];
  const entries = typeof value === "string" ? [value] : value;
  if (Array.isArray(entries)) {
    const tools = entries.map((entry) => typeof entry === "string" ? splitTools(entry) : undefined);
    if (tools.every((some) => some !== undefined)) return tools.flat();
  }
  throw new FrontMatterProblem(
    `${quoted(key)} must be names of tools, parted by blanks or commas, or a list of them`,
    line,
  );
}

/** `Bash(git log:*), Read` has two: what stands in parentheses belongs together. Nothing when they do not match. */
function splitTools(text: string): readonly string[] | undefined {
  const tools: string[] = [];
  let depth = 0;
  let tool = "";
  for (const character of text) {
    if (character === "(") depth++;
    if (character === ")" && --depth < 0) return undefined;
    if (depth === 0 && /[\s,]/.test(character)) {
      if (tool !== "") tools.push(tool);
      tool = "";
    } else tool += character;
  }
  if (tool !== "") tools.push(tool);
  return depth === 0 ? tools : undefined;
}

/** A skill that models must not start by themselves cannot be used at all: here only models use skills. */
function refuseHidden({ header, lines }: FrontMatter): void {
  for (const [key, value] of Object.entries(header)) {
    if (folded(key) !== "disablemodelinvocation") continue;
    if (typeof value === "string" && /^(?:false|no|off|0|)$/i.test(value)) continue;
    throw new FrontMatterProblem(`${quoted(key)} keeps models from using it`, lines.get(key) ?? 1);
  }
}

function folded(key: string): string {
  return key.toLowerCase().replace(/[^a-z]/g, "");
}

function textOf(value: JsonValue | undefined): string | undefined {
  const text = typeof value === "string" ? value.trim() : "";
  return text === "" ? undefined : text;
}

function lineOf(lines: ReadonlyMap<string, number>, key: string): { readonly line?: number } {
  const line = lines.get(key);
  return line === undefined ? {} : { line };
}
