/**
 * `artifacts ls`: the artifacts of the database, the last saved first.
 */
import type { ArtifactInfo } from "../../contracts/artifact.ts";
import type { JsonValue } from "../../contracts/json.ts";
import { type CommandContext, type Outcome, succeeded } from "../command.ts";
import { checkSessionId } from "../session_id.ts";
import { openStoreToRead, pathOf, sessionMissing } from "../store_access.ts";
import { oneLine } from "../terminal_text.ts";
import { formatTable } from "../text_table.ts";
import { formatBytes, formatMoment } from "../units.ts";

/** Runs `artifacts ls`. */
export async function listArtifacts(context: CommandContext): Promise<Outcome> {
  const { options, output, status } = context;
  const session = options.session === undefined ? undefined : checkSessionId(options.session);
  const path = pathOf(options);
  await using opened = await openStoreToRead(options);
  if (session !== undefined && !await opened?.store.exists(session)) {
    throw sessionMissing(session, path);
  }
  const wanted = session === undefined ? {} : { sessionId: session };
  const found = await opened?.store.artifacts.list("any", wanted) ?? [];
  if (found.length === 0) {
    const where = session === undefined ? path : `session ${oneLine(session, 200)}`;
    status.line(`There are no artifacts in ${where}.`);
    return succeeded();
  }
  if (output.json) {
    for (const artifact of found) output.line(artifactLine(artifact));
    return succeeded();
  }
  return succeeded(formatTable(
    ["ID", "FILENAME", "VERSION", "SIZE", "SAVED", "SESSION", "TITLE"],
    found.map((artifact) => [
      oneLine(artifact.id, 64),
      oneLine(artifact.filename, 40),
      String(artifact.version),
      formatBytes(artifact.bytes),
      formatMoment(artifact.savedAt),
      oneLine(artifact.sessionId, 40),
      oneLine(artifact.title, 60),
    ]),
    { rightAligned: [2, 3] },
  ));
}

/** What is known of an artifact as the object of a JSON line. */
export function artifactLine(artifact: ArtifactInfo): { readonly [key: string]: JsonValue } {
  const { id, filename, title, type, version, bytes, sessionId, owner } = artifact;
  return {
    type: "artifact",
    artifact_id: id,
    filename,
    title,
    media_type: type,
    version,
    bytes,
    session_id: sessionId,
    workspace_id: owner.scope?.workspaceId ?? null,
    project_id: owner.scope?.projectId ?? null,
    user_id: owner.userId ?? null,
    created_at: artifact.createdAt.toISOString(),
    saved_at: artifact.savedAt.toISOString(),
  };
}
