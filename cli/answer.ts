/**
 * The answer on stdout: Markdown is rendered for a person at a terminal, everybody else gets it byte for byte.
 */
import type { CliOptions } from "./option_table.ts";
import type { Output } from "./output.ts";
import { mayStyle, terminalSize } from "./terminal_size.ts";

/** Where answers go. */
export interface AnswerContext {
  /** stdout. */
  readonly output: Pick<Output, "json" | "isTerminal" | "text" | "rendered">;
  /** Whether they are wanted as they came, and whether in colors. */
  readonly options: Pick<CliOptions, "raw" | "noColor">;
}

/** Begins to load what {@linkcode showAnswer} will need, so that nobody waits for it behind an answer. */
export function warmUpAnswers(context: AnswerContext): void {
  if (isRendered(context)) loadRenderer().catch(() => {});
}

/** Queues an answer, with one line feed at its end. Does nothing in JSON mode. */
export async function showAnswer(text: string, context: AnswerContext): Promise<void> {
  const { output, options } = context;
  const shown = text.endsWith("\n") ? text : `${text}\n`;
  if (!isRendered(context)) return output.text(shown);
  let renderer: Awaited<ReturnType<typeof loadRenderer>>;
  try {
    renderer = await loadRenderer();
  } catch {
    // The parser's package is not there and cannot be fetched: the answer still is.
    return output.text(shown);
  }
  const { columns } = terminalSize();
  const color = mayStyle(options);
  output.rendered(`${renderer.renderMarkdown(text, { columns, color })}\n`);
}

function isRendered({ output, options }: AnswerContext): boolean {
  return !output.json && output.isTerminal && !options.raw;
}

function loadRenderer(): Promise<typeof import("./markdown/render_markdown.ts")> {
  return import("./markdown/render_markdown.ts");
}
