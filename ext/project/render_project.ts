/** Puts instructions into a prompt whole, up to a bound. */
import { refuseUnknown } from "../../contracts/known_names.ts";
import { byteLength } from "./clean_text.ts";
import { openFenceOf } from "./code_fences.ts";
import type { ProjectDocument } from "./load_project.ts";
import { openingOf } from "./opening_section.ts";
import { projectSection, type SectionPart } from "./project_section.ts";
import { checkBytes, shareBytes } from "./shares.ts";

/** Options of {@linkcode renderProject}. */
export interface RenderProjectOptions {
  /** Size of the section at most, in UTF-8 bytes; its lead and the names of the files are there in any case. @default 65_536 (64 KiB), some 16,000 tokens */
  readonly maxBytes?: number;
}

/**
 * The section `## Project instructions` for the `context` of a run: every file in full. When that is more than the bound, large files are cut at a
 * paragraph, alike, and behind each stands how much is left out. Empty when there are no files.
 *
 * @throws {RangeError} when the bound is no positive whole number. @throws {TypeError} when there is no such option.
 */
export function renderProject(
  documents: readonly ProjectDocument[],
  options: RenderProjectOptions = {},
): string {
  refuseUnknown("renderProject", options, { maxBytes: true });
  const { maxBytes = 65_536 } = options;
  checkBytes("renderProject", { maxBytes });
  const whole = projectSection(documents.map((document) => ({ document, shown: document.text })));
  if (byteLength(whole) <= maxBytes) return whole;
  // The section as it is when all texts are left out: as large as what stands around them can get.
  const around = projectSection(documents.map((document) => cutPart(document, "")));
  // A text takes a line feed more, and one that leaves a fence open, what closes it.
  const closing = documents.reduce(
    (sum, { text }) => sum + 2 + (openFenceOf(text) ?? "").length,
    0,
  );
  const room = Math.max(0, maxBytes - byteLength(around) - closing);
  const shares = shareBytes(documents.map(({ bytes }) => bytes), room);
  return projectSection(
    documents.map((document, index) =>
      cutPart(document, openingOf(document.text, shares[index] ?? 0))
    ),
  );
}

function cutPart(document: ProjectDocument, shown: string): SectionPart {
  if (shown === document.text) return { document, shown };
  const left = document.bytes - byteLength(shown);
  const note = shown === ""
    ? `[all of its ${document.bytes} bytes are left out here]`
    : `[the last ${left} of its ${document.bytes} bytes are left out here]`;
  return { document, shown, note };
}
