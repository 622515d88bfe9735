/**
 * Commands for scripts: `exec(["git", "status"])` runs a program in a workspace and gives back what it wrote.
 *
 * A program needs `--allow-run` for `sh` and for the commands that are to be run, `--allow-read` for the root, and `--allow-env` for what
 * the commands are to inherit (`--allow-env=PATH,HOME,LANG`); what is not granted is left out, and nobody is prompted. `sh` watches over
 * each command, and ends it with all that it started when its time is up or the program is gone.
 *
 * What this does not hold: a command that runs is not confined. It may read and write whatever the program's user may, use the network, and
 * step out of its process group with `setsid`, where it is no longer found. Which commands may run is for the policy, which sees the name.
 *
 * @example
 * ```ts
 * import { DefaultSandboxBuilder } from "@agentloop/core";
 * import { execCapability } from "@agentloop/core/ext/exec";
 *
 * await using sandboxBuilder = new DefaultSandboxBuilder({
 *   capabilities: [execCapability({ root: "workspace", timeoutMs: 60_000 })],
 * });
 * ```
 *
 * @module
 */
export { execCapability } from "./exec_capability.ts";
export type { ExecOptions } from "./exec_options.ts";
export type { BuildContext, Capability, HostFunction, Pack } from "../../contracts/sandbox.ts";
