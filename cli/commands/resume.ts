/** `resume SESSION`: gives the word on a call that a session waits at, and goes on with the run. */
import type { ApprovalDecision, PendingApproval } from "../../contracts/approval.ts";
import type { ResumeRequest } from "../../contracts/loop.ts";
import { findPendingApproval } from "../../loop/find_pending_approval.ts";
import { findPending, PENDING_REACH } from "../../loop/pending.ts";
import { tokensTexts } from "../activity.ts";
import { warmUpAnswers } from "../answer.ts";
import { isAtTerminal } from "../approval/approval_mode.ts";
import { readArguments } from "../approval/approval_text.ts";
import { assistantNotes } from "../assistant_notes.ts";
import type { CommandContext, Outcome } from "../command.ts";
import { type Conversation, openConversation } from "../conversation.ts";
import { CliError, usageError } from "../failure.ts";
import type { CliOptions } from "../option_table.ts";
import { outcomeOfRun } from "../run_outcome.ts";
import { checkSessionId } from "../session_id.ts";
import { openStoreToRead, pathOf, sessionMissing } from "../store_access.ts";
import { oneLine } from "../terminal_text.ts";
import { readTextOption } from "../text_input.ts";
import { formatDuration } from "../units.ts";

const COMMAND = "resume";

/** A word that is none yet. */
type Word = ResumeRequest["decision"];

/** Runs `resume`. */
export async function resumeRun(context: CommandContext): Promise<Outcome> {
  const { words, status, interrupt } = context;
  const [id] = words;
  if (id === undefined) throw usageError("resume needs the id of a session", COMMAND);
  if (words.length > 1) throw usageError("resume takes one session at a time", COMMAND);
  const options: CliOptions = { ...context.options, session: checkSessionId(id) };
  const given = await givenWord(options, interrupt.signal);
  if (given === undefined) checkSomebodyAnswers(options);
  const pending = await readPending(options, id);
  const startedAt = performance.now();
  await using conversation = await openConversation({ ...context, options });
  warmUpAnswers(context);
  const decision = given ?? await askedWord(conversation, { pending, signal: interrupt.signal });
  const result = await conversation.resume({ decision, callId: options.call ?? pending.callId });
  status.line(
    [
      `${result.status} in ${formatDuration(performance.now() - startedAt)}`,
      ...tokensTexts(result.tokens),
      `session ${oneLine(result.sessionId, 200)}`,
    ].join(", "),
    "dim",
  );
  for (const line of await assistantNotes(result, conversation)) status.line(line, "dim");
  const stillWaits = await waitsStill(conversation, pending);
  const ended = outcomeOfRun(result, { options, interrupt, goesOn: true, stillWaits });
  return { ...ended, isAnswer: true };
}

/** Whether the word was not used up. */
async function waitsStill(
  { store, sessionId }: Conversation,
  { callId }: PendingApproval,
): Promise<boolean> {
  // Where the store cannot be read, the run's end is still told.
  const open = await findPendingApproval({ steps: store, sessionId }).catch(() => undefined);
  return open?.callId === callId;
}

/** The word that the options give. */
async function givenWord(
  { allow, deny, args }: CliOptions,
  signal: AbortSignal,
): Promise<Word | undefined> {
  if (allow) return { decision: "approve" };
  if (deny !== undefined) return { decision: "deny", reason: deny };
  if (args === undefined) return undefined;
  const list = readArguments(await readTextOption("args", args, { signal }));
  if (list !== undefined) return { decision: "approve", args: list };
  throw usageError('--args takes a list in JSON, such as ["a", {"b": 1}]', COMMAND);
}

/** A word is never taken to be a no only because nobody said one. */
function checkSomebodyAnswers({ approve, json }: CliOptions): void {
  const isAsked = approve === undefined ? isAtTerminal() && !json : approve !== "wait";
  if (isAsked) return;
  throw usageError(
    "resume needs the word on the call: --allow, --deny REASON or --args JSON",
    COMMAND,
  );
}

async function readPending(options: CliOptions, id: string): Promise<PendingApproval> {
  await using opened = await openStoreToRead(options);
  if (opened === undefined || !await opened.store.exists(id)) {
    throw sessionMissing(id, pathOf(options));
  }
  const open = findPending(await opened.store.lastN(id, PENDING_REACH));
  if (open !== undefined) return open.pending;
  throw new CliError("not_waiting", `The session ${oneLine(id, 200)} waits for no word.`, {
    hint: "agentloop sessions waiting lists those that do.",
  });
}

/** The word of whoever answers questions. */
async function askedWord(
  { approvals, sessionId }: Conversation,
  { pending, signal }: { readonly pending: PendingApproval; readonly signal: AbortSignal },
): Promise<Word> {
  const { callId: _, ...asked } = pending;
  const decision: ApprovalDecision = await approvals.approveFor(sessionId)?.({
    ...asked,
    runId: "",
    sessionId,
    signal,
  }) ?? { decision: "deny" };
  if (decision.decision !== "wait") return decision;
  throw usageError("--approve wait gives no word on the call", COMMAND);
}
