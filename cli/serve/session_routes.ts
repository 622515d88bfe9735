/**
 * `GET /sessions` and `GET /sessions/ID`: what there is, in the words of `sessions ls --json` and `sessions show --json`.
 */
import type { TextRedactor } from "../../contracts/redaction.ts";
import { redactJson } from "../../redact/redact_json.ts";
import { pendingFields } from "../result_line.ts";
import { listingLine, sessionLines } from "../session_lines.ts";
import { findListing, type Store } from "../store_access.ts";
import { sessionWait } from "../waiting_session.ts";
import { jsonReply, Refusal } from "./refusal.ts";
import type { Route } from "./router.ts";
import type { SessionRuns } from "./session_runs.ts";

/** Sessions of a list, unless told otherwise, and at most. */
const LISTED = { usual: 100, most: 1000 };
/** Steps of a session, unless told otherwise, and at most. */
const SHOWN_STEPS = { usual: 100, most: 1000 };

/** Makes both routes. */
export function sessionRoutes(
  { store, redactor, runs }: {
    readonly store: Store;
    /** Takes secrets out of what is sent. */
    readonly redactor: TextRedactor;
    /** Knows which sessions are being answered. */
    readonly runs: Pick<SessionRuns, "isBusy">;
  },
): readonly Route[] {
  return [
    {
      method: "GET",
      path: "/sessions",
      async handle(_, { query }) {
        const listings = await store.list({ limit: countIn(query, "limit", LISTED) });
        const sessions = listings.map((listing) => ({
          ...listingLine(listing),
          title: redactor.redact(listing.title),
          busy: runs.isBusy(listing.id),
        }));
        return jsonReply({ sessions });
      },
    },
    {
      method: "GET",
      path: "/sessions/:id",
      async handle(_, { sessionId, query }) {
        const steps = countIn(query, "steps", SHOWN_STEPS);
        const listing = await findListing(store, sessionId);
        if (listing === undefined) throw new Refusal("not_found", "There is no such session.");
        const [session = null, ...trace] = await sessionLines(store, { listing, redactor, steps });
        const wait = await sessionWait(store, listing);
        const pending = wait === undefined
          ? null
          : redactJson(pendingFields(wait.pending), redactor);
        return jsonReply({ session, busy: runs.isBusy(sessionId), pending, trace });
      },
    },
  ];
}

function countIn(
  query: URLSearchParams,
  name: string,
  { usual, most }: { readonly usual: number; readonly most: number },
): number {
  const text = query.get(name);
  if (text === null) return usual;
  const value = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (value >= 1 && value <= most) return value;
  throw new Refusal("bad_request", `${name} must be a whole number from 1 to ${most}.`);
}
