/**
 * Tools in the shape of the OpenAI wire, and what a request with tools must keep to. Pure.
 */
import type { CompletionRequest, ToolChoice, ToolDeclaration } from "../contracts/model.ts";
import { isFrozenWhole } from "./kept_json.ts";
import { SentList } from "./sent_list.ts";

/** A tool as it is sent. */
export interface WireTool {
  readonly type: "function";
  readonly function: ToolDeclaration;
}

/** The choice as it is sent. */
export type WireToolChoice =
  | "auto"
  | "none"
  | "required"
  | { readonly type: "function"; readonly function: { readonly name: string } };

/** The tools of a request as they are sent. */
export function wireTools(tools: readonly ToolDeclaration[]): WireTool[] {
  return sent.shaped(tools, ({ name, description, parameters }) => ({
    type: "function",
    function: { name, description: description.toWellFormed(), parameters },
  }));
}

const sent = new SentList<ToolDeclaration, WireTool>(isFrozenWhole);

/** The choice of a request as it is sent. */
export function wireToolChoice(choice: ToolChoice): WireToolChoice {
  return typeof choice === "string"
    ? choice
    : { type: "function", function: { name: choice.name } };
}

/**
 * Checks what a request says about tools, for every provider alike.
 *
 * @throws {TypeError} when a tool has no name or the name of another, or when the choice asks for a tool that is not there.
 */
export function assertTools({ tools = [], toolChoice }: CompletionRequest): void {
  const names = new Set<string>();
  for (const [at, { name }] of tools.entries()) {
    if (typeof name !== "string" || name === "") {
      throw new TypeError(`tools[${at}] must have a name; got ${JSON.stringify(name)}`);
    }
    if (names.has(name)) {
      throw new TypeError(
        `tools[${at}] must have a name of its own; ${JSON.stringify(name)} is taken`,
      );
    }
    names.add(name);
  }
  if (toolChoice === "required" && names.size === 0) {
    throw new TypeError('toolChoice "required" needs tools; the request has none');
  }
  if (typeof toolChoice === "object" && !names.has(toolChoice.name)) {
    throw new TypeError(
      `toolChoice must name one of the request's tools; got ${JSON.stringify(toolChoice.name)}`,
    );
  }
}
