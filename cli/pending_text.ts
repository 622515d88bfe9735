/** A call that waits for a word, on one line fit to be shown. Pure. Whoever shows it has taken the secrets out first. */
import type { PendingApproval } from "../contracts/approval.ts";
import { shownText } from "./call_line.ts";

/** The longest text of the arguments, in columns. */
const ARGUMENT_COLUMNS = 200;

/** What is to be called, at what, with what. */
export function pendingText(pending: PendingApproval): string {
  return `${pendingAim(pending)} ${pendingArguments(pending, ARGUMENT_COLUMNS)}`;
}

/** What is to be called, and at what. */
export function pendingAim({ name, target }: PendingApproval): string {
  const aim = target === undefined ? "" : ` ${shownText(target, 100)}`;
  return `${shownText(name, 100)}${aim}`;
}

/** The arguments, in so many columns. */
export function pendingArguments({ args }: PendingApproval, columns: number): string {
  return shownText(JSON.stringify(args), columns);
}
