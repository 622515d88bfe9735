/**
 * `sessions show ID`: what happened in a session, step by step, for people or as JSON lines.
 */
import type { SessionListing } from "../../contracts/session.ts";
import type { RunStep } from "../../contracts/step.ts";
import { type CommandContext, type Outcome, succeeded } from "../command.ts";
import { checkSessionId } from "../session_id.ts";
import { findListing, openStoreToRead, pathOf, sessionMissing } from "../store_access.ts";
import { escapeControls, oneLine } from "../terminal_text.ts";
import { countOf, formatBytes, formatCount, formatDuration, formatMoment } from "../units.ts";
import { listingLine } from "./sessions_ls.ts";
import { usageError } from "../failure.ts";

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
  if (output.json) {
    output.line({
      ...listingLine(listing),
      system_prompt: systemPrompt ?? null,
      data: parseData(data),
    });
    for (const step of steps) output.line(stepLine(step));
    return succeeded();
  }
  return succeeded(escapeControls(
    [headOf(listing, { data, systemPrompt }), ...traceOf(steps)].join("\n"),
  ));
}

function parseData(data: string | undefined) {
  return data === undefined ? null : JSON.parse(data);
}

function stepLine(step: RunStep) {
  return {
    type: "step",
    step_index: step.stepIndex,
    run_id: step.runId,
    step_type: step.stepType,
    content: step.content,
    tool_args: parseData(step.toolArgs),
    duration_ms: step.durationMs,
    prompt_tokens: step.promptTokens,
    completion_tokens: step.completionTokens,
    created_at: step.createdAt.toISOString(),
  };
}

function headOf(
  listing: SessionListing,
  { data, systemPrompt }: { data: string | undefined; systemPrompt: string | undefined },
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
    ["persona", systemPrompt === undefined ? "none" : oneLine(systemPrompt, 100)],
    [
      "carries",
      data === undefined
        ? "nothing"
        : `${formatBytes(new TextEncoder().encode(data).length)}: ${oneLine(data, 80)}`,
    ],
  ];
  return rows.map(([name = "", value = ""]) => `${name.padEnd(9)}  ${value}`).join("\n");
}

function traceOf(steps: readonly RunStep[]): string[] {
  let runId = "";
  return steps.flatMap((step) => {
    const lines: string[] = [];
    if (step.runId !== runId) {
      runId = step.runId;
      lines.push("", `run ${runId}, ${formatMoment(step.createdAt)}`);
    }
    lines.push(
      "",
      `${step.stepIndex}  ${figuresOf(step)}`,
      ...step.content.trimEnd().split(/\r?\n/).map((line) => `   ${line}`.trimEnd()),
    );
    return lines;
  });
}

function figuresOf(step: RunStep): string {
  return [
    step.stepType,
    ...(step.durationMs > 0 ? [formatDuration(step.durationMs)] : []),
    ...(step.promptTokens + step.completionTokens > 0
      ? [`${formatCount(step.promptTokens)} + ${formatCount(step.completionTokens)} tokens`]
      : []),
  ].join(", ");
}
