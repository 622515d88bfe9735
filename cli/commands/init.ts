/**
 * `init`: writes a commented config file and an example skill. Never writes over anything, and never outside of the project.
 */
import { join, sep } from "node:path";
import type { CommandContext, Outcome } from "../command.ts";
import { findConfig } from "../config/find_config.ts";
import { type StarterFile, starterFiles } from "../config/starter_files.ts";
import { mayRecordTrust, recordTrust } from "../config/trust_record.ts";
import { CliError, describeFailure, usageError } from "../failure.ts";
import { requirePermissions } from "../permission.ts";
import { projectFolders } from "../repository_root.ts";
import { oneLine } from "../terminal_text.ts";
import { reasonOf } from "../text_input.ts";

/** Runs `init`. What was written before something failed stays, and is told. */
export async function init({ options, words, status }: CommandContext): Promise<Outcome> {
  if (words.length > 0) throw usageError("init takes no arguments; --cwd says where", "init");
  const project = projectOf(options.cwd);
  const written: string[] = [];
  const kept: string[] = [];
  const extra = { project, written, kept };
  try {
    for (const file of starterFiles()) {
      const shown = oneLine(join(project, file.path), 300);
      if (writeNew(project, file)) {
        written.push(file.path);
        status.line(`Wrote ${shown}`);
      } else {
        kept.push(file.path);
        status.line(`Left ${shown} as it is.`);
      }
    }
  } catch (error) {
    const failure = describeFailure(error);
    return { exitCode: failure.exitCode, status: "error", reason: failure.type, failure, extra };
  }
  if (written.includes(".agentloop/config.json")) await trustOwn(project);
  return { exitCode: 0, status: "completed", extra };
}

/** The root of the repository, where the files count for all of it; the folder itself where there is none. */
function projectOf(cwd: string = "."): string {
  const folders = projectFolders(cwd);
  if (folders !== undefined) return folders.root;
  // Either it may not be read, or it is no folder.
  requirePermissions([{ name: "read", path: cwd }], {
    problem: `${oneLine(cwd, 200)} cannot be looked at`,
  });
  let isFolder: boolean;
  try {
    isFolder = Deno.statSync(cwd).isDirectory;
  } catch (error) {
    throw usageError(`${oneLine(cwd, 200)} cannot be used: ${reasonOf(error)}`, "init");
  }
  if (!isFolder) throw usageError(`${oneLine(cwd, 200)} is no folder`, "init");
  return Deno.realPathSync(cwd);
}

/** Writes a file that is not there yet, with the folders that it needs. Says whether it did. */
function writeNew(project: string, { path, text }: StarterFile): boolean {
  const names = path.split("/");
  const name = names.pop() ?? "";
  let folder = project;
  try {
    for (const part of names) folder = enter(project, join(folder, part));
    const file = join(folder, name);
    requireWrite(file);
    Deno.writeTextFileSync(file, text, { createNew: true });
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) return false;
    if (error instanceof CliError) throw error;
    throw new CliError(
      "config",
      `Cannot write ${oneLine(join(project, path), 300)}: ${reasonOf(error)}`,
      { cause: error },
    );
  }
}

/** Makes a folder if it is not there, and gives its real path, which has to lie in the project. */
function enter(project: string, path: string): string {
  requireWrite(path);
  try {
    Deno.mkdirSync(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  }
  const cannot = (why: string) =>
    new CliError("config", `Cannot write into ${oneLine(path, 300)}: ${why}`);
  let real: string;
  try {
    real = Deno.realPathSync(path);
  } catch {
    throw cannot("it is a link to nothing.");
  }
  if (!real.startsWith(project.endsWith(sep) ? project : project + sep)) {
    throw cannot(`it is a link that leads out of the project ${oneLine(project, 300)}.`);
  }
  if (!Deno.statSync(real).isDirectory) throw cannot("it is no folder.");
  return real;
}

function requireWrite(path: string): void {
  requirePermissions([{ name: "read", path }, { name: "write", path }], {
    problem: `Cannot write ${oneLine(path, 300)}`,
  });
}

/** What was written here just now needs no question. That it cannot be kept takes nothing away: the file sets nothing yet. */
async function trustOwn(project: string): Promise<void> {
  try {
    const file = await findConfig(project);
    if (file !== undefined && mayRecordTrust(file)) recordTrust(file);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
  }
}
