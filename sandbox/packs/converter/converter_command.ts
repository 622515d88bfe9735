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
export function converterCommand(memoryMib: number): GuestCommand {
  return guestCommand({
    url: import.meta.resolve("./process/main.ts"),
    v8Flags: `--max-old-space-size=${memoryMib}`,
    mode: CONVERTER_ARGUMENT,
  });
}

/** Never called by those who start a process: that the import is written down makes the runtime fetch, publish and embed the converter with its packages. */
export function converterModule(): Promise<typeof import("./process/main.ts")> {
  return import("./process/main.ts");
}
