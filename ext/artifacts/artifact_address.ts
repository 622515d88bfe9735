/** Where an artifact is served. Pure. */
import type { ArtifactInfo } from "../../contracts/artifact.ts";

/** What the path of every artifact begins with. */
export const ARTIFACT_PATH = "/artifacts/";

/**
 * The path of an artifact: `/artifacts/ID/NAME`, percent-encoded so that it also holds in Markdown and in quotes. It leads to the newest version, unless one is
 * named.
 */
export function artifactAddress(
  { id, filename }: Pick<ArtifactInfo, "id" | "filename">,
  options: { readonly version?: number } = {},
): string {
  const path = `${ARTIFACT_PATH}${encodeSegment(id)}/${encodeSegment(filename)}`;
  return options.version === undefined ? path : `${path}?version=${options.version}`;
}

/** Encodes also what `encodeURIComponent` leaves although Markdown, quotes and headers mean something by it. */
export function encodeSegment(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
