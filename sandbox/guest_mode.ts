/** How a compiled program becomes its own guest: it has the permissions that were compiled in, and gives them all away first. */
import { GUEST_MODE_ARGUMENT, guestModule } from "./guest_command.ts";
import { CONVERTER_ARGUMENT, converterModule } from "./packs/converter/converter_command.ts";

const PERMISSIONS = ["run", "read", "write", "net", "env", "sys", "ffi", "import"] as const;

/** Whether the program was started as a guest. */
export function isGuestMode(args: readonly string[]): boolean {
  return args[0] === GUEST_MODE_ARGUMENT;
}

/** Gives every permission away, then serves as a guest, or as a converter, until stdin ends. Never returns. */
export async function enterGuestMode(args: readonly string[]): Promise<never> {
  for (const name of PERMISSIONS) {
    const { state } = Deno.permissions.revokeSync({ name });
    if (state === "granted") throw new Error(`The permission ${name} could not be given away.`);
  }
  if (args[1] === CONVERTER_ARGUMENT) {
    const { runConverter } = await converterModule();
    return await runConverter();
  }
  const { runGuest } = await guestModule();
  return await runGuest();
}
