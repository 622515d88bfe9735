/**
 * Artifacts in a server: whoever has an address may open it, without a token.
 */
import { serveArtifact } from "../../ext/artifacts/mod.ts";
import type { Store } from "../store_access.ts";
import type { OpenRoute } from "./router.ts";

/** What answers for their addresses. */
export function artifactRoute({ artifacts }: Pick<Store, "artifacts">): OpenRoute {
  return {
    prefix: "/artifacts/",
    handle: (request) => serveArtifact(request, { store: artifacts }),
  };
}
