/**
 * What scripts can call in a run of the command. Loaded beside everything else that a run needs, so that it holds nothing up.
 */
import type { Client } from "../contracts/model.ts";
import type { Capability } from "../contracts/sandbox.ts";
import { execCapability } from "../ext/exec/mod.ts";
import { secretCapability } from "../ext/secrets/mod.ts";
import { workspaceCapability } from "../ext/workspace/mod.ts";
import { defaultCapabilities } from "../sandbox/default_capabilities.ts";
import type { CliOptions } from "./option_table.ts";
import { isGranted } from "./permission.ts";
import { secretSource, type SecretValues } from "./secret_values.ts";
import { hasRoomForFunctions } from "./small_window.ts";
import { pathOf } from "./store_access.ts";

/** The capabilities that reach into a network. */
const NETWORK = ["fetch", "http"];

/** What the capabilities depend on. */
export type CapabilityOptions = Pick<
  CliOptions,
  | "noNetwork"
  | "model"
  | "cwd"
  | "noExec"
  | "allowExec"
  | "dangerouslyAllowShell"
  | "contextWindow"
  | "db"
  | "ephemeral"
>;

/** The default capabilities, as far as the options leave them, those of the project, and the secrets. `ai` asks the model of the run. */
export function commandCapabilities(
  options: CapabilityOptions,
  { client, secrets }: { readonly client: Client; readonly secrets: SecretValues },
): Capability[] {
  const general = defaultCapabilities(client, options.model)
    .filter(({ name }) => !options.noNetwork || !NETWORK.includes(name));
  return [
    ...general,
    ...projectCapabilities(options),
    ...(secrets.size === 0 ? [] : [secretCapability(secretSource(secrets))]),
  ];
}

/** Files and commands of the project, as far as this program may read and run anything. */
function projectCapabilities(options: CapabilityOptions): Capability[] {
  const { cwd, noExec, dangerouslyAllowShell } = options;
  if (!hasRoomForFunctions(options)) return [];
  const root = cwd ?? ".";
  const capabilities: Capability[] = [];
  const isRead = isGranted({ name: "read", path: root });
  if (isRead) {
    const readOnly = !isGranted({ name: "write", path: root });
    capabilities.push(workspaceCapability({ root, readOnly, withheld: ownFiles(options) }));
  }
  // A command needs a folder that can be looked at.
  if (!noExec && isRead && isGranted({ name: "run", command: "sh" })) {
    capabilities.push(execCapability({ root, allowShell: dangerouslyAllowShell }));
  }
  return capabilities;
}

/** The files of the command's own: other sessions, what was allowed, the token of `serve`. Scripts need none of them, and could tell them to anybody. */
function ownFiles(options: CapabilityOptions): readonly string[] {
  if (options.ephemeral) return [];
  const database = pathOf(options);
  return ["", "-wal", "-shm", "-journal", ".token"].map((ending) => `${database}${ending}`);
}
