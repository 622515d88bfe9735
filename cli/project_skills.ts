/**
 * The skills of the project that a run is in. Loaded beside everything else that a run needs, so that they hold nothing up.
 */
import type { Capability } from "../contracts/sandbox.ts";
import { loadSkills, skillCapabilities, type SkillWarning } from "../ext/skills/mod.ts";
import { messageOf, usageError } from "./failure.ts";
import type { CliOptions } from "./option_table.ts";
import { repositoryRoot } from "./repository_root.ts";
import type { Status } from "./status.ts";
import { oneLine } from "./terminal_text.ts";

/** Below so many tokens of window skills come only where their folder is named: a catalogue may take 3,000. */
const SMALL_WINDOW = 4096;

/** Warnings that are printed: a folder that is no folder of skills may give hundreds. */
const SHOWN_WARNINGS = 10;

/**
 * A capability for each skill of the project, found at the root of the checkout that `--cwd` lies in. None without permission to read it.
 *
 * @throws {CliError} `usage` when a folder is named that does not lie below the root.
 */
export async function projectSkills(
  options: Pick<CliOptions, "cwd" | "noSkills" | "skillsDir" | "contextWindow">,
  status: Pick<Status, "warning">,
): Promise<Capability[]> {
  const { cwd = ".", noSkills, skillsDir: dirs, contextWindow = Infinity } = options;
  if (noSkills || (contextWindow < SMALL_WINDOW && dirs === undefined)) return [];
  const root = repositoryRoot(cwd);
  // That a folder is none, or may not be read, is told by what cannot do without.
  if (root === undefined) return [];
  const { skills, warnings } = await loadSkills({ root, ...(dirs && { dirs }) })
    .catch((error) => {
      throw error instanceof RangeError ? usageError(`--skills-dir: ${messageOf(error)}`) : error;
    });
  for (const warning of warnings.slice(0, SHOWN_WARNINGS)) status.warning(textOf(warning));
  const more = warnings.length - SHOWN_WARNINGS;
  if (more > 0) status.warning(`skills: ${more} more warnings`);
  return skillCapabilities(skills);
}

function textOf({ file, line, message }: SkillWarning): string {
  return oneLine(`${file}${line === undefined ? "" : `:${line}`}: ${message}`, 500);
}
