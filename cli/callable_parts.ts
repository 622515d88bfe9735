/**
 * What runs can call: the same for scripts and for models that call by name.
 */
import type { Capability } from "../contracts/sandbox.ts";
import type { Tool } from "../contracts/tool.ts";

/** Something that runs can call, in scripts and by name. */
export interface CallableParts {
  /** For scripts. */
  readonly capabilities: readonly Capability[];
  /** By name. */
  readonly tools: readonly Tool[];
  /** Whether an address of theirs, such as an artifact's, leads to something. @default none does */
  readonly isKnownAddress?: (address: string) => Promise<boolean>;
}

/** Nothing. */
export const NOTHING_TO_CALL: CallableParts = { capabilities: [], tools: [] };

/** All of several. Only one of them may have addresses. */
export function joinParts(parts: readonly CallableParts[]): CallableParts {
  const isKnownAddress = parts.find((part) => part.isKnownAddress !== undefined)?.isKnownAddress;
  return {
    capabilities: parts.flatMap(({ capabilities }) => capabilities),
    tools: parts.flatMap(({ tools }) => tools),
    ...(isKnownAddress === undefined ? {} : { isKnownAddress }),
  };
}
