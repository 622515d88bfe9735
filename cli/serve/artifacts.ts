/**
 * Artifacts in a server: runs may save them, and whoever has an address may open it, without a token.
 */
import { artifactCapability, artifactTools, serveArtifact } from "../../ext/artifacts/mod.ts";
import type { CallableParts } from "../callable_parts.ts";
import type { Store } from "../store_access.ts";
import type { OpenRoute } from "./router.ts";

/** What runs can call. */
export function artifactParts({ artifacts }: Pick<Store, "artifacts">): CallableParts {
  return {
    capabilities: [artifactCapability({ artifacts })],
    tools: artifactTools({ artifacts }),
  };
}

/** What answers for their addresses. */
export function artifactRoute({ artifacts }: Pick<Store, "artifacts">): OpenRoute {
  return {
    prefix: "/artifacts/",
    handle: (request) => serveArtifact(request, { store: artifacts }),
  };
}
