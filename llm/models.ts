/**
 * Which model to ask when none is named: the server's list of models decides if it has one entry.
 */
import { AgentLoopError } from "../contracts/errors.ts";
import type { ByteSource } from "./byte_source.ts";
import { type Failure, failureOfCut, failureOfForeignReply, failureOfSilence } from "./failure.ts";
import { isRecord } from "./provider_error.ts";

/** How many models a message names at most. */
const MAX_NAMED = 20;
/** Lists of hundreds of models, with prices, stay well below; in characters. */
const MAX_LIST_LENGTH = 16 * 1024 * 1024;

/** Reads the ids of a list of models from a reply's body. */
export async function readModelList(
  bytes: ByteSource,
  idleTimeoutMs: number,
): Promise<{ readonly ids: readonly string[] } | { readonly failure: Failure }> {
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const part = await bytes.next(idleTimeoutMs);
    if (part.kind === "silence") return { failure: failureOfSilence(idleTimeoutMs, "stream") };
    if (part.kind === "broken") {
      return { failure: failureOfCut("the connection was lost", part.error) };
    }
    if (part.kind === "end") break;
    text += decoder.decode(part.bytes, { stream: true });
    if (text.length > MAX_LIST_LENGTH) {
      return { failure: failureOfForeignReply("the list is endless") };
    }
  }
  let value: unknown;
  try {
    value = JSON.parse(text + decoder.decode());
  } catch {
    return { failure: failureOfForeignReply("the server sent no JSON") };
  }
  const entries = isRecord(value) ? value["data"] ?? value["models"] : value;
  if (!Array.isArray(entries)) {
    return { failure: failureOfForeignReply("the server sent no list of models") };
  }
  const ids = entries.map(idOf).filter((id) => id !== undefined);
  return { ids: [...new Set(ids)] };
}

function idOf(entry: unknown): string | undefined {
  const id = isRecord(entry) ? entry["id"] ?? entry["name"] ?? entry["model"] : entry;
  return typeof id === "string" && id !== "" ? id : undefined;
}

/**
 * The only model of a list.
 *
 * @throws {AgentLoopError} `config` when there is none or more than one; the message names them.
 */
export function onlyModel(ids: readonly string[], listUrl: string): string {
  const [first, ...others] = ids;
  if (first !== undefined && others.length === 0) return first;
  const choose = "Name one (OPENAI_CHAT_MODEL)";
  if (first === undefined) {
    throw new AgentLoopError(
      `No model is named, and ${listUrl} lists none. ${choose} (on a local server it may have to be loaded first).`,
      { code: "config" },
    );
  }
  const named = ids.slice(0, MAX_NAMED).join(", ");
  const more = ids.length > MAX_NAMED ? `, and ${ids.length - MAX_NAMED} more` : "";
  throw new AgentLoopError(
    `No model is named, and ${listUrl} lists ${ids.length}. ${choose}. It has: ${named}${more}.`,
    { code: "config" },
  );
}
