/** Which names a skill may have. Pure. */

/** Characters of a name, as the format has it. */
const NAME_CHARACTERS = 64;

/**
 * Names of functions, modules and documents that come with this package: a skill of that name would stand in their place when a model looks for
 * their documentation. A test holds the list to what there is.
 */
const BUILT_IN: readonly string[] = [
  ...["answer", "console", "log", "run", "sleep"],
  ...["require", "help", "skillList", "skillGet"],
  ...["fetch", "http", "htmlToMarkdown", "markdown", "ai", "aiJSON"],
  ...["readFile", "listDir", "glob", "grep", "writeFile", "editFile"],
  ...["exec", "projectList", "projectGet", "secret"],
];

/** Whether a name is one of the format: lower-case letters, digits and single hyphens between them. */
export function isSkillName(name: string): boolean {
  return name.length <= NAME_CHARACTERS && /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name);
}

/** A name made of one that is none: lower case, hyphens for what may not be in it. May still be none. */
export function skillNameOf(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
}

/** The names that no skill may have, in lower case: those of this package, and others. */
export function takenNames(others: readonly string[]): ReadonlySet<string> {
  return new Set([...BUILT_IN, ...others].map((name) => name.toLowerCase()));
}
