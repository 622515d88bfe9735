/**
 * Folds the older part of a session into a summary because somebody wants it now.
 */
import { DEFAULT_RUN_TIMEOUT_MS } from "../contracts/loop.ts";
import type { TextRedactor } from "../contracts/redaction.ts";
import type { StepStore } from "../contracts/step.ts";
import type { CompactedSession } from "../loop/compact_session.ts";
import { tokensTexts } from "./activity.ts";
import type { CommandContext } from "./command.ts";
import { CliError } from "./failure.ts";
import { modelName, openModel, requireModelAccess } from "./model.ts";
import { countOf, formatDuration } from "./units.ts";

/**
 * Compacts a session with the model that the options name.
 *
 * @throws {CliError} `timeout` when there is no summary within the time that the options give.
 */
export async function compactNow(
  { options, status, interrupt, output }: Pick<
    CommandContext,
    "options" | "status" | "interrupt" | "output"
  >,
  { sessionId, store, instruction, redactor }: {
    readonly sessionId: string;
    readonly store: StepStore;
    readonly instruction: string | undefined;
    /** Takes secrets out of the summary. @default those of the endpoint are taken out */
    readonly redactor?: TextRedactor;
  },
): Promise<CompactedSession> {
  const [{ client, config }, { compactSession }, { compactorFor }, { profileFor }, secrets] =
    await Promise.all([
      openModel(options),
      import("../loop/compact_session.ts"),
      import("./compactor.ts"),
      import("../loop/profile.ts"),
      import("./secrets.ts"),
    ]);
  await requireModelAccess(config);
  const timeoutMs = options.timeoutMs ?? DEFAULT_RUN_TIMEOUT_MS;
  const timeout = AbortSignal.timeout(timeoutMs);
  const profile = profileFor(options.contextWindow ?? 0);
  status.setLive("summarizing…");
  try {
    return await compactSession({
      steps: store,
      sessionId,
      compactor: compactorFor({ client, model: await modelName(config), profile }),
      historyWindow: options.historyWindow ?? profile.historyWindow,
      redactor: redactor ?? secrets.commandRedactor(config),
      signal: AbortSignal.any([interrupt.signal, output.closed, timeout]),
      ...(instruction === undefined ? {} : { instruction }),
    });
  } catch (error) {
    if (!timeout.aborted || interrupt.signal.aborted) throw error;
    throw new CliError("timeout", `No summary within ${formatDuration(timeoutMs)} (--timeout).`, {
      cause: error,
    });
  } finally {
    status.setLive();
  }
}

/** What came of it, on one line. */
export function compactedText(compacted: CompactedSession): string {
  const { stored, messagesBefore, messagesAfter, tokens, retainFromStep } = compacted;
  if (!stored) {
    return `Nothing was folded: of ${countOf(messagesBefore, "message")} none can be spared.`;
  }
  return [
    `${countOf(messagesBefore, "message")} became ${messagesAfter}`,
    `the steps before ${retainFromStep} stay in the trace`,
    ...tokensTexts(tokens),
  ].join(", ");
}
