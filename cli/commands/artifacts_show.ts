/**
 * `artifacts show ID`: the content of an artifact, byte for byte unless somebody is looking at it.
 */
import { artifactIdOf } from "../artifact_id.ts";
import { type CommandContext, type Outcome, succeeded } from "../command.ts";
import { CliError, usageError } from "../failure.ts";
import { artifactMissing, openStoreToRead, pathOf } from "../store_access.ts";
import { oneLine } from "../terminal_text.ts";
import { artifactLine } from "./artifacts_ls.ts";

/** Runs `artifacts show`. */
export async function showArtifact(context: CommandContext): Promise<Outcome> {
  const { options, words, output } = context;
  const [word] = words;
  if (word === undefined) throw usageError("artifacts show needs the id of an artifact", COMMAND);
  if (words.length > 1) throw usageError("artifacts show takes one artifact at a time", COMMAND);
  const id = artifactIdOf(word);
  const { versionNumber } = options;
  await using opened = await openStoreToRead(options);
  const artifacts = opened?.store.artifacts;
  const version = versionNumber === undefined ? {} : { version: versionNumber };
  const found = await artifacts?.read("any", id, version);
  if (found === undefined) {
    const newest = await artifacts?.read("any", id);
    if (newest === undefined) throw artifactMissing(id, pathOf(options));
    throw new CliError(
      "artifact_missing",
      `The artifact ${oneLine(id, 200)} has no version ${versionNumber}.`,
      { hint: `The newest is ${newest.version}; only the last few are kept.` },
    );
  }
  const { content } = found;
  output.line({ ...artifactLine(found), content });
  // The prompt that follows at a terminal is to begin a line of its own; nothing is added for a program.
  output.text(output.isTerminal && !content.endsWith("\n") ? `${content}\n` : content);
  return succeeded();
}

const COMMAND = "artifacts show";
