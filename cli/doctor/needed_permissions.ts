/**
 * What the command can use of each permission, and what goes without it. Data about this machine; whether it is granted is for others.
 */
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { parseEndpoint } from "../../llm/endpoint.ts";
import { OPENAI_BASE_URL } from "../../llm/openai.ts";
import { readVariable } from "../environment.ts";
import type { CliOptions } from "../option_table.ts";
import { ownFolder } from "../own_folder.ts";
import { netPermission } from "../permission.ts";
import { listenAddress, urlHost } from "../serve/address.ts";
import { pathOf } from "../store_access.ts";

/** One permission that is of use. */
export interface NeededPermission {
  /** What is to be granted. */
  readonly permission: Deno.PermissionDescriptor;
  /** What it is for, in a word or two: `the project`. */
  readonly what: string;
  /** What is switched off without it: a name of one word, and what that means. Absent where other lines say it. */
  readonly off?: { readonly name: string; readonly means: string };
}

/** The variables that the command reads for itself. */
const VARIABLES = [
  "OPENAI_API_KEY",
  "OPENAI_BASE_URL",
  "OPENAI_CHAT_MODEL",
  "OPENAI_MAX_RETRIES",
  "AGENTLOOP_DB",
  "AGENTLOOP_TOKEN",
  "AGENTLOOP_WEBHOOK_SECRET",
  "XDG_DATA_HOME",
  "HOME",
  "DENO_DIR",
  "TERM",
  "NO_COLOR",
];

/** Those that commands of scripts get besides, the usual ones of them. */
const VARIABLES_OF_COMMANDS = ["PATH", "LANG", "TMPDIR"];

function ownFiles(): NeededPermission[] {
  const folder = ownFolder();
  if (folder === undefined) return [];
  return [{
    permission: { name: "read", path: fileURLToPath(folder) },
    what: "agentloop's own files",
  }];
}

/** The permissions, in the order in which they are told. */
export function neededPermissions(
  options: Pick<CliOptions, "baseUrl" | "db" | "cwd">,
): readonly NeededPermission[] {
  const project = options.cwd ?? ".";
  const runtime = Deno.execPath();
  return [
    ...ownFiles(),
    {
      permission: { name: "read", path: project },
      what: "the project",
      off: {
        name: "files",
        means: "readFile, listDir, glob, grep, writeFile, editFile and exec are off",
      },
    },
    {
      permission: { name: "write", path: project },
      what: "the project",
      off: { name: "edits", means: "writeFile and editFile are off" },
    },
    ...database(options),
    ...endpoint(options),
    {
      permission: { name: "net", host: urlHost(listenAddress({})) },
      what: "serve",
      off: { name: "serving", means: "serve cannot listen there" },
    },
    {
      permission: { name: "run", command: runtime },
      what: "the runtime",
      off: { name: "scripts", means: "no script can run" },
    },
    {
      permission: { name: "run", command: "sh" },
      what: "sh",
      off: { name: "exec", means: "exec is off" },
    },
    ...[...VARIABLES, ...VARIABLES_OF_COMMANDS].map((variable): NeededPermission => ({
      permission: { name: "env", variable },
      what: variable,
    })),
  ];
}

function database(options: Pick<CliOptions, "db">): readonly NeededPermission[] {
  try {
    const path = dirname(pathOf(options));
    const what = "the database";
    return [
      {
        permission: { name: "read", path },
        what,
        off: { name: "sessions", means: "nothing is kept: only --ephemeral works" },
      },
      {
        permission: { name: "write", path },
        what,
        off: {
          name: "keeping",
          means: "sessions can be shown, not kept: only --ephemeral runs work",
        },
      },
    ];
  } catch {
    // The check of the database says why there is no path.
    return [];
  }
}

function endpoint({ baseUrl }: Pick<CliOptions, "baseUrl">): readonly NeededPermission[] {
  try {
    const { label } = parseEndpoint(baseUrl ?? readVariable("OPENAI_BASE_URL") ?? OPENAI_BASE_URL);
    return [{
      permission: netPermission(label),
      what: "the model",
      off: { name: "asking", means: "the model cannot be asked" },
    }];
  } catch {
    // The check of the endpoint says what is wrong with its address.
    return [];
  }
}
