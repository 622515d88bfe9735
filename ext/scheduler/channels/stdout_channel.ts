/** The channel to the output of the program: one line a message. */
import type { Channel, ChannelMessage } from "../../../contracts/channel.ts";
import { UNTOLD_LATENESS_MS } from "../due_text.ts";
import { durationText, zonedText } from "../zoned_time.ts";

/** Options of {@linkcode stdoutChannel}. */
export interface StdoutChannelOptions {
  /** Writes a line, which has no line feed at its end. What it throws counts as a failure that may be tried again. */
  readonly write: (line: string) => void | Promise<void>;
  /** `text` for people, `ndjson` for programs: an object a line. @default "text" */
  readonly format?: "text" | "ndjson";
  /** The channel's name. @default "stdout" */
  readonly name?: string;
}

/** A channel that writes one line a message. Control characters and marks that change the direction of text are escaped. */
export function stdoutChannel(options: StdoutChannelOptions): Channel {
  const { write, format = "text", name = "stdout" } = options;
  return {
    name,
    async deliver(message) {
      await write(format === "ndjson" ? JSON.stringify(messageJson(message)) : lineOf(message));
      return { ok: true };
    },
  };
}

/** A message as an object for other programs: names in snake_case, times of ISO 8601. */
export function messageJson(message: ChannelMessage) {
  return {
    type: `schedule_${message.kind}`,
    id: message.id,
    task_id: message.taskId,
    session_id: message.sessionId,
    title: message.title ?? null,
    text: message.text,
    timezone: message.zone,
    due_at: message.dueAt.toISOString(),
    late_ms: message.lateMs,
    missed: message.missed,
    sent_at: message.at.toISOString(),
  };
}

function lineOf({ title, text, dueAt, zone, lateMs, taskId }: ChannelMessage): string {
  const late = lateMs < UNTOLD_LATENESS_MS ? "" : `, ${durationText(lateMs)} late`;
  return cleanLine(`[${title ?? taskId}, due ${zonedText(dueAt, zone)}${late}] ${text}`);
}

// deno-lint-ignore no-control-regex
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Text that others wrote, on one line. */
function cleanLine(text: string): string {
  return text.toWellFormed().replace(/[\t\n\r]+/g, " ").replace(UNSAFE, (character) => {
    const code = character.charCodeAt(0);
    return code < 256
      ? `\\x${code.toString(16).padStart(2, "0")}`
      : `\\u${code.toString(16).padStart(4, "0")}`;
  });
}
