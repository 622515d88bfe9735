/**
 * Lines from a pipe, and what every source of messages has in common.
 */

/** What a reader gives: a message, the end of input, or Ctrl-C at the prompt. */
export type ReadLine = { readonly line: string } | "end" | "interrupt";

/** Reads messages, one at a time. Disposing lets go of stdin. */
export interface LineReader extends Disposable {
  /** Shows the prompt (at a terminal) and waits for a line, or for the signal. */
  read(prompt: string, signal: AbortSignal, options?: ReadOptions): Promise<ReadLine>;
  /** Lets messages of an earlier time be called up, the oldest first. Absent where nothing can. */
  recall?(messages: readonly string[]): void;
}

/** How one line is read at a terminal; a pipe knows nothing of it. */
export interface ReadOptions {
  /** What stands there to be changed. @default "" */
  readonly initial?: string;
  /** Whether the line can be called up again. @default true */
  readonly remember?: boolean;
}

/** Reads from a pipe or file, without prompts. */
export function pipedLines(stream: ReadableStream<Uint8Array>): LineReader {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = "";
  let ended = false;
  /** A read that whoever asked for it did not wait for: what it brings is for the next one. */
  let pending: Promise<ReadableStreamReadResult<string>> | undefined;
  return {
    async read(_prompt, signal) {
      for (;;) {
        const at = buffer.indexOf("\n");
        if (at >= 0 || (ended && buffer !== "")) {
          const line = (at < 0 ? buffer : buffer.slice(0, at)).replace(/\r$/, "");
          buffer = at < 0 ? "" : buffer.slice(at + 1);
          return { line };
        }
        if (ended) return "end";
        pending ??= reader.read();
        const chunk = await Promise.race([pending, aborted(signal)]);
        if (chunk === "interrupt") return chunk;
        pending = undefined;
        if (chunk.done) ended = true;
        else buffer += chunk.value;
      }
    },
    [Symbol.dispose]() {
      reader.cancel().catch(() => {});
    },
  };
}

function aborted(signal: AbortSignal): Promise<"interrupt"> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve("interrupt");
    signal.addEventListener("abort", () => resolve("interrupt"), { once: true });
  });
}
