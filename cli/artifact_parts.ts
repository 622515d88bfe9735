/**
 * Artifacts of the command: what runs can call to save them, and which of their addresses there are.
 */
import { artifactCapability, artifactTools, serveArtifact } from "../ext/artifacts/mod.ts";
import type { CallableParts } from "./callable_parts.ts";
import type { Store } from "./store_access.ts";

/** Stands before an address without a host. */
const OWN_ADDRESS = "http://artifacts.invalid";

/** What runs can call. `isOwnHost` says whether a host is this server's, for addresses that models write whole. @default no host is */
export function artifactParts(
  { artifacts }: Pick<Store, "artifacts">,
  isOwnHost: (host: string) => boolean = () => false,
): CallableParts {
  return {
    capabilities: [artifactCapability({ artifacts })],
    tools: artifactTools({ artifacts }),
    async isKnownAddress(address) {
      const url = URL.parse(address, OWN_ADDRESS);
      if (url === null || !(url.origin === OWN_ADDRESS || isOwnHost(url.host))) return false;
      const { pathname, search } = url;
      const request = new Request(`${OWN_ADDRESS}${pathname}${search}`, { method: "HEAD" });
      return (await serveArtifact(request, { store: artifacts })).ok;
    },
  };
}
