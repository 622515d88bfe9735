/** Tools in the form of Anthropic's Messages API. Rules: "Tool use" and the reference of `tools` in "Create a message" of Anthropic's API documentation. */
import type { JsonValue } from "../../contracts/json.ts";
import type { JsonSchema, Tool } from "../../contracts/tool.ts";
import { isObject } from "../schema/schema_node.ts";
import { partOf, refuse, type WirePlace } from "./normal_form.ts";
import { plainParameters } from "./plain_parameters.ts";

/** A tool as Anthropic's wire has it. */
export interface AnthropicToolDeclaration {
  /** Its name. */
  readonly name: string;
  /** What it does. */
  readonly description: string;
  /** JSON Schema of its arguments. */
  readonly input_schema: JsonSchema;
}

/** Declares a tool for Anthropic. */
export function anthropicTool(tool: Tool, notes: string[]): AnthropicToolDeclaration {
  const { name, description, parameters } = tool;
  const place = {
    tool: name,
    provider: "Anthropic",
    path: "#",
    root: parameters,
    within: [],
    notes,
  };
  checkNames(parameters, place);
  return { name, description, input_schema: plainParameters(parameters, place) };
}

/** Names of properties that the API takes. */
const PROPERTY_NAME = /^[A-Za-z0-9_.-]{1,64}$/;

function checkNames(value: JsonValue, place: WirePlace): void {
  if (Array.isArray(value)) {
    return value.forEach((item, index) => checkNames(item, partOf(place, index)));
  }
  if (!isObject(value)) return;
  for (const name of Object.keys(isObject(value.properties) ? value.properties : {})) {
    if (PROPERTY_NAME.test(name)) continue;
    refuse(
      partOf(place, "properties", name),
      'has a name that is refused there: letters, digits, "_", "." and "-", at most 64',
    );
  }
  for (const [keyword, inner] of Object.entries(value)) {
    if (
      keyword !== "enum" && keyword !== "const" && keyword !== "default" && keyword !== "examples"
    ) {
      checkNames(inner, partOf(place, keyword));
    }
  }
}
