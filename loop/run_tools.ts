/** What a run can call by name, as it was when the run began, and a sandbox for runs that have nothing else. */
import { AgentLoopError } from "../contracts/errors.ts";
import type { ToolDeclaration } from "../contracts/model.ts";
import { DEFAULT_SANDBOX_LIMITS, type HostFunction, type Sandbox } from "../contracts/sandbox.ts";
import type { CallableTool, ToolSet } from "../contracts/tool.ts";
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
 * @throws {AgentLoopError} `config` when two have one name, or one has a name that the loop needs.
 */
export function takeTools(set: ToolSet): RunTools {
  const byName = new Map<string, CallableTool>();
  const functions = new Set<string>();
  for (const tool of set.callable()) {
    const { name } = tool.declaration;
    if (byName.has(name) || functions.has(tool.hostFunction.name)) {
      throw new AgentLoopError(`Two tools of the run are named ${name}; names must differ.`, {
        code: "config",
      });
    }
    if (name === READ_RESULT.name) {
      throw new AgentLoopError(`A tool is named ${name}, which is the loop's own.`, {
        code: "config",
      });
    }
    byName.set(name, tool);
    functions.add(tool.hostFunction.name);
  }
  return { declarations: [...byName.values()].map(({ declaration }) => declaration), byName };
}

/** The sandbox of a run without scripts: the gate finds the tools' functions in it. */
export function toolSandbox({ byName }: RunTools): Sandbox {
  const functions = new Map<string, HostFunction>(
    [...byName.values()].map(({ hostFunction }) => [hostFunction.name, hostFunction]),
  );
  return {
    prompt: "",
    functions,
    limits: DEFAULT_SANDBOX_LIMITS,
    evaluate: () => Promise.reject(new TypeError("a run that calls tools runs no scripts")),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
