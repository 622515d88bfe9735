/** Makes a filename of what a model wrote: one segment of a path that is safe to download on every system. Pure. */
import { MAX_ARTIFACT_FILENAME_BYTES } from "../../contracts/artifact.ts";

/** What cannot be seen, what changes the direction of what follows, and what is no character. Joiners and the selectors of emoji stay. */
const UNSEEN = /(?![\u200c\u200d\ufe0e\ufe0f])[\p{C}\p{Default_Ignorable_Code_Point}\u2800]/gu;
/** Not allowed in names on Windows. */
const RESERVED = /[<>:"|?*]+/g;
/** Names that stand for devices on Windows, with any ending. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)\s*(?:\.|$)/i;

/**
 * The name as it can be used. Folders become part of the name (`a/b.html` is `a-b.html`, so that files of two folders stay two), `.` and `..` go, as do characters that
 * cannot be seen and dots, blanks and hyphens at the beginning; dots and blanks go at the end. A name of a device gets a `_` in front.
 *
 * @throws {TypeError} when nothing is left that could be read.
 * @throws {RangeError} when it is too long: cutting could make two names one.
 */
export function cleanFilename(given: string): string {
  const segments = given.toWellFormed().replace(/[\ufeff\ufffd]/g, "").normalize("NFC").replace(
    /\s+/g,
    " ",
  )
    .replace(UNSEEN, "").split(/[/\\]/).map((segment) => segment.trim());
  const name = segments.filter((segment) => !/^\.{0,2}$/.test(segment)).join("-")
    .replace(RESERVED, "-").replace(/^[\s.-]+/, "").replace(/[\s.]+$/, "");
  if (!/[\p{L}\p{N}\p{S}\p{P}]/u.test(name)) {
    throw new TypeError(
      `The filename ${
        JSON.stringify(given.slice(0, 100).toWellFormed())
      } has nothing in it that can be used. Give one such as report.html.`,
    );
  }
  const clean = DEVICE.test(name) ? `_${name}` : name;
  const bytes = new TextEncoder().encode(clean).length;
  if (bytes > MAX_ARTIFACT_FILENAME_BYTES) {
    throw new RangeError(
      `A filename may have ${MAX_ARTIFACT_FILENAME_BYTES} bytes, this one has ${bytes}. Shorten it.`,
    );
  }
  return clean;
}
