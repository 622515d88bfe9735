/**
 * What runs make for people to open: texts such as a page or a report, each with a name, versions, and an id that cannot be guessed.
 */
import type { Scope } from "./scope.ts";

/** Bytes of UTF-8 that the content of one version may have: 1 MiB. A page with its pictures in it fits; what is larger is a file. */
export const MAX_ARTIFACT_BYTES = 1024 * 1024;
/** Bytes of UTF-8 that a filename may have, as most file systems allow. */
export const MAX_ARTIFACT_FILENAME_BYTES = 255;
/** Bytes of UTF-8 that a title may have. */
export const MAX_ARTIFACT_TITLE_BYTES = 1024;
/** Versions of one artifact that are kept: with one more, the oldest goes. */
export const MAX_ARTIFACT_VERSIONS = 20;
/** Artifacts that an owner may have in one session. */
export const MAX_SESSION_ARTIFACTS = 100;
/** Bytes that all kept versions of an owner may have in one session: 64 MiB. Without it, names times versions times sizes would be 2 GiB. */
export const MAX_SESSION_ARTIFACT_BYTES = 64 * 1024 * 1024;

/** Whose artifacts are meant: exactly this tenant, project and user. With neither scope nor user all share one set. */
export interface ArtifactOwner {
  /** The tenant. */
  readonly scope?: Scope;
  /** The user. */
  readonly userId?: string;
}

/**
 * Who looks: an owner, who finds only what is its own, or `"any"`, who finds everything. `"any"` is for those who run the program, and for whoever holds an id that
 * cannot be guessed; never for what a model asks.
 */
export type ArtifactAccess = ArtifactOwner | "any";

/** An artifact as it is handed to a store. */
export interface NewArtifact {
  /** The session that makes it. */
  readonly sessionId: string;
  /**
   * Its name, 1 to {@linkcode MAX_ARTIFACT_FILENAME_BYTES} bytes: one segment of a path, without separators and control characters. The same name in the same session is
   * the same artifact.
   */
  readonly filename: string;
  /** What people read above it, up to {@linkcode MAX_ARTIFACT_TITLE_BYTES} bytes. */
  readonly title: string;
  /** Its media type without parameters, in small letters: `text/html`. The charset is always UTF-8. */
  readonly type: string;
  /** The text, up to {@linkcode MAX_ARTIFACT_BYTES} bytes. */
  readonly content: string;
}

/** What is known of one version of an artifact, without its content. */
export interface ArtifactInfo extends Omit<NewArtifact, "content"> {
  /** Names the artifact: letters, digits, `-` and `_`, of at least 128 bits by chance, so that whoever has it was given it. */
  readonly id: string;
  /** Whose it is. */
  readonly owner: ArtifactOwner;
  /** Number of the version, from 1. */
  readonly version: number;
  /** Bytes of UTF-8 of the content. */
  readonly bytes: number;
  /** When the artifact was first saved. */
  readonly createdAt: Date;
  /** When this version was saved. */
  readonly savedAt: Date;
}

/** One version of an artifact. */
export interface Artifact extends ArtifactInfo {
  /** The text. */
  readonly content: string;
}

/**
 * Keeps artifacts. Held to `artifactStoreContract` in `@agentloop/core/testing`.
 *
 * An artifact belongs to an owner and to a session: whatever deletes the session deletes it. Nothing that one owner does shows another whether an artifact is there.
 */
export interface ArtifactStore {
  /**
   * Saves a version: the first of a new artifact, or the next of the one that its owner has under this name in this session. Versions of writers that save at the
   * same time all get a number of their own. Makes the session if need be.
   *
   * @throws {TypeError} when a field is missing, of the wrong type or ill-formed, the filename is no segment of a path, or the type no media type.
   * @throws {RangeError} when a text is too long, or the owner has {@linkcode MAX_SESSION_ARTIFACTS} artifacts in this session or would have more
   * than {@linkcode MAX_SESSION_ARTIFACT_BYTES} bytes: the message names size and bound. Nothing is changed then.
   */
  save(owner: ArtifactOwner, artifact: NewArtifact): Promise<ArtifactInfo>;
  /**
   * The newest version of each artifact, the last saved first.
   *
   * @throws {RangeError} when the limit is no whole number of at least 0, or `Infinity`.
   */
  list(
    access: ArtifactAccess,
    options?: {
      /** Those of this session only. @default all */
      readonly sessionId?: string;
      /** How many at most. @default Infinity */
      readonly limit?: number;
    },
  ): Promise<ArtifactInfo[]>;
  /**
   * One version, or the newest; undefined when there is no such artifact, the version was never there, or is no longer kept.
   *
   * @throws {TypeError} when the id is no text.
   * @throws {RangeError} when the version is no whole number of at least 1.
   */
  read(
    access: ArtifactAccess,
    id: string,
    options?: { readonly version?: number },
  ): Promise<Artifact | undefined>;
  /** Removes an artifact with all its versions for good; false when there is none of this id. */
  remove(access: ArtifactAccess, id: string): Promise<boolean>;
}
