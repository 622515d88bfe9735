/**
 * A peer for the bench of tool calls: the AI SDK's `generateText` with one tool, as its documentation has it. It is no part of the product: its packages are named here
 * only, and by constants, so that neither the module graph nor the lock file knows them.
 */

const AI = "npm:ai@7.0.173";
const PROVIDER = "npm:@ai-sdk/openai-compatible@3.0.92";
const ZOD = "npm:zod@4.6.7";

/** What is used of its packages, whose types are not loaded. */
interface AiPackage {
  generateText(options: object): Promise<{ readonly text: string }>;
  tool(definition: object): object;
  isStepCount(count: number): object;
}

/** Asks the model, by the peer, until it answers. */
export type AiSdkRun = (message: string) => Promise<string>;

/** Loads the peer, and prepares it for a model. It keeps no log and asks nobody; retries are off. */
export async function createAiSdkRun(
  { baseUrl, model }: { readonly baseUrl: string; readonly model: string },
): Promise<AiSdkRun> {
  const [ai, { createOpenAICompatible }, { z }] = await Promise.all([
    import(AI) as Promise<AiPackage>,
    import(PROVIDER),
    import(ZOD),
  ]);
  const provider = createOpenAICompatible({ name: "bench", baseURL: baseUrl, apiKey: "x" });
  const tools = {
    tick: ai.tool({
      description: "Tick",
      inputSchema: z.object({ i: z.number() }),
      execute: ({ i }: { readonly i: number }) => `ok ${i}`,
    }),
  };
  return async (message) => {
    const { text } = await ai.generateText({
      model: provider(model),
      system: "You are a test agent.",
      prompt: message,
      tools,
      stopWhen: ai.isStepCount(60),
      maxRetries: 0,
    });
    return text;
  };
}
