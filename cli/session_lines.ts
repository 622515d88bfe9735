/**
 * Sessions as the objects of JSON lines: one in a list, and one with what happened in it. For the command's own lines and for clients of the server alike.
 */
import type { JsonValue } from "../contracts/json.ts";
import type { TextRedactor } from "../contracts/redaction.ts";
import type { SessionListing } from "../contracts/session.ts";
import { redactJson } from "../redact/redact_json.ts";
import { redactCall } from "./call_line.ts";
import { foldingOf, mergeTrace, traceLine } from "./session_trace.ts";
import type { Store } from "./store_access.ts";

/** One session of a listing as the object of a JSON line. */
export function listingLine(
  session: SessionListing,
): { readonly [key: string]: string | number | null } {
  return {
    type: "session",
    session_id: session.id,
    title: session.title,
    created_at: session.createdAt.toISOString(),
    last_used_at: session.lastUsedAt.toISOString(),
    status: session.status ?? null,
    steps: session.stepCount,
    runs: session.runCount,
    prompt_tokens: session.promptTokens,
    completion_tokens: session.completionTokens,
  };
}

/**
 * A session and what happened in it: first the session, then its steps and calls in their order. What is stored was redacted when it was written; what the session
 * carries, and what an embedding program wrote, is redacted here.
 */
export async function sessionLines(
  store: Store,
  { listing, redactor, steps: count = Infinity }: {
    readonly listing: SessionListing;
    readonly redactor: TextRedactor;
    /** The newest steps at most. @default all */
    readonly steps?: number;
  },
): Promise<readonly JsonValue[]> {
  const { id } = listing;
  const { data, systemPrompt } = await store.get(id);
  const steps = await store.lastN(id, count);
  const folding = foldingOf(steps);
  const grants = await store.grants(id);
  const calls = (await store.calls(id)).map((call) => redactCall(call, redactor));
  const head = {
    ...listingLine(listing),
    system_prompt: systemPrompt ?? null,
    data: data === undefined ? null : JSON.parse(data),
    summary_step: folding?.summaryStep ?? null,
    retain_from_step: folding?.retainFromStep ?? null,
    approvals: grants.map(({ name, key }) => ({ name, key: key ?? null })),
  };
  return [head, ...mergeTrace(steps, calls).map(traceLine)]
    .map((line) => redactJson(line, redactor));
}
