/**
 * Finds out by trying what a process may do that is started exactly as guests are: the same program, flags and environment, another first module.
 */
import { guestCommand } from "../../sandbox/guest_command.ts";

/** What was tried, and what of it was not refused. */
export interface PermissionProbe {
  /** The kinds of access that were tried. */
  readonly tried: readonly string[];
  /** Those that were not refused; none is what is wanted. */
  readonly open: readonly string[];
}

/** Each must throw NotCapable. None would do harm if it did not: nothing is created, sent or started that stays. */
const ATTEMPTS: Readonly<Record<string, string>> = {
  read: `Deno.readDirSync("/").next()`,
  write: `Deno.openSync(".agentloop-probe", { write: true, create: false }).close()`,
  net: `(await Deno.connect({ hostname: "127.0.0.1", port: 9 })).close()`,
  env: `Deno.env.toObject()`,
  run: `new Deno.Command(Deno.execPath(), { args: ["--version"] }).outputSync()`,
  sys: `Deno.hostname()`,
  ffi: `Deno.dlopen("libm.so.6", {}).close()`,
};

/**
 * Starts the process and lets it try. `undefined` where it cannot be told: a compiled program starts itself and takes no other module.
 *
 * @throws {AgentLoopError} `sandbox_permission` when starting it is not permitted.
 */
export async function probePermissions(signal: AbortSignal): Promise<PermissionProbe | undefined> {
  if (Deno.build.standalone) return undefined;
  const { path, args, env } = await guestCommand();
  const source = `const open = [];
${
    Object.entries(ATTEMPTS).map(([name, attempt]) =>
      `try { ${attempt}; open.push("${name}"); } catch (error) { if (error.name !== "NotCapable") open.push("${name}"); }`
    ).join("\n")
  }
console.log(JSON.stringify(open));`;
  const process = new Deno.Command(path, {
    args: [...args.slice(0, -1), `data:application/javascript,${encodeURIComponent(source)}`],
    env,
    clearEnv: true,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    signal,
  });
  const { code, stdout, stderr } = await process.output();
  if (code !== 0) {
    throw new Error(new TextDecoder().decode(stderr).trim().split("\n")[0] || `exit code ${code}`);
  }
  const open: unknown = JSON.parse(new TextDecoder().decode(stdout));
  if (!Array.isArray(open)) throw new Error("the process did not say what it may do");
  return { tried: Object.keys(ATTEMPTS), open: open.map(String) };
}
