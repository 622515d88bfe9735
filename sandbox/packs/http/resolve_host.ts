/** The runtime's own name resolution: what the operating system says, its hosts file included. */
import { lookup, type LookupAllOptions } from "node:dns";
import { noPermission } from "./http_failure.ts";

/** Resolves a name to all of its addresses. */
export type ResolveHost = (hostname: string, port: number) => Promise<readonly string[]>;

/** Asks the operating system. Needs the net permission for the host alone. */
export function resolveBySystem(hostname: string, port: number): Promise<readonly string[]> {
  const permission = { name: "net", host: `${hostname}:${port}` } as const;
  if (Deno.permissions.querySync(permission).state !== "granted") {
    return Promise.reject(noPermission());
  }
  // The port is for the permission, which may be given for one port of a host only.
  const options: LookupAllOptions & { readonly port: number } = { all: true, port };
  return new Promise((resolve, reject) => {
    lookup(hostname, options, (error, addresses) => {
      if (error !== null) reject(error);
      else resolve(addresses.map(({ address }) => address));
    });
  });
}
