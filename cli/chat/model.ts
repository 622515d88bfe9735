/** `/model`: shows the model that is asked, or asks another one from now on. */
import { describeFailure } from "../failure.ts";
import { modelName, openModel } from "../model.ts";
import { suggest } from "../suggest.ts";
import { oneLine } from "../terminal_text.ts";
import { type Chat, chatError } from "./chat_command.ts";

/** How long the endpoint's list is waited for, in ms. Nothing depends on it but advice. */
const LIST_TIMEOUT_MS = 5_000;
/** Models that are named at most. */
const MAX_NAMED = 20;

/** Runs `/model`. */
export async function model(chat: Chat, rest: string): Promise<void> {
  if (/\s/.test(rest)) throw chatError("/model takes one name");
  const listed = await listOf(chat);
  if (rest === "") {
    chat.say([`Model: ${await nameOf(chat)}`, ...namesOf(listed)].join("\n"));
    return;
  }
  await chat.conversation.useModel(rest);
  const { options } = chat.conversation;
  chat.say(`From now on ${oneLine(rest, 200)} is asked.`);
  const { status } = chat.context;
  if (listed !== undefined && !listed.includes(rest)) status.warning(unknownText(rest, listed));
  if (options.pricePrompt !== undefined) {
    status.warning(
      "the prices that were given are those of another model; now the provider's own count",
    );
  }
}

async function nameOf({ conversation }: Chat): Promise<string> {
  const { options, store, sessionId } = conversation;
  if (options.model !== undefined) return oneLine(options.model, 200);
  const pinned = await store.exists(sessionId) ? (await store.get(sessionId)).model : undefined;
  if (pinned !== undefined) return `${oneLine(pinned, 200)}, which the session names`;
  const { config } = await openModel(options);
  const name = await modelName(config);
  return name === undefined ? "none is named; the endpoint's list decides" : oneLine(name, 200);
}

/** The endpoint's list; `undefined` where it gives none. */
async function listOf({ conversation, context }: Chat): Promise<readonly string[] | undefined> {
  const { status, interrupt } = context;
  const timeout = AbortSignal.timeout(LIST_TIMEOUT_MS);
  status.setLive("asking for the list of models…");
  try {
    const [{ config }, { listModels }] = await Promise.all([
      openModel(conversation.options),
      import("../../llm/list_models.ts"),
    ]);
    return await listModels(config, AbortSignal.any([timeout, interrupt.signal]));
  } catch (error) {
    interrupt.signal.throwIfAborted();
    status.detail(`no list of models: ${describeFailure(error).message}`);
    return undefined;
  } finally {
    status.setLive();
  }
}

function namesOf(ids: readonly string[] | undefined): string[] {
  if (ids === undefined || ids.length === 0) return [];
  const named = ids.slice(0, MAX_NAMED).map((id) => oneLine(id, 100)).join(", ");
  const more = ids.length > MAX_NAMED ? `, and ${ids.length - MAX_NAMED} more` : "";
  return [`The endpoint has: ${named}${more}`];
}

function unknownText(name: string, ids: readonly string[]): string {
  const meant = suggest(name, ids);
  const advice = meant === undefined ? "" : `; did you mean ${oneLine(meant, 200)}?`;
  return `the endpoint's list has no ${oneLine(name, 200)}${advice}`;
}
