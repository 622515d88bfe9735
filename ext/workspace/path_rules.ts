/**
 * What a path may look like before any file is looked at, and how errors name it. Whether a path that looks right stays in the workspace is
 * for `confinement.ts` to say.
 */

/** Characters of a path that an error shows. */
const SHOWN_CHARACTERS = 200;

/** Bytes of one name, as common file systems have it. */
const NAME_BYTES = 255;

/** Names that a path has at most: deeper folders are a mistake, and each costs time. */
export const MAX_NAMES = 64;

/** Names of temporary files that are renamed to what they are for; a crash may leave one behind. */
const TEMPORARY = /^\.agentloop-[0-9a-f-]{36}\.tmp$/;

/** What a script is told, in one text whatever the reason, so that it says nothing of what lies outside. */
export class Refusal extends Error {
  /** @param path The path as the script wrote it. */
  constructor(path: unknown) {
    super(`${shownPath(path)} is outside of the workspace or no regular file`);
    this.name = "PathError";
  }
}

/** A path as errors show it: as it was written, control characters escaped, 200 characters at most. */
export function shownPath(path: unknown): string {
  const text = typeof path === "string" ? path : JSON.stringify(path) ?? String(path);
  if (text === "") return '""';
  const clipped = text.length <= SHOWN_CHARACTERS ? text : `${text.slice(0, SHOWN_CHARACTERS)}…`;
  return clipped.toWellFormed().replace(
    /[\p{Cc}\p{Cf}\u2028\u2029]/gu,
    (one) => `\\u{${one.codePointAt(0)?.toString(16)}}`,
  );
}

/**
 * The names that a path consists of; none for the root (`"."`). `.` and doubled slashes fall away.
 *
 * @throws {Refusal} for what is no relative path of 64 plain names at most: `..`, absolute paths, NUL, what stands for `.git`.
 */
export function readNames(path: unknown): readonly string[] {
  if (typeof path !== "string" || path === "" || path.startsWith("/")) throw new Refusal(path);
  if (path.includes("\0") || !path.isWellFormed()) throw new Refusal(path);
  // Where backslashes part names, they would make one name of several.
  if (Deno.build.os === "windows" && /[\\:]/.test(path)) throw new Refusal(path);
  const names = path.split("/").filter((name) => name !== "" && name !== ".");
  if (names.length > MAX_NAMES || names.some((name) => !isAllowedName(name))) {
    throw new Refusal(path);
  }
  return names;
}

/** Whether a name may be used as it is. */
export function isAllowedName(name: string): boolean {
  return name !== ".." && !isGitName(name) && new TextEncoder().encode(name).length <= NAME_BYTES;
}

/**
 * Whether a name is `.git`, or one that some file system takes for it: any case, characters that are ignored or folded, dots and spaces at the
 * end, the short name `git~1`, a stream after a colon.
 */
export function isGitName(name: string): boolean {
  // Folding changes no character of ASCII but its case.
  if (/^[\x20-\x7e]*$/.test(name) && !/git/i.test(name)) return false;
  const folded = name.normalize("NFKC")
    .replace(/\p{Default_Ignorable_Code_Point}|\p{Cf}/gu, "")
    .toUpperCase().toLowerCase().normalize("NFKD")
    .replaceAll("\u0307", "")
    .replace(/:.*$/s, "")
    .replace(/[. ]+$/, "");
  return folded === ".git" || /^git~\d+$/.test(folded);
}

/** Whether lists and walks leave a name out: `.git`, and temporary files of a write that is under way or was cut off. */
export function isHiddenName(name: string): boolean {
  return isGitName(name) || isTemporaryName(name);
}

/** Whether a name is one of {@linkcode temporaryName}. */
export function isTemporaryName(name: string): boolean {
  return TEMPORARY.test(name);
}

/** A name for a temporary file or folder that nobody can guess. */
export function temporaryName(): string {
  return `.agentloop-${crypto.randomUUID()}.tmp`;
}
