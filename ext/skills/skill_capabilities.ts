/** What scripts have of skills: a line of the prompt for each, and its text and files behind `skillGet`. */
import type { Capability, Pack } from "../../contracts/sandbox.ts";
import type { JsonValue } from "../../contracts/json.ts";
import { cutLine, plainLine } from "./plain_text.ts";
import type { Skill } from "./skill.ts";
import { skillFiles } from "./skill_files.ts";

/** Characters that the descriptions of all skills together may take in the prompt, about 2,000 tokens, as long as each has its least. */
const CATALOGUE_CHARACTERS = 8_000;
/** What a description gets at least and at most. A hundred is a sentence; few say in more than 300 what they are for. */
const LEAST_CHARACTERS = 80;
const MOST_CHARACTERS = 300;

/**
 * A capability for each skill, named `skill:NAME`, so that one can be left out. It adds one line to the prompt; `skillGet(NAME)` gives the text,
 * `skillGet(NAME, path)` a file beside it, `skillList()` the whole description.
 *
 * A skill gives a model words and nothing else: what its header allows is shown, and grants nothing.
 *
 * @throws {TypeError} when it is given no list.
 */
export function skillCapabilities(skills: readonly Skill[]): Capability[] {
  if (!Array.isArray(skills)) {
    throw new TypeError(
      "skillCapabilities: expected a list of skills: the skills of what loadSkills gives",
    );
  }
  const share = Math.floor(CATALOGUE_CHARACTERS / Math.max(1, skills.length));
  const maxCharacters = Math.min(MOST_CHARACTERS, Math.max(LEAST_CHARACTERS, share));
  return skills.map((skill) => {
    const description = plainLine(skill.description);
    return {
      name: `skill:${skill.name}`,
      description: cutLine(description, MOST_CHARACTERS),
      build: (): Pack[] => [{
        name: `skill:${skill.name}`,
        prompt: `// skillGet("${skill.name}"): ${cutLine(description, maxCharacters)}`,
        functions: [],
        documents: [{
          name: skill.name,
          description,
          text: textOf(skill),
          files: skillFiles(skill),
        }],
      }],
    };
  });
}

/** The text, under what the header says about its use. */
function textOf({ name, folder, compatibility, allowedTools, header, body }: Skill): string {
  const refused = Object.entries(header).filter(([key]) => /^disallowed[-_]?tools$/i.test(key));
  const lines = [
    `skill ${name}, in ${plainLine(folder)} of the project`,
    ...(compatibility === undefined ? [] : [`compatibility: ${plainLine(compatibility)}`]),
    ...(allowedTools === undefined ? [] : [
      `allowed-tools (bounds what is done for this skill, grants nothing): ${
        plainLine(allowedTools.join(", ")) || "none"
      }`,
    ]),
    ...refused.map(([key, value]) => `${plainLine(key)}: ${plainLine(listed(value))}`),
  ];
  return `[${lines.join("]\n[")}]\n\n${body}`;
}

function listed(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
