/** Tools in the form that a provider takes. Pure: nothing is sent, and no key is needed. */
import type { Tool } from "../../contracts/tool.ts";
import { anthropicTool, type AnthropicToolDeclaration } from "./anthropic.ts";
import { geminiTool, type GeminiToolDeclaration } from "./gemini.ts";
import { geminiOpenApiTool, type GeminiOpenApiToolDeclaration } from "./gemini_openapi.ts";
import { openaiStrictTool, openaiTool, type OpenAIToolDeclaration } from "./openai.ts";

/** What each form looks like. */
export interface ToolDialects {
  /** OpenAI's chat completions, and what speaks like them. */
  readonly openai: OpenAIToolDeclaration;
  /** The same with `strict`: every property required, nothing else let in. */
  readonly "openai-strict": OpenAIToolDeclaration;
  /** Anthropic's Messages. */
  readonly anthropic: AnthropicToolDeclaration;
  /** Gemini's function declarations with `parametersJsonSchema`. */
  readonly gemini: GeminiToolDeclaration;
  /** Gemini's function declarations with `parameters`, for endpoints that do not take the other. */
  readonly "gemini-openapi": GeminiOpenApiToolDeclaration;
}

/** The name of a form. */
export type ToolDialect = keyof ToolDialects;

/** Tools in one form. */
export interface ToolDeclarations<Dialect extends ToolDialect = ToolDialect> {
  /** One for each tool, in their order. */
  readonly tools: readonly ToolDialects[Dialect][];
  /** What the form cannot say and was left out (tool, path, keyword; the arguments are checked against it all the same), and limits that may be met. */
  readonly notes: readonly string[];
}

const DECLARE: {
  readonly [Dialect in ToolDialect]: (tool: Tool, notes: string[]) => ToolDialects[Dialect];
} = {
  openai: openaiTool,
  "openai-strict": openaiStrictTool,
  anthropic: anthropicTool,
  gemini: geminiTool,
  "gemini-openapi": geminiOpenApiTool,
};

/** From the reference of `tools` in "Create chat completion", and of `functionDeclarations` in Vertex AI's "Tool". Anthropic names no bound. */
const MOST_TOOLS = 128;
const BOUNDED: { readonly [Dialect in ToolDialect]?: string } = {
  openai: "OpenAI",
  "openai-strict": "OpenAI",
  gemini: "Vertex AI",
  "gemini-openapi": "Vertex AI",
};

/**
 * Declares tools.
 *
 * @throws {TypeError} when a tool cannot be said in this form without telling the model something else: tool, path, reason and way out.
 */
export function declareTools<Dialect extends ToolDialect>(
  tools: Iterable<Tool>,
  dialect: Dialect,
): ToolDeclarations<Dialect> {
  if (!Object.hasOwn(DECLARE, dialect)) {
    throw new TypeError(
      `there is no form ${JSON.stringify(dialect)}; there is: ${Object.keys(DECLARE).join(", ")}`,
    );
  }
  const declare: (tool: Tool, notes: string[]) => ToolDialects[Dialect] = DECLARE[dialect];
  const notes: string[] = [];
  const declared = Array.from(tools, (tool) => declare(tool, notes));
  const bounded = BOUNDED[dialect];
  if (bounded !== undefined && declared.length > MOST_TOOLS) {
    notes.push(`${declared.length} tools: ${bounded} takes ${MOST_TOOLS} in a request`);
  }
  return { tools: declared, notes };
}
