/** Discovery in a run: what it is declared as, what it grows, and how scripts call it. Such a call reads declarations only, so that no policy is asked. */
import { AgentLoopError } from "../contracts/errors.ts";
import type { JsonValue } from "../contracts/json.ts";
import type { HostCall, HostCallHandler, HostFunction, HostReply } from "../contracts/sandbox.ts";
import type { CallableTool, ToolExpander } from "../contracts/tool.ts";
import { untilAborted } from "./abort.ts";
import { DISCOVER_FUNCTION, DISCOVER_TOOLS } from "./discover_wish.ts";
import { Discovery, MAX_DISCOVERED, MAX_SEARCHED } from "./discovery.ts";
import { READ_RESULT } from "./kept_results.ts";
import type { RunState, TurnContext } from "./run_state.ts";
import { addFound, declarationTokens } from "./run_tools.ts";
import { utf8Bytes } from "./utf8.ts";

/** Declarations that one script may find, in bytes; it goes on in the next turn. As much as a log holds. */
const MAX_TOLD_BYTES = 16 * 1024;

/** Tools that providers take in one request: OpenAI, and those that speak like it. */
const REQUEST_TOOLS = 128;

/** What a run is told of what it can find. */
type Finding = Pick<RunState, "parts" | "request" | "protocol">;

/** The declarations for scripts, with the function that finds more where there is more. */
export function declareDiscovery(run: Finding, sandboxApi: string): string {
  if (expanderOf(run) === undefined || callsByName(run)) return sandboxApi;
  return [sandboxApi.trim(), DISCOVER_FUNCTION].filter((text) => text !== "").join("\n");
}

/**
 * Begins the discovery of a run; nothing where nothing can be found.
 *
 * @throws {AgentLoopError} `config` when the run's sandbox cannot take further functions.
 */
export function openDiscovery(run: RunState): Discovery | undefined {
  const expander = expanderOf(run);
  if (expander === undefined) return undefined;
  const { sandbox, signal, recorder, budget } = run;
  const { tools: own, systemTokens } = run;
  const forScripts = !callsByName(run);
  const taken = new Set([
    DISCOVER_TOOLS.name,
    ...own.byName.keys(),
    ...sandbox.functions.keys(),
    ...forScripts ? [] : [READ_RESULT.name],
  ]);
  const declare = (found: readonly CallableTool[]): void => {
    const functions = found.map(({ hostFunction }) => hostFunction);
    sandbox.extend?.(forScripts ? [DISCOVER, ...functions] : functions);
    if (forScripts) return;
    run.tools = addFound(own, found);
    run.systemTokens = systemTokens +
      declarationTokens(found.map(({ declaration }) => declaration), budget.estimate);
  };
  begin(run, () => declare([]));
  return new Discovery({
    expander,
    forScripts,
    max: forScripts ? MAX_DISCOVERED : roomFor(own.declarations.length),
    isTaken: (name) => taken.has(name),
    declare,
    emit: recorder.emit,
    signal,
  });
}

/** The handler of a script's calls: those that look for tools are answered here, all others are passed on. */
export function answerDiscovery(
  run: RunState,
  { note, trace }: Pick<TurnContext, "note" | "trace">,
  handler: HostCallHandler,
): HostCallHandler {
  const { discovery } = run;
  if (discovery === undefined) return handler;
  const told = new Set<string>();
  let bytes = 0;
  const answer = async ({ argsJson, signal }: HostCall): Promise<HostReply> => {
    if (bytes > MAX_TOLD_BYTES) {
      return {
        ok: false,
        message: "this script has found as much as can be shown; go on in your next turn",
      };
    }
    const [args] = JSON.parse(argsJson) as readonly JsonValue[];
    const { ok, names, text } = await untilAborted(signal, discovery.find(args, trace));
    if (!ok) return { ok, message: text };
    if (!told.has(text)) note(text);
    told.add(text);
    bytes += utf8Bytes(text);
    return { ok, json: JSON.stringify(names) };
  };
  return async (call) => {
    if (call.name !== DISCOVER_TOOLS.name) return await handler(call);
    try {
      return await answer(call);
    } catch {
      return { ok: false, name: "AbortError", message: "the script has ended" };
    }
  };
}

/** Beside so many declared tools, and the one that reads long results, so many found ones; where that leaves none for a search, the bound is not OpenAI's. */
function roomFor(declared: number): number {
  const room = REQUEST_TOOLS - 1 - declared;
  return room < MAX_SEARCHED ? MAX_DISCOVERED : Math.min(MAX_DISCOVERED, room);
}

function expanderOf({ request, parts }: Finding): ToolExpander | undefined {
  return request.toolExpander ?? parts.toolExpander;
}

function callsByName({ protocol }: Finding): boolean {
  return protocol.name === "tools";
}

function begin({ sandbox }: RunState, declare: () => void): void {
  if (sandbox.extend === undefined) {
    throw new AgentLoopError(
      "The run has a toolExpander, and its sandbox cannot take further functions (it has no `extend`).",
      { code: "config" },
    );
  }
  try {
    declare();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new AgentLoopError(
      `The run has a toolExpander, whose function cannot be declared: ${why}`,
      {
        code: "config",
        cause,
      },
    );
  }
}

/** What scripts find it by. Its calls are answered before they come to the gate. */
const DISCOVER: HostFunction = {
  name: DISCOVER_TOOLS.name,
  execute: () => {
    throw new TypeError("tools are looked for by the loop");
  },
};
