/**
 * stderr: what a person may want to know meanwhile. Short lines; at a terminal also one live line that is drawn anew in place and never left behind.
 * Whatever is printed here has its control characters escaped.
 */
import { cutToWidth, escapeControls } from "./terminal_text.ts";

/** How much is told. */
export type StatusLevel = "quiet" | "normal" | "verbose";

/** How a line is colored at a terminal. */
export type Tone = "plain" | "dim" | "bold" | "good" | "warning" | "error";

/** The part of `Deno.stderr` that is used. */
export interface StatusStream {
  /** Writes some of the bytes and returns their number. */
  writeSync(bytes: Uint8Array): number;
}

/** What {@linkcode openStatus} is told of the terminal. */
export interface StatusOptions {
  /** How much is told. @default "normal" */
  readonly level?: StatusLevel;
  /** Whether colors may be used. @default false */
  readonly color?: boolean;
  /** Whether a live line may be drawn. @default false */
  readonly live?: boolean;
  /** Width of the terminal, asked at each drawing. @default () => 80 */
  readonly columns?: () => number;
}

/** stderr of the command. */
export interface Status {
  /** How much is told. */
  readonly level: StatusLevel;
  /** Whether a live line can be seen. */
  readonly live: boolean;
  /** Prints lines, unless quiet. */
  line(text: string, tone?: Tone): void;
  /** Prints lines when verbose. */
  detail(text: string, tone?: Tone): void;
  /** Prints a warning, always. */
  warning(text: string): void;
  /** Prints an error, always. */
  error(text: string, tone?: Tone): void;
  /** Draws the live line with this text, or takes it away when the text is absent. Printing lines takes it away until it is drawn anew. */
  setLive(text?: string): void;
}

const COLORS: Readonly<Record<Tone, string>> = {
  plain: "",
  dim: "\x1b[2m",
  bold: "\x1b[1m",
  good: "\x1b[32m",
  warning: "\x1b[33m",
  error: "\x1b[31m",
};

/** Opens stderr. The caller takes the live line away (`setLive()`) before the program ends. */
export function openStatus(stream: StatusStream, options: StatusOptions = {}): Status {
  const { level = "normal", color = false, columns = () => 80 } = options;
  const live = options.live === true && level !== "quiet";
  const encoder = new TextEncoder();
  let drawn: string | undefined;

  function write(text: string): void {
    const bytes = encoder.encode(text);
    try {
      for (let at = 0; at < bytes.length;) at += stream.writeSync(bytes.subarray(at));
    } catch {
      // Nobody reads stderr: the work goes on without a word.
    }
  }

  function print(text: string, tone: Tone): void {
    const lines = escapeControls(text).split("\n").map((line) =>
      color && tone !== "plain" && line !== "" ? `${COLORS[tone]}${line}\x1b[0m` : line
    );
    write(`${drawn === undefined ? "" : CLEAR_LINE}${lines.join("\n")}\n`);
    drawn = undefined;
  }

  function draw(text: string): void {
    // One column stays free: a line that fills the last one wraps at some terminals, and would not be taken away whole.
    const line = cutToWidth(
      escapeControls(text).replaceAll("\n", " "),
      Math.max(10, columns() - 1),
    );
    write(`${CLEAR_LINE}${color ? `${COLORS.dim}${line}\x1b[0m` : line}`);
  }

  return {
    level,
    live,
    line(text, tone = "plain") {
      if (level !== "quiet") print(text, tone);
    },
    detail(text, tone = "dim") {
      if (level === "verbose") print(text, tone);
    },
    warning(text) {
      print(`warning: ${text}`, "warning");
    },
    error(text, tone = "error") {
      print(text, tone);
    },
    setLive(text) {
      if (!live || text === drawn) return;
      if (text === undefined) write(CLEAR_LINE);
      else draw(text);
      drawn = text;
    },
  };
}

const CLEAR_LINE = "\r\x1b[2K";
