/**
 * What `--tools`, `--search` and `--memory` add to a run: functions for scripts, tools by name, and a memory that outlives the session. Loaded only where one of them is given.
 */
import type { FactStore } from "../contracts/fact.ts";
import type { LoopConfig } from "../contracts/loop.ts";
import type { Client } from "../contracts/model.ts";
import type { Capability } from "../contracts/sandbox.ts";
import type { Tool } from "../contracts/tool.ts";
import { memoryCapability, memoryTools } from "../ext/memory/mod.ts";
import { modelDistiller } from "../loop/model_distiller.ts";
import { toolCapability, ToolRegistry } from "../tools/mod.ts";
import { type CallableParts, NOTHING_TO_CALL } from "./callable_parts.ts";
import type { CliOptions } from "./option_table.ts";
import { readOwnTools } from "./own_tools.ts";
import { searchParts } from "./web_search.ts";

/** What a loop gives its parts. */
export interface ToolPartsInput {
  /** Where facts are kept. */
  readonly facts: FactStore;
  /** Makes facts of runs. */
  readonly client: Client;
  /** The model that is asked for them. */
  readonly model: string | undefined;
  /** What the command itself lets runs call. */
  readonly brought?: CallableParts | undefined;
}

/** The parts for a loop. */
export interface ToolParts {
  /** For scripts. */
  readonly capabilities: readonly Capability[];
  /** For the loop itself. */
  readonly config: Pick<LoopConfig, "tools" | "memory">;
}

/** Makes the parts for a loop, and for the next one when another model is asked. */
export type MakeToolParts = (input: ToolPartsInput) => ToolParts;

/**
 * Reads what the options name.
 *
 * @param signal ends the wait for a module that does not end by itself
 * @throws {CliError} `usage` for a module or an address that cannot be used, `permission` for an engine that may not be reached.
 */
export async function readToolParts(
  options: Pick<CliOptions, "tools" | "memory" | "search">,
  signal: AbortSignal,
): Promise<MakeToolParts> {
  const search = searchParts(options);
  const tools = await readOwnTools(options, signal);
  return ({ facts, brought = NOTHING_TO_CALL, ...asked }) =>
    toolParts({
      ...asked,
      tools,
      others: [search, brought],
      facts: options.memory ? facts : undefined,
    });
}

function toolParts(
  { tools, others, facts, client, model }: Pick<ToolPartsInput, "client" | "model"> & {
    readonly tools: readonly Tool[];
    readonly others: readonly CallableParts[];
    readonly facts: FactStore | undefined;
  },
): ToolParts {
  const named = [
    ...tools,
    ...others.flatMap(({ tools }) => tools),
    ...facts === undefined ? [] : memoryTools({ facts }),
  ];
  const distill = modelDistiller({ llm: client, ...(model === undefined ? {} : { model }) });
  return {
    capabilities: [
      ...(tools.length === 0 ? [] : [toolCapability(tools, { name: "own-tools" })]),
      ...others.flatMap(({ capabilities }) => capabilities),
      ...(facts === undefined ? [] : [memoryCapability({ facts })]),
    ],
    config: {
      ...(named.length === 0 ? {} : { tools: new ToolRegistry(named) }),
      ...(facts === undefined ? {} : { memory: { facts, distill } }),
    },
  };
}
