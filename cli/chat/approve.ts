/** `/approve`: shows how questions are answered and what the session was allowed, changes the former, forgets the latter. */
import { type ApprovalMode, isAtTerminal } from "../approval/approval_mode.ts";
import { forgetGrants, grantText } from "../grants.ts";
import { suggest } from "../suggest.ts";
import { oneLine } from "../terminal_text.ts";
import { countOf } from "../units.ts";
import { type Chat, chatError } from "./chat_command.ts";

const WAYS: Readonly<Record<ApprovalMode, string>> = {
  prompt: "prompt. You are asked at the terminal",
  stdio: "stdio. The program that drives this one is asked",
  auto:
    "auto. Whatever would be asked happens unasked: requests to any public host, changes of files, commands",
  deny: "deny. Whatever would be asked is refused",
  wait: "wait. A run ends where something would be asked; agentloop resume goes on with it",
};

/** Runs `/approve`. */
export async function approve(chat: Chat, rest: string): Promise<void> {
  const [, word = "", what = ""] = /^(\S*)\s*([^]*)$/.exec(rest) ?? [];
  switch (word) {
    case "":
      return await show(chat);
    case "forget":
      return await forget(chat, what === "" ? undefined : what);
    case "prompt":
    case "auto":
    case "deny":
      if (what !== "") throw chatError(`/approve ${word} takes nothing behind it`);
      return answerBy(chat, word);
    default: {
      const meant = suggest(word, ["prompt", "auto", "deny", "forget"]);
      throw chatError(
        `/approve takes prompt, auto, deny or forget, not ${oneLine(word, 60)}` +
          (meant === undefined ? "" : `; did you mean ${meant}?`),
      );
    }
  }
}

async function show({ conversation, say }: Chat): Promise<void> {
  const { approvals, store, sessionId, redactor } = conversation;
  const grants = await store.grants(sessionId);
  const redact = (text: string) => redactor.redact(text);
  say([
    `Approval: ${WAYS[approvals.mode]}.`,
    grants.length === 0
      ? "This session was allowed nothing for good."
      : "This session was allowed:",
    ...grants.map((grant) => `  ${grantText(grant, redact)}`),
  ].join("\n"));
}

function answerBy({ conversation, atTerminal, say }: Chat, mode: "prompt" | "auto" | "deny"): void {
  if (mode === "prompt" && !isAtTerminal()) {
    throw chatError("/approve prompt needs a terminal for stdin and stderr");
  }
  // What comes through a pipe may be somebody else's text.
  if (mode === "auto" && !atTerminal) {
    throw chatError(
      "/approve auto has to be typed at a terminal; for a pipe there is --approve auto",
    );
  }
  conversation.approvals.answerBy(mode);
  say(`Approval from now on: ${WAYS[mode]}.`);
}

async function forget({ conversation, say }: Chat, what: string | undefined): Promise<void> {
  const { store, sessionId, approvals } = conversation;
  const hint = "/approve lists what it was allowed.";
  const count = await forgetGrants(store, { sessionId, what, hint });
  if (what !== undefined) return say(`Forgot ${countOf(count, "approval")}.`);
  approvals.forgetRefusals(sessionId);
  say(`Forgot ${countOf(count, "approval")}, and what was refused.`);
}
