/**
 * How a guest process is started: the runtime itself, without a permission, with the stack its engine needs and an empty environment.
 */
import { AgentLoopError } from "../contracts/errors.ts";

/** First argument with which a compiled program starts itself as its own guest. */
export const GUEST_MODE_ARGUMENT = "--agentloop-guest";

/** Stack of a guest's WASM in KiB: with it every deep case that was tried is a clean error at the engine's limit of 128 KiB. */
const WASM_STACK_KIB = 3600;

/**
 * After so many bytes' worth of work a function of WASM is compiled anew by the optimizing compiler, in a thread beside; V8 waits for 13,000,000. A guest
 * runs short scripts, in which the engine would stay slow code for thousands of turns; and slow code keeps counters for each instance, of which a
 * guest has dozens. A start costs 0.07 s more computing beside for it, 300 runs at once a tenth less (`bench/concurrency_bench.ts`).
 */
const WASM_TIERING_BUDGET = 100_000;

/** Nothing is granted, and each thing that could be is denied besides, so that no default and no later grant opens it. */
const RUN_FLAGS = [
  "run",
  "--no-prompt",
  "--deny-read",
  "--deny-write",
  "--deny-net",
  "--deny-env",
  "--deny-sys",
  "--deny-run",
  "--deny-ffi",
  "--cached-only",
  "--no-config",
  "--no-lock",
];

/** What the guest's runtime needs to find packages that the parent has installed. Passed on where the parent may read them. */
const PASSED_ON = ["DENO_DIR", "HOME", "XDG_CACHE_HOME"];

/** A program with its arguments and its whole environment. */
export interface GuestCommand {
  readonly path: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** What runs in the process. */
export interface GuestProgram {
  /** Its module. */
  readonly url: string;
  /** Flags for its V8. */
  readonly v8Flags: string;
  /** What a compiled program is told besides, to run this and not scripts. */
  readonly mode?: string;
}

/**
 * The command that starts a process of a guest's kind: for scripts, unless another program is named.
 *
 * @throws {AgentLoopError} `sandbox_permission` when starting it is not permitted.
 */
export function guestCommand(program: GuestProgram = scriptProgram()): GuestCommand {
  const path = Deno.execPath();
  checkMayStart(path);
  const env = guestEnvironment();
  if (!Deno.build.standalone) return { path, args: runArguments(program), env };
  // A compiled program takes no flags of the engine from its arguments.
  const { mode, v8Flags } = program;
  const args = [GUEST_MODE_ARGUMENT, ...(mode === undefined ? [] : [mode])];
  return { path, args, env: mode === undefined ? env : { ...env, DENO_V8_FLAGS: v8Flags } };
}

/**
 * Checks that a guest may be started: better before a model is asked than after.
 *
 * @throws {AgentLoopError} `sandbox_permission` when it may not.
 */
export function checkMayStart(path: string = Deno.execPath()): void {
  const { state } = Deno.permissions.querySync({ name: "run", command: path });
  if (state === "granted") return;
  throw new AgentLoopError(
    "Scripts run in a process of their own, and starting it is not permitted. " +
      `Grant it with --allow-run=${path} (or --allow-run="$(deno eval 'console.log(Deno.execPath())')").`,
    { code: "sandbox_permission" },
  );
}

function scriptProgram(): GuestProgram {
  return {
    url: import.meta.resolve("./guest/main.ts"),
    // The young generation is bounded: what a guest process throws away is small, and a process that is full of garbage is memory for nothing.
    v8Flags: [
      "--max-semi-space-size=8",
      `--wasm-stack-switching-stack-size=${WASM_STACK_KIB}`,
      `--wasm-tiering-budget=${WASM_TIERING_BUDGET}`,
    ].join(),
  };
}

/** Never called: that the import is written down makes the runtime fetch, publish and embed the guest with its package. */
export function guestModule(): Promise<typeof import("./guest/main.ts")> {
  return import("./guest/main.ts");
}

/**
 * Never called either: the engine's package depends on this one for its types alone, which a program with a lock file does not fetch,
 * and without which `--cached-only` refuses to start the guest.
 */
export function guestPackageTypes(): Promise<unknown> {
  return import("npm:@jitl/quickjs-ffi-types@0.32.0");
}

function runArguments({ url, v8Flags }: GuestProgram): string[] {
  // A guest that lies at an https address is itself an import of that kind; only what is cached is loaded then.
  const imports = url.startsWith("file:") ? ["--deny-import"] : [];
  return [...RUN_FLAGS, ...imports, `--v8-flags=${v8Flags}`, url];
}

function guestEnvironment(): Record<string, string> {
  const env: Record<string, string> = { NO_COLOR: "1" };
  for (const name of PASSED_ON) {
    if (Deno.permissions.querySync({ name: "env", variable: name }).state !== "granted") continue;
    const value = Deno.env.get(name);
    if (value !== undefined) env[name] = value;
  }
  return env;
}
