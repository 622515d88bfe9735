/**
 * `sessions show ID`: what happened in a session, step by step, for people or as JSON lines.
 */
import type { Grant } from "../../contracts/grant.ts";
import type { SessionListing } from "../../contracts/session.ts";
import { redactJson } from "../../redact/redact_json.ts";
import { redactCall } from "../call_line.ts";
import { type CommandContext, type Outcome, succeeded } from "../command.ts";
import { usageError } from "../failure.ts";
import { grantText } from "../grants.ts";
import { commandRedactor } from "../secrets.ts";
import { checkSessionId } from "../session_id.ts";
import { type Folding, foldingOf, mergeTrace, traceLine, traceText } from "../session_trace.ts";
import { findListing, openStoreToRead, pathOf, sessionMissing } from "../store_access.ts";
import { escapeControls, oneLine } from "../terminal_text.ts";
import { countOf, formatBytes, formatCount, formatMoment } from "../units.ts";
import { listingLine } from "./sessions_ls.ts";

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
  const { data, systemPrompt } = await opened.store.get(id);
  const steps = await opened.store.lastN(id, Infinity);
  const folding = foldingOf(steps);
  // What is stored was redacted when it was written. What the session carries was not, nor was all that an embedding program wrote.
  const redactor = commandRedactor();
  const grants = await opened.store.grants(id);
  const calls = (await opened.store.calls(id)).map((call) => redactCall(call, redactor));
  const trace = mergeTrace(steps, calls);
  if (output.json) {
    const head = {
      ...listingLine(listing),
      system_prompt: systemPrompt ?? null,
      data: parseData(data),
      summary_step: folding?.summaryStep ?? null,
      retain_from_step: folding?.retainFromStep ?? null,
      approvals: grants.map(({ name, key }) => ({ name, key: key ?? null })),
    };
    for (const line of [head, ...trace.map(traceLine)]) output.line(redactJson(line, redactor));
    return succeeded();
  }
  const redact = (text: string) => redactor.redact(text);
  const lines = [
    headOf(listing, { data, systemPrompt, folding, grants, redact }),
    ...traceText(trace),
  ];
  return succeeded(escapeControls(redact(lines.join("\n"))));
}

function parseData(data: string | undefined) {
  return data === undefined ? null : JSON.parse(data);
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
