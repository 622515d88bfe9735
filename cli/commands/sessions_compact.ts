/**
 * `sessions compact ID`: folds the older part of a session into a summary, now and perhaps with something particular in mind.
 */
import { DEFAULT_RUN_TIMEOUT_MS } from "../../contracts/loop.ts";
import type { CompactedSession } from "../../loop/compact_session.ts";
import { tokensTexts } from "../activity.ts";
import type { CommandContext, Outcome } from "../command.ts";
import { CliError, usageError } from "../failure.ts";
import { modelName, openModel, requireModelAccess } from "../model.ts";
import { tokenFields } from "../result_line.ts";
import { checkSessionId } from "../session_id.ts";
import { findListing, openExistingStore, pathOf, sessionMissing } from "../store_access.ts";
import { readTextOption } from "../text_input.ts";
import { countOf, formatDuration } from "../units.ts";

/** Runs `sessions compact`. */
export async function compactOnDemand(context: CommandContext): Promise<Outcome> {
  const { options, words, status } = context;
  const [word] = words;
  if (word === undefined) throw usageError("sessions compact needs the id of a session");
  if (words.length > 1) throw usageError("sessions compact takes one session at a time");
  const id = checkSessionId(word);
  const instruction = options.instruction === undefined
    ? undefined
    : await readTextOption("instruction", options.instruction);
  await using opened = await openExistingStore(options);
  const listing = opened && await findListing(opened.store, id);
  if (opened === undefined || listing === undefined) throw sessionMissing(id, pathOf(options));
  const compacted = await compact(context, { id, store: opened.store, instruction });
  const { stored, messagesBefore, messagesAfter, tokens, summary, retainFromStep } = compacted;
  status.line(
    stored
      ? [
        `${countOf(messagesBefore, "message")} became ${messagesAfter}`,
        `the steps before ${retainFromStep} stay in the trace`,
        ...tokensTexts(tokens),
      ].join(", ")
      : `Nothing was folded: of ${countOf(messagesBefore, "message")} none can be spared.`,
    "dim",
  );
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

async function compact(
  { options, status, interrupt, output }: CommandContext,
  { id, store, instruction }: {
    readonly id: string;
    readonly store: Parameters<typeof findListing>[0];
    readonly instruction: string | undefined;
  },
): Promise<CompactedSession> {
  const [{ client, config }, { compactSession }, { compactorFor }, { profileFor }, secrets] =
    await Promise.all([
      openModel(options),
      import("../../loop/compact_session.ts"),
      import("../compactor.ts"),
      import("../../loop/profile.ts"),
      import("../secrets.ts"),
    ]);
  await requireModelAccess(config);
  const timeoutMs = options.timeoutMs ?? DEFAULT_RUN_TIMEOUT_MS;
  const timeout = AbortSignal.timeout(timeoutMs);
  const profile = profileFor(options.contextWindow ?? 0);
  status.setLive("summarizing…");
  try {
    return await compactSession({
      steps: store,
      sessionId: id,
      compactor: compactorFor({ client, model: await modelName(config), profile }),
      historyWindow: options.historyWindow ?? profile.historyWindow,
      redactor: secrets.commandRedactor(config),
      signal: AbortSignal.any([interrupt.signal, output.closed, timeout]),
      ...(instruction === undefined ? {} : { instruction }),
    });
  } catch (error) {
    if (!timeout.aborted || interrupt.signal.aborted) throw error;
    throw new CliError("timeout", `No summary within ${formatDuration(timeoutMs)} (--timeout).`, {
      cause: error,
    });
  }
}
