/**
 * Where the messages of a chat come from: the line editor when a person sits at a terminal that can do it, else lines as they come.
 */
import { type LineReader, pipedLines } from "../line_reader.ts";
import { isDumb, terminalSize } from "../terminal_size.ts";
import { terminalLines } from "./terminal_lines.ts";

/** Opens stdin for messages. */
export function openLines(): LineReader {
  const editing = Deno.stdin.isTerminal() && Deno.stderr.isTerminal() && !isDumb();
  if (!editing) return pipedLines(Deno.stdin.readable);
  const encoder = new TextEncoder();
  return terminalLines(Deno.stdin, {
    write(text) {
      const bytes = encoder.encode(text);
      for (let at = 0; at < bytes.length;) at += Deno.stderr.writeSync(bytes.subarray(at));
    },
    size: terminalSize,
  });
}
