/**
 * `sessions show ID`: what happened in a session, step by step, for people or as JSON lines.
 */
import type { Grant } from "../../contracts/grant.ts";
import type { SessionListing } from "../../contracts/session.ts";
import { redactCall } from "../call_line.ts";
import { type CommandContext, type Outcome, succeeded } from "../command.ts";
import { usageError } from "../failure.ts";
import { grantText } from "../grants.ts";
import { commandRedactor } from "../secrets.ts";
import { checkSessionId } from "../session_id.ts";
import { sessionLines } from "../session_lines.ts";
import { type Folding, foldingOf, mergeTrace, traceText } from "../session_trace.ts";
import { findListing, openStoreToRead, pathOf, sessionMissing } from "../store_access.ts";
import { escapeControls, oneLine } from "../terminal_text.ts";
import { countOf, formatBytes, formatCount, formatMoment } from "../units.ts";

/** Runs `sessions show`. */
export async function showSession(context: CommandContext): Promise<Outcome> {
  const { options, words, output } = context;
  const [word] = words;
  if (word === undefined) throw usageError("sessions show needs the id of a session");
  if (words.length > 1) throw usageError("sessions show takes one session at a time");
  const id = checkSessionId(word);
  await using opened = await openStoreToRead(options);
  const listing = opened && await findListing(opened.store, id);
  if (opened === undefined || listing === undefined) throw sessionMissing(id, pathOf(options));
  const redactor = commandRedactor();
  if (output.json) {
    for (const line of await sessionLines(opened.store, { listing, redactor })) output.line(line);
    return succeeded();
  }
  const { data, systemPrompt } = await opened.store.get(id);
  const steps = await opened.store.lastN(id, Infinity);
  const folding = foldingOf(steps);
  // What is stored was redacted when it was written. What the session carries was not, nor was all that an embedding program wrote.
  const grants = await opened.store.grants(id);
  const calls = (await opened.store.calls(id)).map((call) => redactCall(call, redactor));
  const trace = mergeTrace(steps, calls);
  const redact = (text: string) => redactor.redact(text);
  const lines = [
    headOf(listing, { data, systemPrompt, folding, grants, redact }),
    ...traceText(trace),
  ];
  return succeeded(escapeControls(redact(lines.join("\n"))));
}

function headOf(
  listing: SessionListing,
  { data, systemPrompt, folding, grants, redact }: {
    readonly data: string | undefined;
    readonly systemPrompt: string | undefined;
    readonly folding: Folding | undefined;
    readonly grants: readonly Grant[];
    readonly redact: (text: string) => string;
  },
): string {
  const tokens = `${formatCount(listing.promptTokens)} + ${
    formatCount(listing.completionTokens)
  } tokens`;
  const rows = [
    ["session", listing.id],
    ["title", listing.title],
    ["created", formatMoment(listing.createdAt)],
    ["last used", formatMoment(listing.lastUsedAt)],
    [
      "so far",
      `${countOf(listing.runCount, "run")}, ${countOf(listing.stepCount, "step")}, ${tokens}`,
    ],
    ["last run", listing.status ?? "has not ended"],
    ["persona", systemPrompt === undefined ? "none" : oneLine(redact(systemPrompt), 100)],
    ...grants.map((grant, index) => [
      index === 0 ? "allowed" : "",
      grantText(grant, redact),
    ]),
    ...(folding === undefined ? [] : [[
      "folded",
      `the steps before ${folding.retainFromStep} are sent as the summary in step ${folding.summaryStep}`,
    ]]),
    [
      "carries",
      data === undefined
        ? "nothing"
        : `${formatBytes(new TextEncoder().encode(data).length)}: ${oneLine(redact(data), 80)}`,
    ],
  ];
  return rows.map(([name = "", value = ""]) => `${name.padEnd(9)}  ${value}`).join("\n");
}
