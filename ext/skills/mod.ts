/**
 * Skills of a project: folders with a `SKILL.md`, in the public Agent Skills format. Each costs one line of the prompt; the text, and the files
 * beside it, are there when a script asks for them.
 *
 * @example
 * ```ts
 * import { DefaultSandboxBuilder } from "@agentloop/core";
 * import { loadSkills, skillCapabilities } from "@agentloop/core/ext/skills";
 *
 * const { skills, warnings } = await loadSkills({ root: "." });
 * for (const { file, line, message } of warnings) console.error(`${file}:${line ?? 1}: ${message}`);
 * await using sandboxBuilder = new DefaultSandboxBuilder({
 *   capabilities: skillCapabilities(skills),
 * });
 * ```
 *
 * @module
 */
export { loadSkills, type LoadSkillsOptions } from "./load_skills.ts";
export type { LoadedSkills, Skill, SkillWarning } from "./skill.ts";
export { skillCapabilities } from "./skill_capabilities.ts";
