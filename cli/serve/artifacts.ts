/**
 * Artifacts in a server: runs may save them, and whoever has an address may open it, without a token.
 */
import { artifactCapability, artifactTools, serveArtifact } from "../../ext/artifacts/mod.ts";
import type { CallableParts } from "../callable_parts.ts";
import type { Store } from "../store_access.ts";
import type { OpenRoute } from "./router.ts";

/** Stands before an address without a host. */
const OWN_ADDRESS = "http://artifacts.invalid";

/** What runs can call. `isOwnHost` says whether a host is this server's, for addresses that models write whole. */
export function artifactParts(
  { artifacts }: Pick<Store, "artifacts">,
  isOwnHost: (host: string) => boolean,
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

/** What answers for their addresses. */
export function artifactRoute({ artifacts }: Pick<Store, "artifacts">): OpenRoute {
  return {
    prefix: "/artifacts/",
    handle: (request) => serveArtifact(request, { store: artifacts }),
  };
}
