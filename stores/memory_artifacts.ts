// deno-lint-ignore-file require-await -- the interface is asynchronous, and a bad argument is to reject, not to throw
/** Artifacts in this process's memory. Part of `MemoryStore`, which tells it when a session is deleted. */
import {
  type Artifact,
  type ArtifactAccess,
  type ArtifactInfo,
  type ArtifactOwner,
  type ArtifactStore,
  MAX_ARTIFACT_VERSIONS,
  MAX_SESSION_ARTIFACT_BYTES,
  MAX_SESSION_ARTIFACTS,
  type NewArtifact,
} from "../contracts/artifact.ts";
import {
  accessKey,
  artifactsTooLarge,
  checkedArtifact,
  checkedArtifactId,
  checkedArtifactVersion,
  newArtifactId,
  ownerOfKey,
  tooManyArtifacts,
} from "./artifact_input.ts";
import { ownerKey } from "./fact_input.ts";
import { checkedListLimit, checkedSessionId } from "./step_input.ts";

interface Entry {
  readonly key: string;
  readonly sessionId: string;
  readonly filename: string;
  /** The kept versions, the oldest first; never empty. */
  readonly versions: readonly Artifact[];
}

/** Keeps artifacts in memory. */
export class MemoryArtifacts implements ArtifactStore {
  readonly #now: () => Date;
  readonly #touch: (sessionId: string) => void;
  /** By id, the last saved last. */
  readonly #entries = new Map<string, Entry>();

  /** Begins with none. `touch` makes a session if need be, or marks it as used. */
  constructor(now: () => Date, touch: (sessionId: string) => void) {
    this.#now = now;
    this.#touch = touch;
  }

  /** Saves a version, creating the session if need be. */
  async save(owner: ArtifactOwner, artifact: NewArtifact): Promise<ArtifactInfo> {
    const key = ownerKey(owner, "an artifact");
    const kept = checkedArtifact(artifact);
    const { sessionId, filename } = kept;
    const neighbours = [...this.#entries.values()]
      .filter((entry) => entry.sessionId === sessionId && entry.key === key);
    const known = neighbours.find((entry) => entry.filename === filename);
    if (known === undefined && neighbours.length >= MAX_SESSION_ARTIFACTS) throw tooManyArtifacts();
    const older = known?.versions ?? [];
    const savedAt = new Date(this.#now());
    const saved: Artifact = {
      id: older[0]?.id ?? newArtifactId(),
      owner: ownerOfKey(key),
      ...kept,
      version: (older.at(-1)?.version ?? 0) + 1,
      createdAt: older[0]?.createdAt ?? savedAt,
      savedAt,
    };
    const versions = [...older, saved].slice(-MAX_ARTIFACT_VERSIONS);
    const bytes = neighbours.filter((entry) => entry !== known)
      .reduce((sum, entry) => sum + bytesOf(entry.versions), bytesOf(versions));
    if (bytes > MAX_SESSION_ARTIFACT_BYTES) throw artifactsTooLarge(bytes);
    this.#touch(sessionId);
    this.#entries.delete(saved.id);
    this.#entries.set(saved.id, { key, sessionId, filename, versions });
    return infoOf(saved);
  }

  /** The newest version of each artifact, the last saved first. */
  async list(
    access: ArtifactAccess,
    options: { readonly sessionId?: string; readonly limit?: number } = {},
  ): Promise<ArtifactInfo[]> {
    const key = accessKey(access);
    const limit = checkedListLimit(options.limit);
    const sessionId = options.sessionId === undefined
      ? undefined
      : checkedSessionId(options.sessionId);
    return [...this.#entries.values()].toReversed()
      .filter((entry) => key === undefined || entry.key === key)
      .filter((entry) => sessionId === undefined || entry.sessionId === sessionId)
      .slice(0, limit).flatMap(({ versions }) => versions.slice(-1)).map(infoOf);
  }

  /** One version, or the newest. */
  async read(
    access: ArtifactAccess,
    id: string,
    options: { readonly version?: number } = {},
  ): Promise<Artifact | undefined> {
    const entry = this.#find(access, id);
    const version = checkedArtifactVersion(options.version);
    const found = version === undefined
      ? entry?.versions.at(-1)
      : entry?.versions.find((one) => one.version === version);
    return found === undefined ? undefined : { ...infoOf(found), content: found.content };
  }

  /** Removes an artifact; false when there is none of this id. */
  async remove(access: ArtifactAccess, id: string): Promise<boolean> {
    return this.#find(access, id) !== undefined && this.#entries.delete(id);
  }

  /** Removes all artifacts of a session. */
  deleteSession(sessionId: string): void {
    for (const [id, entry] of this.#entries) {
      if (entry.sessionId === sessionId) this.#entries.delete(id);
    }
  }

  #find(access: ArtifactAccess, id: string): Entry | undefined {
    const key = accessKey(access);
    const entry = this.#entries.get(checkedArtifactId(id));
    return key === undefined || entry?.key === key ? entry : undefined;
  }
}

function bytesOf(versions: readonly ArtifactInfo[]): number {
  return versions.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** A copy without the content. */
function infoOf({ content: _, ...info }: Artifact): ArtifactInfo {
  const { owner, createdAt, savedAt } = info;
  return {
    ...info,
    owner: { ...owner, ...(owner.scope === undefined ? {} : { scope: { ...owner.scope } }) },
    createdAt: new Date(createdAt),
    savedAt: new Date(savedAt),
  };
}
