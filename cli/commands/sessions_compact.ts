/**
 * `sessions compact ID`: folds the older part of a session into a summary, now and perhaps with something particular in mind.
 */
import type { CommandContext, Outcome } from "../command.ts";
import { compactedText, compactNow } from "../compact_now.ts";
import { usageError } from "../failure.ts";
import { tokenFields } from "../result_line.ts";
import { checkSessionId } from "../session_id.ts";
import { findListing, openExistingStore, pathOf, sessionMissing } from "../store_access.ts";
import { readTextOption } from "../text_input.ts";

/** Runs `sessions compact`. */
export async function compactOnDemand(context: CommandContext): Promise<Outcome> {
  const { options, words, status, interrupt } = context;
  const [word] = words;
  if (word === undefined) throw usageError("sessions compact needs the id of a session");
  if (words.length > 1) throw usageError("sessions compact takes one session at a time");
  const id = checkSessionId(word);
  const instruction = options.instruction === undefined
    ? undefined
    : await readTextOption("instruction", options.instruction, interrupt);
  await using opened = await openExistingStore(options);
  const listing = opened && await findListing(opened.store, id);
  if (opened === undefined || listing === undefined) throw sessionMissing(id, pathOf(options));
  const { store } = opened;
  const compacted = await compactNow(context, { sessionId: id, store, instruction });
  const { stored, messagesBefore, messagesAfter, tokens, summary, retainFromStep } = compacted;
  status.line(compactedText(compacted), "dim");
  return {
    exitCode: 0,
    status: "completed",
    ...(summary === undefined ? {} : { text: summary }),
    extra: {
      session_id: id,
      tokens: tokenFields(tokens),
      stored,
      messages_before: messagesBefore,
      messages_after: messagesAfter,
      retain_from_step: retainFromStep ?? null,
    },
  };
}
