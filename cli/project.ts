/**
 * The instructions of the project that a run works in: read while something slower is under way, and the same for all of a conversation.
 */
import type { Capability } from "../contracts/sandbox.ts";
import {
  loadProject,
  projectCapability,
  type ProjectDocument,
  renderCatalog,
  renderProject,
} from "../ext/project/mod.ts";
import { profileFor } from "../loop/profile.ts";
import type { CliOptions } from "./option_table.ts";
import type { Status } from "./status.ts";
import { oneLine } from "./terminal_text.ts";

/** Bytes of instructions that every prompt holds in full when the model's window is not known: some 16,000 tokens. */
const FULL_BYTES = 64 * 1024;

/** Below so many tokens of window all files together get what else each of them gets. */
const SMALL_WINDOW = 4096;

/** What a run takes of its project's instructions. */
export interface RunInstructions {
  /** For the end of the system prompt; empty when there are none. */
  readonly context: string;
  /** What scripts need to read the rest. */
  readonly capabilities: readonly Capability[];
}

/** What the instructions depend on. */
export type InstructionOptions = Pick<CliOptions, "cwd" | "noProject" | "contextWindow">;

/**
 * Reads the instructions of the project: whole, or where the model's window is known or they are large, their beginnings and the functions that read the
 * rest. Warns of files that cannot be used. None when they are unwanted, or when this program may not read the folder.
 */
export async function readInstructions(
  { cwd = ".", noProject, contextWindow }: InstructionOptions,
  status: Pick<Status, "warning">,
): Promise<RunInstructions> {
  // An empty name is told to be wrong where the other options are looked at.
  if (noProject || cwd === "") return { context: "", capabilities: [] };
  const { documents, warnings } = await loadProject({ cwd });
  for (const warning of warnings) status.warning(oneLine(`project instructions: ${warning}`, 400));
  if (contextWindow === undefined && bytesOf(documents) <= FULL_BYTES) {
    return { context: renderProject(documents, { maxBytes: 2 * FULL_BYTES }), capabilities: [] };
  }
  const bounds = contextWindow === undefined
    ? { inlineBytes: FULL_BYTES, maxBytes: FULL_BYTES }
    : boundsFor(contextWindow);
  return {
    context: renderCatalog(documents, bounds),
    capabilities: documents.length === 0 ? [] : [projectCapability(documents, bounds)],
  };
}

function boundsFor(window: number): { readonly inlineBytes: number; readonly maxBytes?: number } {
  const inlineBytes = profileFor(window).projectInlineBytes;
  return window < SMALL_WINDOW ? { inlineBytes, maxBytes: inlineBytes } : { inlineBytes };
}

function bytesOf(documents: readonly ProjectDocument[]): number {
  return documents.reduce((sum, { bytes }) => sum + bytes, 0);
}
