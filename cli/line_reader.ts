/**
 * Lines from a person or from a pipe. At a terminal with line editing and history; the prompt goes to stderr, because stdout is for answers alone.
 */
import { createInterface } from "node:readline";
import process from "node:process";

/** What a reader gives: a line, the end of input, or Ctrl-C at the prompt. */
export type ReadLine = { readonly line: string } | "end" | "interrupt";

/** Reads lines, one at a time. Disposing lets go of stdin. */
export interface LineReader extends Disposable {
  /** Shows the prompt (at a terminal) and waits for a line, or for the signal. */
  read(prompt: string, signal: AbortSignal): Promise<ReadLine>;
}

/** Reads from a person: each call takes the terminal over and gives it back, so that Ctrl-C is a signal again meanwhile. */
export function terminalLines(): LineReader {
  let history: string[] = [];
  return {
    read(prompt, signal) {
      return new Promise((resolve) => {
        const lines = createInterface({
          input: process.stdin,
          output: process.stderr,
          terminal: true,
          prompt,
          history: [...history],
          historySize: 500,
        });
        let given: ReadLine = "end";
        lines.on("history", (entries: string[]) => history = entries);
        lines.on("line", (line) => {
          given = { line };
          lines.close();
        });
        const interrupt = () => {
          given = "interrupt";
          lines.close();
        };
        lines.on("SIGINT", interrupt);
        signal.addEventListener("abort", interrupt);
        lines.on("close", () => {
          signal.removeEventListener("abort", interrupt);
          if (given === "interrupt" || given === "end") process.stderr.write("\n");
          resolve(given);
        });
        lines.prompt();
      });
    },
    [Symbol.dispose]() {
      process.stdin.pause();
    },
  };
}

/** Reads from a pipe or file, without prompts. */
export function pipedLines(stream: ReadableStream<Uint8Array>): LineReader {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = "";
  let ended = false;
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
        const chunk = await Promise.race([reader.read(), aborted(signal)]);
        if (chunk === "interrupt") return chunk;
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
