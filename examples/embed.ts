/**
 * The smallest embedding: a loop over memory stores, one function of our own for scripts to call, and a look at the events.
 *
 * From a checkout, with OPENAI_API_KEY or OPENAI_BASE_URL set:
 *
 *   deno run -A examples/embed.ts "How many lamps and chairs are in stock together?"
 *
 * In a program of your own, add the package first: deno add jsr:@agentloop/core
 */
import {
  AgentLoopError,
  type Capability,
  createLoop,
  DefaultSandboxBuilder,
  MemoryStore,
  type RunEvent,
} from "@agentloop/core";
import { configFromEnv, createOpenAIClient } from "@agentloop/core/llm/openai";

/** What the warehouse holds. In a real program this is a database, which is why the capability closes over it. */
const ARTICLES: Readonly<Record<string, number>> = { lamp: 7, chair: 12, table: 3 };

/** A named unit of functionality. The declaration is all that the model is told of it; the function is ours and runs on our side. */
function stockCapability(articles: Readonly<Record<string, number>>): Capability {
  return {
    name: "stock",
    description: "Looks up what is in stock",
    build: () => [{
      name: "stock",
      prompt: [
        "/** Names of all articles. */",
        "declare function listArticles(): string[];",
        "/** Pieces in stock; throws for a name that is not known. */",
        "declare function inStock(article: string): number;",
      ].join("\n"),
      functions: [
        { name: "listArticles", execute: () => Object.keys(articles) },
        {
          name: "inStock",
          execute([article]) {
            const pieces = articles[String(article)];
            // What is thrown here reaches the script as an error that it can catch.
            if (pieces === undefined) throw new Error(`there is no article ${article}`);
            return pieces;
          },
        },
      ],
    }],
  };
}

/** What we show of a run while it goes on. */
function describeEvent(event: RunEvent): string | undefined {
  switch (event.type) {
    case "execute_js":
      return `the model wrote:\n${event.content}`;
    case "execute_js_result":
      return `and was told, after ${Math.round(event.durationMs)} ms:\n${event.content}`;
    case "warning":
    case "error":
      return `${event.type}: ${event.content}`;
    default:
      return undefined;
  }
}

async function main(message: string): Promise<number> {
  const store = new MemoryStore();
  // Owns the process that scripts run in; ends it when the block is left.
  await using sandboxBuilder = new DefaultSandboxBuilder({
    capabilities: [stockCapability(ARTICLES)],
  });
  const loop = createLoop({
    llm: createOpenAIClient(configFromEnv()),
    sessions: store,
    steps: store,
    sandboxBuilder,
  });

  const run = loop.stream({ sessionId: "example", message });
  for await (const event of run) {
    const text = describeEvent(event);
    if (text !== undefined) console.error(text);
  }

  // How a run ended is a value: it does not throw because a model could not be reached.
  const result = await run.result;
  if (result.status !== "completed") {
    console.error(`${result.status}: ${result.error?.message ?? result.reason ?? ""}`);
    return 1;
  }
  console.log(result.finalText);
  const { prompt, completion } = result.tokens;
  console.error(`${result.steps} steps, ${prompt} + ${completion} tokens`);
  return 0;
}

if (import.meta.main) {
  const message = Deno.args.join(" ") || "How many lamps and chairs are in stock together?";
  try {
    Deno.exit(await main(message));
  } catch (error) {
    // What throws is the set-up: a key that is missing, a base URL that is none. The message says what to do.
    if (!(error instanceof AgentLoopError)) throw error;
    console.error(error.message);
    Deno.exit(1);
  }
}
