/** What a run can call by name, as it was when the run began, and a sandbox for runs that have nothing else. */
import type { TokenEstimator } from "../contracts/compaction.ts";
import { AgentLoopError } from "../contracts/errors.ts";
import type { ToolDeclaration } from "../contracts/model.ts";
import { DEFAULT_SANDBOX_LIMITS, type HostFunction, type Sandbox } from "../contracts/sandbox.ts";
import type { CallableTool, ToolSet } from "../contracts/tool.ts";
import { DISCOVER_TOOLS } from "./discover_wish.ts";
import { READ_RESULT } from "./kept_results.ts";

/** The tools of one run. */
export interface RunTools {
  /** What is declared to the model, always in one order. */
  readonly declarations: readonly ToolDeclaration[];
  /** By the names that calls use. */
  readonly byName: ReadonlyMap<string, CallableTool>;
}

/** For runs whose model writes scripts. */
export const NO_TOOLS: RunTools = { declarations: [], byName: new Map() };

/**
 * Takes the tools of a run.
 *
 * @param discovers whether further ones can be looked for
 * @throws {AgentLoopError} `config` when two have one name, or one has a name that the loop needs.
 */
export function takeTools(
  set: ToolSet | undefined,
  { discovers = false }: { readonly discovers?: boolean } = {},
): RunTools {
  const own = [READ_RESULT.name, ...discovers ? [DISCOVER_TOOLS.name] : []];
  const byName = new Map<string, CallableTool>();
  const functions = new Set<string>();
  for (const tool of set?.callable() ?? []) {
    const { name } = tool.declaration;
    if (byName.has(name) || functions.has(tool.hostFunction.name)) {
      throw new AgentLoopError(`Two tools of the run are named ${name}; names must differ.`, {
        code: "config",
      });
    }
    if (own.includes(name)) {
      throw new AgentLoopError(`A tool is named ${name}, which is the loop's own.`, {
        code: "config",
      });
    }
    byName.set(name, tool);
    functions.add(tool.hostFunction.name);
  }
  const declarations = [...byName.values()].map(({ declaration }) => declaration);
  return {
    // A copy, as of what reads long results.
    declarations: discovers ? [...declarations, { ...DISCOVER_TOOLS }] : declarations,
    byName,
  };
}

/** The tools of a run and those that it found, which stand behind them. */
export function addFound(own: RunTools, found: readonly CallableTool[]): RunTools {
  return {
    declarations: [...own.declarations, ...found.map(({ declaration }) => declaration)],
    byName: new Map([
      ...own.byName,
      ...found.map((tool) => [tool.declaration.name, tool] as const),
    ]),
  };
}

/** About what declarations take, in tokens. */
export function declarationTokens(
  declarations: readonly ToolDeclaration[],
  estimate: TokenEstimator,
): number {
  return declarations.length === 0 ? 0 : estimate(JSON.stringify(declarations));
}

/** The sandbox of a run without scripts: the gate finds the tools' functions in it. */
export function toolSandbox({ byName }: RunTools): Sandbox {
  const own = [...byName.values()].map(({ hostFunction }) => hostFunction);
  const functions = new Map<string, HostFunction>(own.map((one) => [one.name, one]));
  return {
    prompt: "",
    functions,
    limits: DEFAULT_SANDBOX_LIMITS,
    extend(added) {
      functions.clear();
      for (const one of [...own, ...added]) functions.set(one.name, one);
    },
    evaluate: () => Promise.reject(new TypeError("a run that calls tools runs no scripts")),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
