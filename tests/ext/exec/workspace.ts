/** A workspace for tests of `exec`: a folder that is gone afterwards, and calls as the gate makes them. */
import { join } from "node:path";
import type { JsonValue } from "../../../contracts/json.ts";
import type { HostFunction, Pack } from "../../../contracts/sandbox.ts";
import { execCapability, type ExecOptions } from "../../../ext/exec/mod.ts";
import type { CommandResult } from "../../../ext/exec/run_command.ts";

/** Options of `exec`, the root left out: it is the workspace's. */
export type Options = Partial<ExecOptions>;

/** A folder, and `exec` in it. Owned by the test. */
export interface Workspace extends AsyncDisposable {
  /** The root: an absolute path without links. */
  readonly root: string;
  /** A folder beside the root, whose name begins as the root's does. */
  readonly neighbour: string;
  /** Calls `exec`. */
  exec(args: readonly JsonValue[], options?: Options, signal?: AbortSignal): Promise<CommandResult>;
  /** Writes a file below the root. */
  write(path: string, text: string, mode?: number): Promise<void>;
  /** Makes a link below the root. The runtime's own call would need the permission to read and write everything. */
  link(path: string, target: string): Promise<void>;
}

/** Makes a workspace. */
export async function makeWorkspace(): Promise<Workspace> {
  const outer = await Deno.realPath(await Deno.makeTempDir({ prefix: "exec_" }));
  const root = join(outer, "ws");
  const neighbour = join(outer, "ws-evil");
  await Deno.mkdir(root);
  await Deno.mkdir(neighbour);
  return {
    root,
    neighbour,
    exec: (args, options = {}, signal = new AbortController().signal) =>
      callExec(execFunction({ root, ...options }), args, signal),
    async write(path, text, mode = 0o644) {
      await Deno.writeTextFile(join(root, path), text);
      await Deno.chmod(join(root, path), mode);
    },
    async link(path, target) {
      const made = await new Deno.Command("ln", { args: ["-s", target, join(root, path)] })
        .output();
      if (!made.success) throw new Error(`The link ${path} was not made.`);
    },
    [Symbol.asyncDispose]: () => Deno.remove(outer, { recursive: true }),
  };
}

/** The pack that the capability makes. */
export async function execPack(options: ExecOptions): Promise<Pack> {
  const packs = await execCapability(options).build({
    signal: new AbortController().signal,
    sessionId: "session",
  });
  return packs[0]!;
}

/** The function that scripts call. */
export async function execFunction(options: ExecOptions): Promise<HostFunction> {
  return (await execPack(options)).functions[0]!;
}

async function callExec(
  found: Promise<HostFunction>,
  args: readonly JsonValue[],
  signal: AbortSignal,
): Promise<CommandResult> {
  const { execute } = await found;
  return await execute(args, {
    signal,
    runId: "run",
    sessionId: "session",
    emit: () => {},
    authorize: () => Promise.resolve(),
    reserve: () => ({ [Symbol.dispose]: () => {} }),
    spend: () => {},
    secret: () => Promise.reject(new Error("there are no secrets")),
    fill: (text) => Promise.resolve(text),
    redact: (text) => text,
  }) as CommandResult;
}
