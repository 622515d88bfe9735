/** Puts the beginnings of instructions into a prompt; what is left out is read by `projectGet`. */
import { refuseUnknown } from "../../contracts/known_names.ts";
import { byteLength } from "./clean_text.ts";
import { type Fence, fenceAfter, headingOf } from "./code_fences.ts";
import type { ProjectDocument } from "./load_project.ts";
import { openingOf } from "./opening_section.ts";
import { projectSection, quoted, quotedName, type SectionPart } from "./project_section.ts";
import { checkBytes, shareBytes } from "./shares.ts";

const DEFAULT_INLINE_BYTES = 4096;

/** Bytes of one heading that a note names, and of all: with them a file of any size costs no more than 1,300 tokens in all. */
const HEADING_BYTES = { one: 60, all: 240 };

/** All headings take this share of what one file may take. */
const HEADINGS_SHARE = 16;

/** How much of each file stands in the prompt. The same for {@linkcode renderCatalog} and for `projectCapability`. */
export interface CatalogOptions {
  /** UTF-8 bytes of one file at most; a file that is no longer is whole. @default 4_096, as `Profile.projectInlineBytes` has it for a large window */
  readonly inlineBytes?: number;
  /** UTF-8 bytes of all files together. Where they are more, large files get less, alike. @default four times `inlineBytes` */
  readonly maxBytes?: number;
}

const OPTIONS: Readonly<Record<keyof CatalogOptions, true>> = {
  inlineBytes: true,
  maxBytes: true,
};

/**
 * Demands that options hold nothing that is not known.
 *
 * @throws {TypeError} naming what is not, and what there is.
 */
export function checkCatalogOptions(caller: string, options: CatalogOptions): void {
  refuseUnknown(caller, options, OPTIONS);
}

/**
 * The section `## Project instructions` for the `context` of a run: of each file the beginning, cut at a paragraph, and behind it what is left out and
 * how a script reads it. The sandbox needs `projectCapability` with the same options. Empty when there are no files.
 *
 * @throws {RangeError} when a bound is no positive whole number. @throws {TypeError} when there is no such option.
 */
export function renderCatalog(
  documents: readonly ProjectDocument[],
  options: CatalogOptions = {},
): string {
  checkCatalogOptions("renderCatalog", options);
  const shown = openingsOf(documents, options);
  const { inlineBytes = DEFAULT_INLINE_BYTES } = options;
  const headingBytes = Math.min(HEADING_BYTES.all, inlineBytes / HEADINGS_SHARE);
  return projectSection(
    documents.map((document, index) =>
      catalogPart(document, { shown: shown[index] ?? "", headingBytes })
    ),
  );
}

/** What the catalogue shows of each file. */
export function openingsOf(
  documents: readonly ProjectDocument[],
  { inlineBytes = DEFAULT_INLINE_BYTES, maxBytes = inlineBytes * 4 }: CatalogOptions,
): readonly string[] {
  checkBytes("project instructions", { inlineBytes, maxBytes });
  const shares = shareBytes(documents.map(({ bytes }) => Math.min(bytes, inlineBytes)), maxBytes);
  return documents.map(({ text }, index) => openingOf(text, shares[index] ?? 0));
}

function catalogPart(
  document: ProjectDocument,
  { shown, headingBytes }: { readonly shown: string; readonly headingBytes: number },
): SectionPart {
  if (shown === document.text) return { document, shown };
  const get = `projectGet(${quotedName(document)})`;
  const left = document.bytes - byteLength(shown);
  const headings = headingsOf(document.text.slice(shown.length), headingBytes);
  const about = headings.length === 0 ? "" : ` Headings in it: ${headings.join(", ")}.`;
  const note = shown === ""
    ? `[${left} bytes, all left out here: ${get} gives them.${about}]`
    : `[${left} of ${document.bytes} bytes are left out here: ${get}.slice(${shown.length}) gives the rest.${about} Read it before work that it may concern.]`;
  return { document, shown, note };
}

/** The headings of a text in quotes, as far as a note has room for them. */
function headingsOf(text: string, maxBytes: number): readonly string[] {
  const headings: string[] = [];
  let fence: Fence | undefined;
  let bytes = 0;
  for (const line of text.split("\n")) {
    const heading = fence === undefined ? headingOf(line) : undefined;
    fence = fenceAfter(line, fence);
    if (heading === undefined || heading === "") continue;
    const name = quoted(openingOf(heading, HEADING_BYTES.one));
    bytes += byteLength(name) + 2;
    if (bytes > maxBytes) return headings.length === 0 ? [] : [...headings, "…"];
    headings.push(name);
  }
  return headings;
}
