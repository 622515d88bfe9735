/**
 * Remembers which config files a person trusts, each as it was: a digest of its bytes under its real path, in the user's data folder. One small file for each, put in
 * place whole. What a checkout brings along can never be such a record.
 */
import { createHash, randomUUID } from "node:crypto";
import { dirname, join, sep } from "node:path";
import { dataFolder } from "../database_path.ts";
import { readVariable } from "../environment.ts";
import { CliError } from "../failure.ts";
import { isGranted, requirePermissions } from "../permission.ts";
import { oneLine } from "../terminal_text.ts";
import { reasonOf } from "../text_input.ts";
import type { ConfigFile } from "./find_config.ts";

/** Whether a file is trusted: as it is, as it was before it changed, or not at all. */
export type TrustState = "trusted" | "changed" | "unknown";

/** What keeping a record takes of its folder. */
const ACCESS = ["read", "write"] as const;

/** Whether a file is trusted. Where the record may not be read, it is not. Asks for no permission. */
export function trustState(file: ConfigFile): TrustState {
  let record: string;
  try {
    record = recordOf(file);
  } catch {
    // Where the user's files are is not known, so that nothing can be kept there.
    return "unknown";
  }
  if (!isGranted({ name: "read", path: record })) return "unknown";
  let digest: string;
  try {
    if (isInside(Deno.realPathSync(record), file.root)) return "unknown";
    digest = Deno.readTextFileSync(record).split("\n", 1)[0] ?? "";
  } catch {
    return "unknown";
  }
  return digest === digestOf(file.bytes) ? "trusted" : "changed";
}

/**
 * Trusts a file as it is.
 *
 * @throws {CliError} `config` when that cannot be kept, `permission` when the runtime does not permit it.
 */
export function recordTrust(file: ConfigFile): void {
  const record = recordOf(file);
  const folder = dirname(record);
  requirePermissions(ACCESS.map((name) => ({ name, path: folder })), {
    problem: "That the file is trusted cannot be kept",
  });
  try {
    Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (isInside(Deno.realPathSync(folder), file.root)) throw insideProject(folder, file);
    const temporary = join(folder, `.${randomUUID()}`);
    Deno.writeTextFileSync(temporary, `${digestOf(file.bytes)}\n${file.path}\n`, {
      createNew: true,
      mode: 0o600,
    });
    Deno.renameSync(temporary, record);
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(
      "config",
      `Cannot keep in ${oneLine(folder, 200)} that the file is trusted: ${reasonOf(error)}`,
      { cause: error },
    );
  }
}

/** Whether {@linkcode recordTrust} could be called without a question of the runtime. */
export function mayRecordTrust(file: ConfigFile): boolean {
  try {
    const path = dirname(recordOf(file));
    return ACCESS.every((name) => isGranted({ name, path }));
  } catch {
    return false;
  }
}

/**
 * Trusts a file no longer, in whatever state it is. Says whether it was trusted.
 *
 * @throws {CliError} `permission` when the runtime does not permit it.
 */
export function forgetTrust(file: Pick<ConfigFile, "path">): boolean {
  const record = recordOf(file);
  requirePermissions([{ name: "write", path: dirname(record) }], {
    problem: "What is trusted cannot be changed",
  });
  try {
    Deno.removeSync(record);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

function recordOf({ path }: Pick<ConfigFile, "path">): string {
  const folder = dataFolder({ os: Deno.build.os, env: readVariable });
  return join(folder, "trusted", digestOf(new TextEncoder().encode(path)));
}

function insideProject(folder: string, { root }: ConfigFile): CliError {
  return new CliError(
    "config",
    `The file cannot be trusted: what is trusted is kept in ${oneLine(folder, 200)}, ` +
      `which lies in the project ${
        oneLine(root, 200)
      }, and whoever makes the project could write it there.`,
    { hint: "Let XDG_DATA_HOME name a folder outside of the project." },
  );
}

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

function digestOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
