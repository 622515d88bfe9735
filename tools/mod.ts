/**
 * Tools that are defined once: checked arguments, a function of scripts, declarations for each provider. Importing this module needs no permission and loads no
 * package; one is loaded when a schema with a `pattern` is first used.
 *
 * @example
 * ```ts
 * import { DefaultSandboxBuilder } from "@agentloop/core";
 * import { defineTool, toolCapability } from "@agentloop/core/tools";
 *
 * const weather = defineTool({
 *   name: "get_weather",
 *   description: "The weather in a city",
 *   parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
 *   execute: ({ city }) => ({ city, degrees: 21 }),
 * });
 * await using sandboxBuilder = new DefaultSandboxBuilder({ capabilities: [toolCapability([weather])] });
 * console.log(sandboxBuilder instanceof DefaultSandboxBuilder);
 * ```
 *
 * @module
 */
export type {
  CallableTool,
  CheckedArguments,
  JsonSchema,
  Tool,
  ToolArguments,
  ToolExpander,
  ToolSearch,
  ToolSet,
} from "../contracts/tool.ts";
export {
  defineTool,
  type ToolDefinition,
  type ToolInput,
  type ToolParameters,
} from "./define_tool.ts";
export type { SchemaValue } from "./schema_types.ts";
export type {
  StandardSchema,
  StandardSchemaIssue,
  StandardSchemaProps,
  StandardSchemaResult,
} from "./standard_schema.ts";
export { defineForeignTools, foreignToolName, type ForeignToolOrigin } from "./foreign_tools.ts";
export { createToolExpander } from "./tool_expander.ts";
export { ToolRegistry } from "./tool_registry.ts";
export {
  toolCapability,
  type ToolCapabilityOptions,
  toolPack,
  type ToolSource,
} from "./tool_pack.ts";
export {
  declareTools,
  type ToolDeclarations,
  type ToolDialect,
  type ToolDialects,
} from "./wire/declare_tools.ts";
export type { AnthropicToolDeclaration } from "./wire/anthropic.ts";
export type { GeminiToolDeclaration } from "./wire/gemini.ts";
export type { GeminiOpenApiToolDeclaration } from "./wire/gemini_openapi.ts";
export type { OpenAIToolDeclaration } from "./wire/openai.ts";
