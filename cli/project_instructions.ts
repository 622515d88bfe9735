/**
 * The instructions of the project that a run works in: read while something slower is under way, and the same for all of a conversation.
 */
import type { Capability } from "../contracts/sandbox.ts";
import {
  type CatalogOptions,
  loadProject,
  projectCapability,
  type ProjectDocument,
  renderCatalog,
  renderProject,
} from "../ext/project/mod.ts";
import { profileFor } from "../loop/profile.ts";
import type { CliOptions } from "./option_table.ts";
import { hasRoomForInstructions, type WindowOptions } from "./small_window.ts";
import type { Status } from "./status.ts";
import { oneLine } from "./terminal_text.ts";
import { formatBytes } from "./units.ts";

/** Bytes of instructions that every prompt holds in full when the model's window is not known: some 16,000 tokens. */
const FULL_BYTES = 64 * 1024;

/** From so many tokens of window each file gets what the profile says, below it all of them together. */
const ROOMY_WINDOW = 4096;

/** What a run takes of its project's instructions. */
export interface RunInstructions {
  /** For the end of the system prompt; empty when there are none. */
  readonly context: string;
  /** What scripts need to read the rest. */
  readonly capabilities: readonly Capability[];
}

/** What the instructions depend on. */
export type InstructionOptions = Pick<CliOptions, "noProject"> & WindowOptions;

const NONE: RunInstructions = { context: "", capabilities: [] };

/**
 * Reads the instructions of the project: whole, or where the model's window is known or they are large, their beginnings and the functions that read the
 * rest. Warns of files that cannot be used. None when they are unwanted, or when this program may not read the folder.
 */
export async function readInstructions(
  options: InstructionOptions,
  status: Pick<Status, "warning" | "detail">,
): Promise<RunInstructions> {
  const { cwd = ".", noProject, contextWindow } = options;
  // That an empty name is wrong is told where the other options are looked at.
  if (noProject || cwd === "") return NONE;
  const { documents, warnings } = await loadProject({ cwd });
  for (const warning of warnings) tell(status.warning, warning);
  if (documents.length === 0) return NONE;
  if (!hasRoomForInstructions(options)) {
    tell(status.warning, `left out: ${contextWindow} tokens of window have no room for them`);
    return NONE;
  }
  tell(
    status.detail,
    documents.map(({ name, bytes }) => `${name} (${formatBytes(bytes)})`).join(", "),
  );
  if (contextWindow === undefined && bytesOf(documents) <= FULL_BYTES) {
    return { context: renderProject(documents, { maxBytes: 2 * FULL_BYTES }), capabilities: [] };
  }
  const bounds = boundsFor(contextWindow);
  return {
    context: renderCatalog(documents, bounds),
    capabilities: [projectCapability(documents, bounds)],
  };
}

function boundsFor(window: number | undefined): CatalogOptions {
  if (window === undefined) return { inlineBytes: FULL_BYTES, maxBytes: FULL_BYTES };
  const inlineBytes = profileFor(window).projectInlineBytes;
  return window < ROOMY_WINDOW ? { inlineBytes, maxBytes: inlineBytes } : { inlineBytes };
}

function bytesOf(documents: readonly ProjectDocument[]): number {
  return documents.reduce((sum, { bytes }) => sum + bytes, 0);
}

function tell(print: (text: string) => void, text: string): void {
  print(oneLine(`project instructions: ${text}`, 400));
}
