/** `/sessions`: lists the newest sessions, or goes on with one of them. */
import type { SessionListing } from "../../contracts/session.ts";
import { suggest } from "../suggest.ts";
import { terminalSize } from "../terminal_size.ts";
import { oneLine } from "../terminal_text.ts";
import { formatTable } from "../text_table.ts";
import { countOf, formatMoment } from "../units.ts";
import { type Chat, chatError } from "./chat_command.ts";

/** Sessions that are listed. */
const NEWEST = 10;
/** Columns from which on there is room to say when a session was used. */
const WIDE = 70;

/** Runs `/sessions`. */
export async function sessions(chat: Chat, rest: string): Promise<void> {
  const newest = await chat.conversation.store.list({ limit: NEWEST });
  if (rest === "") return list(chat, newest);
  const { conversation } = chat;
  const id = await find(chat, rest, newest);
  if (id === conversation.sessionId) return chat.say(`This is session ${oneLine(id, 200)}.`);
  conversation.goTo(id);
  await chat.recall();
  const listing = newest.find((one) => one.id === id);
  const title = listing === undefined
    ? ""
    : `: ${countOf(listing.runCount, "run")}, ${quoted(chat, listing, 60)}`;
  chat.say(`Going on with session ${oneLine(id, 200)}${title}`);
}

function list(chat: Chat, newest: readonly SessionListing[]): void {
  if (newest.length === 0) return chat.say("There are no sessions yet.");
  chat.listed = newest.map(({ id }) => id);
  const { columns } = terminalSize();
  const isWide = columns >= WIDE;
  const rows = newest.map((session, index) => [
    session.id === chat.conversation.sessionId ? "*" : String(index + 1),
    oneLine(session.id, isWide ? 30 : 20),
    ...(isWide ? [formatMoment(session.lastUsedAt)] : []),
    quoted(chat, session, Math.max(10, columns - (isWide ? 56 : 28))),
  ]);
  const head = ["", "ID", ...(isWide ? ["LAST USED"] : []), "TITLE"];
  chat.say(formatTable(head, rows, { rightAligned: [0] }));
}

/** A session by its id, or by its number in the list that was shown last. */
async function find(
  chat: Chat,
  word: string,
  newest: readonly SessionListing[],
): Promise<string> {
  const { store } = chat.conversation;
  if (await store.exists(word)) return word;
  const listed = chat.listed.length > 0 ? chat.listed : newest.map(({ id }) => id);
  const numbered = /^[1-9]\d*$/.test(word) ? listed[Number(word) - 1] : undefined;
  if (numbered !== undefined && await store.exists(numbered)) return numbered;
  const meant = suggest(word, newest.map(({ id }) => id));
  throw chatError(
    `There is no session ${oneLine(word, 60)}; ` +
      (meant === undefined ? "/sessions lists the newest." : `did you mean ${oneLine(meant, 60)}?`),
  );
}

function quoted({ conversation }: Chat, { title }: SessionListing, width: number): string {
  return oneLine(conversation.redactor.redact(title), width);
}
