/** Reads one message of a chat, which may have several lines. */
import type { LineReader } from "../line_reader.ts";

/** A message as it was typed, or what came in its place. */
export type ReadMessage = { readonly message: string } | "end" | "interrupt";

/** Waits for a message. A backslash at the end of a line goes on in the next one; Ctrl-C there takes the lines before back. */
export async function readMessage(lines: LineReader, signal: AbortSignal): Promise<ReadMessage> {
  let message = "";
  for (;;) {
    const read = await lines.read(message === "" ? "> " : "… ", signal);
    if (read === "interrupt" && message !== "" && !signal.aborted) {
      message = "";
      continue;
    }
    if (typeof read === "string") return read;
    if (!read.line.endsWith("\\")) return { message: message + read.line };
    message += `${read.line.slice(0, -1)}\n`;
  }
}
