/** For the tests of skills: a project with files, and what lies beside it. */
import { type LoadedSkills, loadSkills, type LoadSkillsOptions } from "../../../ext/skills/mod.ts";

/** A project of its own, gone when it is disposed. */
export class Project implements AsyncDisposable {
  /** The folder that holds the project and what is outside. */
  readonly base: string;
  /** The project. */
  readonly root: string;

  private constructor(base: string) {
    this.base = base;
    this.root = `${base}/project`;
  }

  /** Makes one with these files, and `outside/SKILL.md` beside it. */
  static async open(files: Readonly<Record<string, string | Uint8Array>> = {}): Promise<Project> {
    const base = await Deno.realPath(await Deno.makeTempDir({ prefix: "skills_" }));
    const project = new Project(base);
    await Deno.mkdir(project.root);
    await Deno.mkdir(`${base}/outside/skill`, { recursive: true });
    await Deno.writeTextFile(`${base}/outside/skill/SKILL.md`, skillText("skill", "the secret"));
    await Deno.writeTextFile(`${base}/outside/secret.txt`, "the secret");
    for (const [path, content] of Object.entries(files)) await project.put(path, content);
    return project;
  }

  /** Makes one with these skills in the usual folder: their files' texts by their folders' names. */
  static async withSkills(texts: Readonly<Record<string, string | Uint8Array>>): Promise<Project> {
    return await Project.open(
      Object.fromEntries(Object.entries(texts).map(([name, text]) => [usual(name), text])),
    );
  }

  /** Writes a file. */
  async put(path: string, content: string | Uint8Array): Promise<void> {
    const full = `${this.root}/${path}`;
    await Deno.mkdir(full.slice(0, full.lastIndexOf("/")), { recursive: true });
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    await Deno.writeFile(full, bytes);
  }

  /** Runs a line of shell in the project: for links, pipes and the like. */
  async shell(line: string): Promise<void> {
    const command = new Deno.Command("sh", { args: ["-c", line], cwd: this.root, stdin: "null" });
    const { success, stderr } = await command.output();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
  }

  /** Loads its skills. */
  async load(options: Omit<LoadSkillsOptions, "root"> = {}): Promise<LoadedSkills> {
    return await loadSkills({ root: this.root, ...options });
  }

  /** Takes everything away. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.base, { recursive: true });
  }
}

/** Where a skill lies when no folder is named. */
export function usual(name: string): string {
  return `.agentloop/skills/${name}/SKILL.md`;
}

/** A skill's file. */
export function skillText(name: string, description: string, more = ""): string {
  return `---\nname: ${name}\ndescription: ${description}\n${more}---\nThe text of ${name}.\n`;
}

/** Warnings as lines, without the folder that all have. */
export function lines({ warnings }: LoadedSkills): readonly string[] {
  return warnings.map(({ file, line, message }) =>
    `${file.replace(".agentloop/skills/", "")}${line === undefined ? "" : `:${line}`}: ${message}`
  );
}
