/**
 * `artifacts rm ID…`: deletes artifacts. Those that are there go even when another is not.
 */
import { artifactIdOf } from "../artifact_id.ts";
import { type CommandContext, type Outcome, succeeded } from "../command.ts";
import { describeFailure, usageError } from "../failure.ts";
import { artifactMissing, openExistingStore, pathOf } from "../store_access.ts";
import { oneLine } from "../terminal_text.ts";

/** Runs `artifacts rm`. */
export async function removeArtifacts(context: CommandContext): Promise<Outcome> {
  const { options, words, output, status } = context;
  if (words.length === 0) {
    throw usageError("artifacts rm needs the id of an artifact", "artifacts rm");
  }
  await using opened = await openExistingStore(options);
  const missing: string[] = [];
  for (const id of new Set(words.map(artifactIdOf))) {
    if (await opened?.store.artifacts.remove("any", id)) {
      output.line({ type: "removed", artifact_id: id });
      status.line(`Removed ${oneLine(id, 200)}.`);
    } else {
      missing.push(id);
    }
  }
  if (missing.length === 0) return succeeded();
  const failure = describeFailure(artifactMissing(missing.join(", "), pathOf(options)));
  return { exitCode: failure.exitCode, status: "error", reason: failure.type, failure };
}
