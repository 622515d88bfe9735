/**
 * Where the database is. Pure: the environment and the platform are handed in.
 */
import { isAbsolute, join } from "node:path";
import { CliError } from "./failure.ts";

/** What the place of a user's files depends on. */
export interface UserPlace {
  /** The platform, as `Deno.build.os` names it. */
  readonly os: string;
  /** Reads an environment variable; an empty one counts as not set. */
  readonly env: (name: string) => string | undefined;
}

/** What the place of the database depends on. */
export interface DatabasePlace extends UserPlace {
  /** The path that was given on the command line. */
  readonly db?: string;
}

/**
 * The path of the database: `--db`, else `$AGENTLOOP_DB`, else `$XDG_DATA_HOME/agentloop/agentloop.db`, else the place that the platform has for
 * what a program keeps for one user.
 *
 * @throws {CliError} `config` when the environment does not say where the user's files are.
 */
export function databasePath({ db, os, env }: DatabasePlace): string {
  const named = db ?? env("AGENTLOOP_DB");
  return named ?? join(dataFolder({ os, env }), "agentloop.db");
}

/**
 * The folder for what the command keeps for one user, whatever database is used: `$XDG_DATA_HOME/agentloop`, else the platform's place.
 *
 * @throws {CliError} `config` when the environment does not say where the user's files are.
 */
export function dataFolder({ os, env }: UserPlace): string {
  const xdg = env("XDG_DATA_HOME");
  // The XDG specification wants a relative path to be ignored.
  const base = xdg !== undefined && isAbsolute(xdg) ? xdg : platformBase(os, env);
  if (base === undefined) {
    throw new CliError(
      "config",
      `Cannot tell where to keep sessions: ${
        os === "windows" ? "LOCALAPPDATA" : "HOME"
      } is not set.`,
      { hint: "Name the file with --db PATH or AGENTLOOP_DB, or use --ephemeral." },
    );
  }
  return join(base, "agentloop");
}

function platformBase(os: string, env: DatabasePlace["env"]): string | undefined {
  if (os === "windows") return env("LOCALAPPDATA");
  const home = env("HOME");
  if (home === undefined) return undefined;
  return os === "darwin"
    ? join(home, "Library", "Application Support")
    : join(home, ".local", "share");
}
