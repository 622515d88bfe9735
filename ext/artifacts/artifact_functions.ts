/** What `artifact_save`, `artifact_list` and `artifact_read` do, whichever way they were called. Whether a call may happen is for the gate; sizes are for the store. */
import type { ArtifactInfo, ArtifactOwner, ArtifactStore } from "../../contracts/artifact.ts";
import type { CallContext } from "../../contracts/sandbox.ts";
import { artifactAddress } from "./artifact_address.ts";
import { artifactType } from "./artifact_types.ts";
import { cleanFilename } from "./clean_filename.ts";

/** Artifacts that are listed unless told otherwise. */
export const DEFAULT_LISTED_ARTIFACTS = 20;
/** Artifacts that are listed at once at most. */
export const MAX_LISTED_ARTIFACTS = 100;

/** An artifact as scripts and models hand it over. */
export interface GivenArtifact {
  /** Its name. */
  readonly filename: string;
  /** What people read above it. @default the filename */
  readonly title?: string;
  /** The text. */
  readonly content: string;
  /** Its type, as a media type or a word. @default what the filename says */
  readonly type?: string;
}

/** What is told of a save. */
export interface SavedArtifact {
  /** What `artifact_read` takes. */
  readonly id: string;
  /** The version that was made. */
  readonly version: number;
  /** Where people open it. */
  readonly address: string;
  /** The name under which it is kept. */
  readonly filename: string;
  /** Its media type. */
  readonly type: string;
  /** What was changed of what was asked for; left out where nothing was. */
  readonly note?: string;
}

/** An artifact as scripts and models find it. */
export interface ListedArtifact extends Omit<SavedArtifact, "note"> {
  /** Its title. */
  readonly title: string;
  /** Bytes of its content. */
  readonly bytes: number;
  /** When this version was saved, as ISO 8601 in UTC. */
  readonly saved: string;
}

/** Saves a version for whoever the run is for, without the secrets that the run knows. */
export async function saveArtifact(
  store: ArtifactStore,
  { filename, title, content, type }: GivenArtifact,
  context: CallContext,
): Promise<SavedArtifact> {
  const name = cleanFilename(context.redact(filename));
  const saved = await store.save(ownerOf(context), {
    sessionId: context.sessionId,
    filename: name,
    title: context.redact(title ?? ""),
    type: artifactType(name, type),
    content: context.redact(content),
  });
  const note = `The filename could not be used as it was given: it is now ${JSON.stringify(name)}.`;
  const { id, version } = saved;
  const told = { id, version, address: artifactAddress(saved), filename: name, type: saved.type };
  return name === filename ? told : { ...told, note };
}

/** What whoever the run is for has, in this session or in all, the last saved first. */
export async function listArtifacts(
  store: ArtifactStore,
  { everySession = false, limit = DEFAULT_LISTED_ARTIFACTS }: {
    readonly everySession?: boolean;
    readonly limit?: number;
  },
  context: CallContext,
): Promise<ListedArtifact[]> {
  const found = await store.list(ownerOf(context), {
    ...(everySession ? {} : { sessionId: context.sessionId }),
    limit,
  });
  return found.map(listed);
}

/**
 * One version of an artifact of whoever the run is for, or the newest.
 *
 * @throws {Error} when there is none: what to do stands in the message.
 */
export async function readArtifact(
  store: ArtifactStore,
  { id, version }: { readonly id: string; readonly version?: number },
  context: CallContext,
): Promise<ListedArtifact & { readonly content: string }> {
  const owner = ownerOf(context);
  const found = await store.read(owner, id, version === undefined ? {} : { version });
  if (found !== undefined) return { ...listed(found), content: found.content };
  const newest = version === undefined ? undefined : await store.read(owner, id);
  throw new Error(
    newest === undefined
      ? `There is no artifact ${
        JSON.stringify(id.slice(0, 60).toWellFormed())
      }. artifact_list gives the ids.`
      : `The artifact has no version ${version}: the newest is ${newest.version}, and only the last few are kept.`,
  );
}

function ownerOf({ scope, userId }: CallContext): ArtifactOwner {
  return {
    ...(scope === undefined ? {} : { scope }),
    ...(userId === undefined ? {} : { userId }),
  };
}

function listed(info: ArtifactInfo): ListedArtifact {
  const { id, version, filename, type, title, bytes, savedAt } = info;
  const address = artifactAddress(info);
  return { id, filename, title, type, version, bytes, saved: savedAt.toISOString(), address };
}
