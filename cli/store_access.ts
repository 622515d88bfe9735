/**
 * Opens the store that the options name: the database file, or memory. What only reads neither creates nor changes a file.
 */
import { dirname } from "node:path";
import { AgentLoopError } from "../contracts/errors.ts";
import type { ArtifactStore } from "../contracts/artifact.ts";
import type { CallLog } from "../contracts/call_log.ts";
import type { FactStore } from "../contracts/fact.ts";
import type { GrantStore } from "../contracts/grant.ts";
import type { ScheduleStore } from "../contracts/schedule.ts";
import type { SessionCatalog, SessionListing, SessionStore } from "../contracts/session.ts";
import type { StepStore } from "../contracts/step.ts";
import { databasePath } from "./database_path.ts";
import { readVariable } from "./environment.ts";
import { CliError } from "./failure.ts";
import type { CliOptions } from "./option_table.ts";
import { isGranted, requirePermissions } from "./permission.ts";
import { oneLine } from "./terminal_text.ts";
import { reasonOf } from "./text_input.ts";

/** Everything that the command does with a store. */
export type Store =
  & SessionStore
  & StepStore
  & SessionCatalog
  & CallLog
  & GrantStore
  & {
    readonly artifacts: ArtifactStore;
    readonly facts: FactStore;
    readonly schedule: ScheduleStore;
  };

/** How long a call waits for other processes that write to the database. Somebody sits there and waits too. */
const LOCK_TIMEOUT_MS = 5_000;
/** How long closing waits for calls that still try: the run that made them has given them up. */
const CLOSE_TIMEOUT_MS = 500;

/** An open store. Disposing closes it. */
export interface OpenStore extends AsyncDisposable {
  /** The store. */
  readonly store: Store;
  /** Its file; absent for a store in memory. */
  readonly path?: string;
}

/** The path of the database that the options and the environment name. */
export function pathOf(options: Pick<CliOptions, "db">): string {
  requireHome(options);
  const path = databasePath({
    ...(options.db === undefined ? {} : { db: options.db }),
    os: Deno.build.os,
    env: readVariable,
  });
  if (path !== ":memory:") return path;
  throw new CliError(
    "config",
    "AGENTLOOP_DB names a database in memory, which ends with the command.",
    {
      hint: "Name a file, or use --ephemeral.",
    },
  );
}

/** A variable that may not be read looks like one that is not set, which would be the wrong thing to say. */
function requireHome({ db }: Pick<CliOptions, "db">): void {
  const home = Deno.build.os === "windows" ? "LOCALAPPDATA" : "HOME";
  const isNamed = [db, readVariable("AGENTLOOP_DB"), readVariable("XDG_DATA_HOME")]
    .some((place) => place !== undefined);
  if (isNamed) return;
  requirePermissions([{ name: "env", variable: home }], {
    problem: `The usual place of sessions cannot be told from ${home}`,
    otherwise: "name the file with --db PATH; a run that keeps nothing is --ephemeral",
  });
}

/** Opens the store for a run, creating the database if need be. */
export async function openStore(
  options: Pick<CliOptions, "db" | "ephemeral">,
): Promise<OpenStore> {
  if (options.ephemeral) {
    const { MemoryStore } = await import("../stores/memory.ts");
    return { store: new MemoryStore(), [Symbol.asyncDispose]: async () => {} };
  }
  return await openFile(pathOf(options));
}

/** Opens the database for changes when its file is there. */
export async function openExistingStore(
  options: Pick<CliOptions, "db">,
): Promise<OpenStore | undefined> {
  const path = pathOf(options);
  return await isFile(path) ? await openFile(path) : undefined;
}

/**
 * Opens the database to look at when its file is there. One of an older schema is brought up to date first, unless it is to be left as it is: then its
 * error is one that {@linkcode isOlderSchema} knows.
 */
export async function openStoreToRead(
  options: Pick<CliOptions, "db">,
  { mayMigrate = true }: { readonly mayMigrate?: boolean } = {},
): Promise<OpenStore | undefined> {
  const path = pathOf(options);
  if (!await isFile(path)) return undefined;
  try {
    return await openFile(path, true);
  } catch (error) {
    if (!mayMigrate || !isOlderSchema(error)) throw error;
    return await openFile(path);
  }
}

/** Whether a database could not be read only because its schema is an older one; told by the words, since it shares its code with other failures. */
export function isOlderSchema(error: unknown): boolean {
  return error instanceof AgentLoopError && error.code === "store_failed" &&
    /it is of schema \d+.*bring it up to date/.test(error.message);
}

/** What a listing says of one session. */
export async function findListing(store: Store, id: string): Promise<SessionListing | undefined> {
  return (await store.list()).find((listing) => listing.id === id);
}

/** The failure of a command that names a session which is not there. */
export function sessionMissing(id: string, path: string): CliError {
  return new CliError(
    "session_missing",
    `There is no session ${oneLine(id, 200)} in ${oneLine(path, 200)}.`,
    { hint: "agentloop sessions ls lists those that are there." },
  );
}

/** The failure of a command that names an artifact which is not there. */
export function artifactMissing(id: string, path: string): CliError {
  return new CliError(
    "artifact_missing",
    `There is no artifact ${oneLine(id, 200)} in ${oneLine(path, 200)}.`,
    { hint: "agentloop artifacts ls lists those that are there." },
  );
}

async function isFile(path: string): Promise<boolean> {
  requireAccess(path, ["read"]);
  try {
    await Deno.stat(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw new CliError("input", `Cannot look at ${oneLine(path, 200)}: ${reasonOf(error)}`, {
      cause: error,
    });
  }
}

/** SQLite keeps files of its own beside the database, so the folder is what is named. */
function requireAccess(path: string, ways: readonly ("read" | "write")[]): void {
  const folder = dirname(path);
  const isEnough = ways.every((name) => isGranted({ name, path })) &&
    // A file that is not there is made in a folder that may have to be made too.
    (!ways.includes("write") || isGranted({ name: "write", path: folder }) || isThere(path));
  if (isEnough) return;
  requirePermissions(ways.map((name) => ({ name, path: folder })), {
    problem: `The database ${oneLine(path, 200)} cannot be used`,
    otherwise: ways.includes("write")
      ? "name another place with --db; a run that keeps nothing is --ephemeral"
      : "name another place with --db",
  });
}

function isThere(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

async function openFile(path: string, readOnly: boolean = false): Promise<OpenStore> {
  requireAccess(path, readOnly ? ["read"] : ["read", "write"]);
  const { openSqliteStore } = await import("../stores/sqlite/mod.ts");
  const store = openSqliteStore(path, { readOnly, lockTimeoutMs: LOCK_TIMEOUT_MS });
  return {
    store,
    path: store.path,
    async [Symbol.asyncDispose]() {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const late = new Promise((resolve) => timer = setTimeout(resolve, CLOSE_TIMEOUT_MS));
      await Promise.race([store.close(), late]);
      clearTimeout(timer);
      store[Symbol.dispose]();
    },
  };
}
