/** The border of every artifact store in this folder: checks what a caller hands in, and makes ids. Pure but for the chance in ids. */
import {
  type ArtifactAccess,
  type ArtifactInfo,
  type ArtifactOwner,
  MAX_ARTIFACT_BYTES,
  MAX_ARTIFACT_FILENAME_BYTES,
  MAX_ARTIFACT_TITLE_BYTES,
  MAX_SESSION_ARTIFACT_BYTES,
  MAX_SESSION_ARTIFACTS,
  type NewArtifact,
} from "../contracts/artifact.ts";
import { ownerKey } from "./fact_input.ts";
import { checkedSessionId, text } from "./step_input.ts";

/** An artifact that may be kept, with the size of its content. */
export type CheckedArtifact = NewArtifact & Pick<ArtifactInfo, "bytes">;

/** 32 signs, so that five bits of a random byte choose one evenly. None is special in a path, a URL or a shell. */
const SIGNS = "abcdefghijklmnopqrstuvwxyz234567";
/** Signs of an id: 130 bits. */
const ID_LENGTH = 26;

/** What a terminal, a header or a file system would obey, and what makes a name look like another one. */
// deno-lint-ignore no-control-regex -- that is what is looked for
const UNFIT = /[\u0000-\u001f\u007f-\u009f/\\\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

/** A new id. */
export function newArtifactId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(ID_LENGTH));
  return Array.from(bytes, (byte) => SIGNS[byte & 31]).join("");
}

/**
 * Checks an artifact. Lone surrogates of title and content become U+FFFD, as everywhere in a store.
 *
 * @throws {TypeError} when a field has the wrong type or form.
 * @throws {RangeError} when a text is too long.
 */
export function checkedArtifact(given: NewArtifact): CheckedArtifact {
  const content = text(given?.content, "An artifact's content");
  const title = text(given.title, "An artifact's title");
  refuseLong(title, { what: "An artifact's title", max: MAX_ARTIFACT_TITLE_BYTES });
  return {
    sessionId: checkedSessionId(given.sessionId),
    filename: checkedFilename(given.filename),
    title,
    type: checkedType(given.type),
    content,
    bytes: refuseLong(content, { what: "An artifact's content", max: MAX_ARTIFACT_BYTES }),
  };
}

/**
 * The key of the owner whose artifacts may be found; undefined where all may.
 *
 * @throws {TypeError} when it is neither an owner nor `"any"`.
 */
export function accessKey(access: ArtifactAccess): string | undefined {
  return access === "any" ? undefined : ownerKey(access, "an artifact");
}

/** The owner that a key was made of. */
export function ownerOfKey(key: string): ArtifactOwner {
  const [workspaceId, projectId, userId] = JSON.parse(key) as (string | null)[];
  return {
    ...(typeof workspaceId === "string"
      ? { scope: { workspaceId, ...(typeof projectId === "string" ? { projectId } : {}) } }
      : {}),
    ...(typeof userId === "string" ? { userId } : {}),
  };
}

/**
 * Checks an artifact's id.
 *
 * @throws {TypeError} when it is no text.
 */
export function checkedArtifactId(id: string): string {
  return text(id, "An artifact's id");
}

/**
 * Checks the number of a version.
 *
 * @throws {RangeError} when it is no whole number of at least 1.
 */
export function checkedArtifactVersion(version: number | undefined): number | undefined {
  if (version === undefined || (Number.isSafeInteger(version) && version >= 1)) return version;
  throw new RangeError(
    `An artifact's version must be a whole number of at least 1, not ${String(version)}.`,
  );
}

/** What is said of a session that has as many artifacts as it may. */
export function tooManyArtifacts(): RangeError {
  return new RangeError(
    `The session has ${MAX_SESSION_ARTIFACTS} artifacts, which is all it may. Save under a filename that is there already, or have one removed.`,
  );
}

/** What is said of a session whose artifacts would be too large together. */
export function artifactsTooLarge(bytes: number): RangeError {
  return new RangeError(
    `The artifacts of the session may have ${MAX_SESSION_ARTIFACT_BYTES} bytes with all their versions, with this one they would have ${bytes}. Have one removed, or save less.`,
  );
}

function checkedFilename(filename: string): string {
  if (typeof filename !== "string" || filename === "") {
    throw new TypeError("An artifact's filename must be a non-empty string.");
  }
  if (UNFIT.test(filename) || !filename.isWellFormed()) {
    throw new TypeError(
      `An artifact's filename must be one segment of a path: no / and \\, no control characters, no marks of direction, well-formed Unicode; not ${
        JSON.stringify(filename.toWellFormed().slice(0, 100))
      }.`,
    );
  }
  if (filename === "." || filename === "..") {
    throw new TypeError(`An artifact's filename must not be ${JSON.stringify(filename)}.`);
  }
  refuseLong(filename, { what: "An artifact's filename", max: MAX_ARTIFACT_FILENAME_BYTES });
  return filename;
}

function checkedType(type: string): string {
  if (typeof type === "string" && /^[a-z]{1,20}\/[a-z0-9][a-z0-9.+-]{0,99}$/.test(type)) {
    return type;
  }
  throw new TypeError(
    `An artifact's type must be a media type in small letters without parameters, such as text/html, not ${
      JSON.stringify(typeof type === "string" ? type.slice(0, 100) : typeof type)
    }.`,
  );
}

/** The bytes of a text that is not too long. */
function refuseLong(
  value: string,
  { what, max }: { readonly what: string; readonly max: number },
): number {
  const bytes = new TextEncoder().encode(value).length;
  if (bytes <= max) return bytes;
  throw new RangeError(`${what} may have ${max} bytes, this one has ${bytes}. Shorten it.`);
}
