// deno-lint-ignore-file no-control-regex -- a terminal is told what to do by control characters
/**
 * What a person sees of what was sent to a terminal: a screen of so many columns and endlessly many rows. Knows the sequences that the command uses, and fails at
 * any other, so that nothing reaches a terminal which nobody thought of.
 */
import { characterWidth } from "../../cli/terminal_text.ts";

/** A cell that the character before it takes too. */
const TAKEN = "\0";

const SEQUENCE = /\x1b\[([?0-9;]*)([A-Za-z])|[^]/gu;

/** The rows of the screen, without blanks at their ends. The character behind the last column goes to the next row. */
export function screenRows(shown: string, columns: number): string[] {
  const rows: string[][] = [[]];
  let row = 0;
  let column = 0;

  function rowAt(index: number): string[] {
    while (rows.length <= index) rows.push([]);
    return rows[index] ?? [];
  }

  function put(character: string): void {
    const width = characterWidth(character);
    if (width === 0) {
      const cells = rowAt(row);
      const last = Math.max(0, column - 1);
      cells[last] = (cells[last] ?? " ") + character;
      return;
    }
    if (column + width > columns) {
      row++;
      column = 0;
    }
    const cells = rowAt(row);
    while (cells.length < column) cells.push(" ");
    cells[column++] = character;
    if (width === 2) cells[column++] = TAKEN;
  }

  function obey(parameters: string, command: string): void {
    const count = Number(parameters) || 1;
    switch (command) {
      case "A":
        row = Math.max(0, row - count);
        break;
      case "B":
        row += count;
        break;
      case "C":
        column = Math.min(columns - 1, column + count);
        break;
      case "G":
        column = Math.max(0, Number(parameters) - 1);
        break;
      case "J":
        rows[row] = rowAt(row).slice(0, column);
        rows.length = row + 1;
        break;
      case "K":
        rows[row] = parameters === "2" ? [] : rowAt(row).slice(0, column);
        break;
      case "m":
      case "h":
      case "l":
        break;
      default:
        throw new Error(`the terminal was sent ESC [ ${parameters}${command}`);
    }
  }

  for (const [text, parameters = "", command] of shown.matchAll(SEQUENCE)) {
    if (command !== undefined) obey(parameters, command);
    else if (text === "\r") column = 0;
    else if (text === "\n") row++;
    else if (text < " ") throw new Error(`the terminal was sent ${JSON.stringify(text)}`);
    else put(text);
  }
  return rows.map((cells) => cells.join("").replaceAll(TAKEN, "").trimEnd());
}
