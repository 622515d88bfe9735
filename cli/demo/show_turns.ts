/**
 * Shows the turns of the demo as they happen: the script, what the model gets back (its log and a digest), and what is carried past it.
 */
import type { RunEvent } from "../../contracts/event.ts";
import type { Status } from "../status.ts";
import { formatBytes, formatDuration } from "../units.ts";

/** Returns a listener that prints the events of one run. */
export function showTurns(status: Status): (event: RunEvent) => void {
  let turn = 0;
  return (event) => {
    switch (event.type) {
      case "user":
        status.line(`\nQuestion: ${event.content}`, "bold");
        break;
      case "turn_start":
        turn = event.turn;
        break;
      case "execute_js":
        status.line(`\nTurn ${turn}: the model writes`, "bold");
        status.line(indented(event.content));
        break;
      case "execute_js_result":
        status.line(
          `  it ran ${formatDuration(event.durationMs)}; this is all that the model gets back:`,
          event.ok ? "good" : "error",
        );
        status.line(indented(event.content), "dim");
        break;
      case "data_update":
        status.line(
          `  carried to the next turn past the model: ${
            formatBytes(new TextEncoder().encode(JSON.stringify(event.args)).length)
          }`,
          "good",
        );
        break;
      case "sandbox_event":
        status.detail(`  ${JSON.stringify(event.args)}`);
        break;
      case "response":
        status.line("\nAnswer", "bold");
        break;
      case "warning":
        status.warning(event.content);
        break;
      default:
        break;
    }
  };
}

function indented(text: string): string {
  return text.trim().split("\n").map((line) => `    ${line}`).join("\n");
}
