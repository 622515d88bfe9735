/**
 * Which calls show that a deed was done: the map from a kind of claim to rows of the audit log. A row says what was called, with what, and that the call succeeded; it
 * does not say what came of it.
 */
import type { CallRow } from "../../contracts/call_log.ts";
import type { DeedKind } from "./claims/claim_language.ts";

/** What shows a deed: the name of a function, or a look at a row that ended well. */
export type DeedProof = string | ((row: CallRow) => boolean);

/** What shows each deed. */
export type DeedMap = Readonly<Record<DeedKind, readonly DeedProof[]>>;

/** Functions that are known to do something else than the words of their name say. */
const KNOWN = new Set([
  "artifact_save",
  "proactive_create",
  "writeFile",
  "editFile",
  "sendEmail",
  "remember",
  "exec",
  "fetch",
  "http",
]);

/** Words of names that tell the deed of a function that is not known otherwise: `gmail_send`, `createCalendarEvent`. */
const NAME_WORDS: Readonly<Record<DeedKind, RegExp>> = {
  saved: /^(?:save|write|create|edit|update|export|store|append|put|add|upload|download)$/,
  scheduled: /^(?:schedule|remind|reminder|calendar|event|alarm|appointment|cron)$/,
  sent: /^(?:send|mail|email|notify|forward|reply|sms)$/,
  published: /^(?:publish|post|deploy|release)$/,
};
/** A name that begins or ends like this only looks, or takes back. */
const LOOKS = /^(?:get|list|read|find|search|show|cancel|delete|remove|count|check)$/;

/** Commands that do such a thing, by words of what was run. */
const COMMAND_WORDS: Readonly<Record<Exclude<DeedKind, "saved">, RegExp>> = {
  scheduled: /\b(?:crontab|systemd-run|systemctl|schtasks|"at")\b/,
  sent: /\b(?:mail|mailx|mutt|sendmail|msmtp|curl|wget)\b/,
  published: /\b(?:push|publish|deploy|release|upload|scp|rsync|curl)\b/,
};

/**
 * What shows a deed unless told otherwise. To add a function to a kind: `{ ...DEFAULT_DEEDS, sent: [...DEFAULT_DEEDS.sent, "page_oncall"] }`.
 *
 * A request by `fetch` or `http` counts as sent or published when its method changes something; a command as whatever its words say, and as saved in any case; a function
 * that is not known by what its name says.
 */
export const DEFAULT_DEEDS: DeedMap = {
  saved: ["artifact_save", "writeFile", "editFile", "remember", "exec", nameSays("saved")],
  scheduled: ["proactive_create", commandSays("scheduled"), nameSays("scheduled")],
  sent: ["sendEmail", isPosted, commandSays("sent"), nameSays("sent")],
  published: ["artifact_save", isPosted, commandSays("published"), nameSays("published")],
};

/** Whether a row shows a deed: its call succeeded, and it is one of those. */
export function showsDeed(row: CallRow, proofs: readonly DeedProof[]): boolean {
  if (row.outcome !== "ok" || row.decision === "denied") return false;
  return proofs.some((proof) => typeof proof === "string" ? proof === row.name : proof(row));
}

function nameSays(kind: DeedKind): (row: CallRow) => boolean {
  return ({ name }) => {
    if (KNOWN.has(name)) return false;
    const words = name.split(/[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])/)
      .filter((word) => word !== "").map((word) => word.toLowerCase());
    if (LOOKS.test(words[0] ?? "") || LOOKS.test(words.at(-1) ?? "")) return false;
    return words.some((word) => NAME_WORDS[kind].test(word));
  };
}

function commandSays(kind: keyof typeof COMMAND_WORDS): (row: CallRow) => boolean {
  return ({ name, argsJson }) => name === "exec" && COMMAND_WORDS[kind].test(argsJson);
}

/** A request that is to change something: by its method, which stands in its options. */
function isPosted({ name, argsJson }: CallRow): boolean {
  if (name !== "fetch" && name !== "http") return false;
  try {
    const args: unknown = JSON.parse(argsJson);
    // Its options stand behind the address; called by name, there is one object.
    const list: readonly unknown[] = Array.isArray(args) ? args : [];
    const options = (list[1] ?? list[0]) as { readonly method?: unknown } | null | undefined;
    const method = options?.method;
    return typeof method === "string" && /^(?:POST|PUT|PATCH)$/i.test(method);
  } catch {
    return false;
  }
}
