/**
 * How a converter process is started: as a guest is, the runtime itself without a permission and with an empty environment, but with a bound on the heap
 * in place of the engine's stack.
 */
import { type GuestCommand, guestCommand } from "../../guest_command.ts";

/** Second argument with which a compiled program, started as its own guest, is told to convert. */
export const CONVERTER_ARGUMENT = "convert";

/**
 * The command that starts a converter whose heap may grow to `memoryMib`.
 *
 * @throws {AgentLoopError} `sandbox_permission` when starting it is not permitted.
 */
export async function converterCommand(memoryMib: number): Promise<GuestCommand> {
  const { path, args, env } = await guestCommand();
  const flags = `--max-old-space-size=${memoryMib}`;
  // A compiled program takes no flags of the engine from its arguments.
  if (Deno.build.standalone) {
    return { path, args: [...args, CONVERTER_ARGUMENT], env: { ...env, DENO_V8_FLAGS: flags } };
  }
  // What a guest is denied a converter is denied too; its engine's stack is nothing that a converter needs.
  const denials = args.slice(0, -1).filter((flag) => !flag.startsWith("--v8-flags="));
  const module = import.meta.resolve("./process/main.ts");
  return { path, args: [...denials, `--v8-flags=${flags}`, module], env };
}

/** Never called by those who start a process: that the import is written down makes the runtime fetch, publish and embed the converter with its packages. */
export function converterModule(): Promise<typeof import("./process/main.ts")> {
  return import("./process/main.ts");
}
