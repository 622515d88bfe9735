/**
 * Draws rows at a terminal in place of those drawn before. Owns no stream.
 */
import type { Layout } from "./layout.ts";

/** The rows that are at the terminal now. */
export interface Screen {
  /** Draws rows in place of those drawn before, and puts the cursor. */
  draw(layout: Layout): void;
  /** Leaves what is drawn and goes to the line below it. */
  leave(): void;
  /** Empties the terminal; what was drawn is gone. */
  clear(): void;
}

/** Draws through `write`, which takes control sequences. */
export function openScreen(write: (text: string) => void): Screen {
  let cursorRow = 0;
  let below = 0;
  return {
    draw({ rows, cursorRow: row, cursorColumn }) {
      const last = rows.length - 1;
      write(
        `${up(cursorRow)}\r\x1b[J${rows.join("\r\n")}${up(last - row)}\r${
          cursorColumn > 0 ? `\x1b[${cursorColumn}C` : ""
        }`,
      );
      cursorRow = row;
      below = last - row;
    },
    leave() {
      write(`${below > 0 ? `\x1b[${below}B` : ""}\r\n`);
      cursorRow = 0;
      below = 0;
    },
    clear() {
      write("\x1b[H\x1b[2J");
      cursorRow = 0;
      below = 0;
    },
  };
}

function up(rows: number): string {
  return rows > 0 ? `\x1b[${rows}A` : "";
}
