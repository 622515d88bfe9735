/**
 * What a command that a script runs by `exec` could reach: the wall around agentloop itself, as far as there is one. Says only what was found out;
 * a look that is not permitted is not taken.
 */
import type { CliOptions } from "../option_table.ts";
import { readVariable } from "../environment.ts";
import { pathExists } from "../path_exists.ts";
import { isGranted } from "../permission.ts";
import type { CheckResult } from "./checks.ts";

/** Files that Docker and Podman put into every container. */
const CONTAINER_FILES = { docker: "/.dockerenv", podman: "/run/.containerenv" } as const;

/** What is around this process. */
interface Surroundings {
  /** The number of the user; `undefined` where it may not be asked for, or there is none. */
  readonly uid: number | undefined;
  /** What tells of a container, `false` when nothing does, `undefined` when nothing of it may be looked at. */
  readonly container: string | false | undefined;
}

/** Says what commands could reach. As root that is a warning. */
export function checkReach({ cwd = "." }: Pick<CliOptions, "cwd">): CheckResult {
  const name = "reach";
  if (!isGranted({ name: "run", command: "sh" }) || !isGranted({ name: "read", path: cwd })) {
    return {
      name,
      state: "ok",
      detail: "exec is off: scripts can run no command",
      data: { exec: false },
    };
  }
  const { uid, container } = lookAround();
  const root = uid === 0;
  const user = root ? "root" : uid === undefined ? "your user" : `your user (${uid})`;
  const who = isGranted({ name: "run" })
    ? "a command"
    : "the programs that --allow-run names, and all that they start,";
  return {
    name,
    state: root ? "warning" : "ok",
    detail: `exec is not confined: ${who} can do all that ${user} may, ` +
      `network included; ${containerText(container)}`,
    data: {
      exec: true,
      uid: uid ?? null,
      root: uid === undefined ? null : root,
      container: container ?? null,
    },
  };
}

function lookAround(): Surroundings {
  const uid = isGranted({ name: "sys", kind: "uid" }) ? Deno.uid() ?? undefined : undefined;
  return { uid, container: containerOf() };
}

function containerOf(): Surroundings["container"] {
  // systemd's convention, which Podman and others follow.
  const named = readVariable("container");
  if (named !== undefined) return named;
  const files = Object.entries(CONTAINER_FILES).filter(([, path]) =>
    isGranted({ name: "read", path })
  );
  if (files.length === 0) return undefined;
  return files.find(([, path]) => pathExists(path))?.[0] ?? false;
}

function containerText(container: Surroundings["container"]): string {
  switch (container) {
    case undefined:
      return "whether a container is around it may not be looked at";
    case false:
      return "no container was found around it";
    default:
      return `a container is around it (${container})`;
  }
}
