/**
 * What the runtime lets the command do. It is looked up before it is used, so that no question of the runtime's own ever stands at a terminal, and
 * what is missing is said with the flag that grants it.
 */
import { CliError } from "./failure.ts";
import { flagFor } from "./permission_flag.ts";

/** Whether something is permitted. Asks nobody. */
export function isGranted(permission: Deno.PermissionDescriptor): boolean {
  return Deno.permissions.querySync(permission).state === "granted";
}

/** The permission to reach the server of a URL. */
export function netPermission(url: string): Deno.NetPermissionDescriptor {
  const { host, port, protocol } = new URL(url);
  const address = port === "" ? `${host}:${protocol === "https:" ? 443 : 80}` : host;
  return { name: "net", host: address };
}

/**
 * Checks that everything in a list is permitted.
 *
 * @throws {CliError} `permission`, which begins with `problem`, names the flags that are missing, and hints at `otherwise`, another way out.
 */
export function requirePermissions(
  needed: readonly Deno.PermissionDescriptor[],
  { problem, otherwise }: { readonly problem: string; readonly otherwise?: string },
): void {
  const missing = needed.filter((permission) => !isGranted(permission)).map(flagFor);
  if (missing.length === 0) return;
  throw new CliError("permission", `${problem}: the runtime does not permit it.`, {
    hint: [
      `Start it with deno run ${[...new Set(missing)].join(" ")} beside the flags that it has`,
      ...(otherwise === undefined ? [] : [otherwise]),
    ].join(", or ") + ".",
  });
}
