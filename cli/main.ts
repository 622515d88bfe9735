/**
 * The first step of the command: what must answer before anything else is loaded.
 * Everything but the version and the guest mode is left to `dispatch.ts`, which is imported only when it is needed.
 */
import { VERSION } from "./version.ts";

/**
 * Runs the command with its arguments and resolves with the exit code, once all output is written and every part is disposed.
 * Never throws: a failure is printed and becomes an exit code.
 */
export async function main(args: readonly string[]): Promise<number> {
  if (args.length === 1 && args[0] === "--version") {
    // Written here and at once: loading the option parser alone would cost more than a bare start of the runtime.
    console.log(`agentloop ${VERSION}`);
    return 0;
  }
  const { dispatch } = await import("./dispatch.ts");
  return await dispatch(args);
}
