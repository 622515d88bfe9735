/**
 * The files that `init` writes: a config file that sets nothing and shows every key, and a skill that says how to write skills. Pure.
 */
import { OPTIONS, type OptionSpec } from "../option_table.ts";
import { OPTION_USES, type OptionUse } from "../option_use.ts";
import { configKey } from "./config_key.ts";

/** A file of a project. */
export interface StarterFile {
  /** Its path from the project's folder, with slashes. */
  readonly path: string;
  /** What stands in it. */
  readonly text: string;
}

/** The files, the config file first. */
export function starterFiles(): readonly StarterFile[] {
  return [
    { path: ".agentloop/config.json", text: starterConfig() },
    { path: ".agentloop/skills/example/SKILL.md", text: EXAMPLE_SKILL },
  ];
}

function starterConfig(): string {
  return [
    "// Options for everybody who uses agentloop in this project; JSON with comments.",
    "// The command line beats this file, and this file beats the environment. Paths start at the folder that",
    "// holds .agentloop. Take the slashes in front of what you want to set.",
    "//",
    "// What is marked with (trust) counts once you have run: agentloop trust",
    "// An API key does not belong here, but into the environment: OPENAI_API_KEY",
    "{",
    ...OPTIONS.flatMap((spec) => linesOf(spec, OPTION_USES[spec.field])),
    "}",
    "",
  ].join("\n");
}

function linesOf(spec: OptionSpec, use: OptionUse): string[] {
  if (use.sample === undefined) return [];
  const mark = use.inFile === "trusted" ? " (trust)" : "";
  return [
    `  // ${spec.help}${mark}`,
    `  // ${JSON.stringify(configKey(spec))}: ${valueText(use.sample)},`,
    "",
  ];
}

function valueText(value: NonNullable<OptionUse["sample"]>): string {
  return typeof value === "object"
    ? `[${value.map((entry) => JSON.stringify(entry)).join(", ")}]`
    : JSON.stringify(value);
}

const EXAMPLE_SKILL = `---
name: example
description: How to write a skill for this project. Use it when asked to add or change a skill.
---

# Writing a skill

A skill is a folder in \`.agentloop/skills/\` with a file \`SKILL.md\`. Its name and description are in
every prompt; the rest is read only when it is needed.

1. Name the folder in small letters and dashes, and give the same \`name\` at the head of \`SKILL.md\`.
2. Write the \`description\` for whoever has to decide whether to read on: what the skill does, and
   when to use it.
3. Below, say how the work is done here: the steps in their order, the commands with their options,
   how to tell that it worked, and what went wrong before.
4. Keep it under a few hundred lines. What is needed only now and then goes into files beside
   \`SKILL.md\`, named in the text with what is in them.

Leave out what everybody knows. Say why wherever a rule looks odd.
`;
