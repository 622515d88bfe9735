/** What a skill is once it is loaded. Types only. */
import type { JsonValue } from "../../contracts/json.ts";

/** One skill. */
export interface Skill {
  /** Its name: lower-case letters, digits and single hyphens, 64 at most. */
  readonly name: string;
  /** What it does and when to use it, as written. */
  readonly description: string;
  /** Its license, or the file that holds it. */
  readonly license?: string;
  /** What it needs of its surroundings. */
  readonly compatibility?: string;
  /**
   * The tools that its header names, such as `Bash(git:*)`; absent when it names none. Shown to the model with the text, as a bound on what is done for the
   * skill. It grants nothing: whether a call may happen is the policy's to say.
   */
  readonly allowedTools?: readonly string[];
  /** Every key of the header, unknown ones too. Values are texts as written, lists and maps of them: `1.0` is `"1.0"`. */
  readonly header: { readonly [key: string]: JsonValue };
  /** The Markdown below the header, with line feeds, without blank lines around it. */
  readonly body: string;
  /** Its folder below the root, parted by slashes, as it was found. */
  readonly folder: string;
  /** Its folder on this machine: absolute, links resolved. */
  readonly path: string;
}

/** What was noticed of one file or folder. Paths and texts hold no control characters. */
export interface SkillWarning {
  /** The file or folder, below the root. */
  readonly file: string;
  /** The line in the file, from 1, where there is one to name. */
  readonly line?: number;
  /** What is wrong and what came of it, in one line. */
  readonly message: string;
}

/** The skills of a project. */
export interface LoadedSkills {
  /** Those that can be used, in the order of the folders and of their names. */
  readonly skills: readonly Skill[];
  /** What was noticed; a skill that was left out is always among it. */
  readonly warnings: readonly SkillWarning[];
}
