// deno-lint-ignore-file require-await -- the interfaces are asynchronous, and a bad argument is to reject, not to throw
/**
 * A store that lives in this process's memory: for embedding without a file, one-shot programs and tests.
 * Needs no permission and does no I/O. Nothing outlives the object and no other process sees it.
 */
import type { ArtifactStore } from "../contracts/artifact.ts";
import type { CallEnded, CallLog, CallRow, CallStart } from "../contracts/call_log.ts";
import type { EventLog } from "../contracts/event_log.ts";
import type { FactStore } from "../contracts/fact.ts";
import type { Grant, GrantStore } from "../contracts/grant.ts";
import type { Spend, SpendLedger } from "../contracts/limits.ts";
import type { ResultStore } from "../contracts/long_result.ts";
import type { ScriptJournal } from "../contracts/script_journal.ts";
import type {
  FinalizeSummary,
  RunStatus,
  Session,
  SessionCatalog,
  SessionListing,
  SessionStore,
} from "../contracts/session.ts";
import type { ScheduleStore } from "../contracts/schedule.ts";
import type { NewRunStep, RunStep, StepStore } from "../contracts/step.ts";
import { checkedGrant, checkedRevocation } from "./grant_input.ts";
import { checkedAfter, checkedCallEnded, checkedCallStart } from "./call_input.ts";
import { MemoryArtifacts } from "./memory_artifacts.ts";
import { MemoryEvents } from "./memory_events.ts";
import { MemoryFacts } from "./memory_facts.ts";
import { MemoryResults } from "./memory_results.ts";
import { MemorySchedule } from "./memory_schedule.ts";
import { MemoryScripts } from "./memory_scripts.ts";
import { sessionTitle } from "./session_title.ts";
import { checkedMinute, checkedScopeKey, checkedSpend } from "./spend_input.ts";
import {
  addToTotal,
  checkedData,
  checkedListLimit,
  checkedSessionId,
  type CheckedStep,
  checkedStep,
  checkedStepLimit,
  checkedSteps,
  checkedSummary,
  optionalText,
} from "./step_input.ts";

/** Options of a {@linkcode MemoryStore}. */
export interface MemoryStoreOptions {
  /** The clock behind `createdAt` and `lastUsedAt` of listings. @default () => new Date() */
  readonly now?: () => Date;
}

interface Entry {
  readonly id: string;
  readonly createdAt: number;
  readonly steps: RunStep[];
  readonly calls: Map<number, CallRow>;
  readonly grants: Grant[];
  lastUsedAt: number;
  title?: string;
  model?: string;
  systemPrompt?: string;
  messageId?: string;
  data?: string;
  status?: RunStatus;
  runCount: number;
  promptTokens: number;
  completionTokens: number;
}

/**
 * Sessions, steps, calls and what scopes spent, in memory; pass one as `sessions`, `steps`, `calls` and ledger of a loop.
 *
 * What it hands out are copies: changing them changes nothing in the store. It has nothing to dispose.
 *
 * @example
 * ```ts
 * import { MemoryStore } from "@agentloop/core";
 *
 * const store = new MemoryStore();
 * await store.updateData("s1", '{"rows":3}');
 * const session = await store.get("s1"); // { id: "s1", data: '{"rows":3}' }
 * ```
 */
export class MemoryStore
  implements SessionStore, StepStore, SessionCatalog, CallLog, SpendLedger, GrantStore {
  /** What runs made for people to open; a session's are deleted with it. */
  readonly artifacts: ArtifactStore;
  /** The events of runs; a session's are deleted with it. */
  readonly events: EventLog = new MemoryEvents();
  /** Results that are too long to be told whole; a session's are deleted with it. */
  readonly results: ResultStore = new MemoryResults();
  /** What is remembered beyond sessions. */
  readonly facts: FactStore;
  readonly #artifacts: MemoryArtifacts;
  readonly #schedule: MemorySchedule;
  /** Scripts that wait; a session's is deleted with it. */
  readonly scripts: ScriptJournal;
  readonly #scripts = new MemoryScripts((sessionId) => void this.#touch(sessionId));
  readonly #now: () => Date;
  readonly #entries = new Map<string, Entry>();
  /** Where the rows of calls that have not ended stand. */
  readonly #callSessions = new Map<number, string>();
  /** By scope and minute, so that a busy scope takes no more room than a slow one. */
  readonly #spend = new Map<string, Map<number, Spend>>();
  #callIds = 0;

  /** Creates an empty store. */
  constructor(options: MemoryStoreOptions = {}) {
    this.#now = options.now ?? (() => new Date());
    this.facts = new MemoryFacts(this.#now);
    this.#artifacts = new MemoryArtifacts(this.#now, (sessionId) => void this.#touch(sessionId));
    this.artifacts = this.#artifacts;
    this.scripts = this.#scripts;
    this.#schedule = new MemorySchedule(this.#now);
  }

  /** What is to happen later; a session's tasks are deleted with it. */
  get schedule(): ScheduleStore {
    return this.#schedule;
  }

  /** The session; for an unknown id a shell of one, which is not created. */
  async get(sessionId: string): Promise<Session> {
    const id = checkedSessionId(sessionId);
    const entry = this.#entries.get(id);
    return {
      id,
      ...(entry?.model === undefined ? {} : { model: entry.model }),
      ...(entry?.systemPrompt === undefined ? {} : { systemPrompt: entry.systemPrompt }),
      ...(entry?.data === undefined ? {} : { data: entry.data }),
      ...(entry?.messageId === undefined ? {} : { messageId: entry.messageId }),
    };
  }

  /** Whether anything was written to the session. */
  async exists(sessionId: string): Promise<boolean> {
    return this.#entries.has(checkedSessionId(sessionId));
  }

  /** Replaces the session's data, creating the session if need be. */
  async updateData(sessionId: string, json: string): Promise<void> {
    const data = checkedData(json);
    this.#touch(sessionId).data = data;
  }

  /** Adds the figures of a run to the session's totals, creating the session if need be. */
  async finalize(sessionId: string, summary: FinalizeSummary): Promise<void> {
    const { status, promptTokens, completionTokens } = checkedSummary(summary);
    const known = this.#entries.get(checkedSessionId(sessionId));
    const prompt = addToTotal(known?.promptTokens ?? 0, promptTokens, "prompt tokens");
    const completion = addToTotal(
      known?.completionTokens ?? 0,
      completionTokens,
      "completion tokens",
    );
    const entry = this.#touch(sessionId);
    entry.status = status;
    entry.runCount += 1;
    entry.promptTokens = prompt;
    entry.completionTokens = completion;
  }

  /** Appends a step, creating the session if need be, and gives it the next index. */
  async append(step: NewRunStep): Promise<RunStep> {
    return this.#append(checkedStep(step));
  }

  /** Appends steps of one session together. */
  async appendAll(steps: readonly NewRunStep[]): Promise<RunStep[]> {
    return checkedSteps(steps).map((step) => this.#append(step));
  }

  /** The most recent steps, oldest first. */
  async lastN(sessionId: string, n: number): Promise<RunStep[]> {
    const limit = checkedStepLimit(n);
    const steps = this.#entries.get(checkedSessionId(sessionId))?.steps ?? [];
    return steps.slice(Math.max(0, steps.length - limit)).map(copyOf);
  }

  /** Sessions, the last used first; of those used in the same millisecond, the newest first. */
  async list(options: { readonly limit?: number } = {}): Promise<SessionListing[]> {
    const limit = checkedListLimit(options.limit);
    const newestFirst = [...this.#entries.values()].reverse();
    return newestFirst.sort((a, b) => b.lastUsedAt - a.lastUsedAt).slice(0, limit).map(listingOf);
  }

  /** Sets fields of a session, creating it if need be. */
  async configure(
    sessionId: string,
    fields: Pick<Session, "model" | "systemPrompt" | "messageId">,
  ): Promise<void> {
    const model = optionalText(fields.model, "A session's model");
    const systemPrompt = optionalText(fields.systemPrompt, "A session's systemPrompt");
    const messageId = optionalText(fields.messageId, "A session's messageId");
    const entry = this.#touch(sessionId);
    entry.model = model ?? entry.model;
    entry.systemPrompt = systemPrompt ?? entry.systemPrompt;
    entry.messageId = messageId ?? entry.messageId;
  }

  /** Removes a session with its steps and data; false when there was none. */
  async delete(sessionId: string): Promise<boolean> {
    await this.events.deleteStream(checkedSessionId(sessionId));
    await this.results.deleteResults(sessionId);
    this.#artifacts.deleteSession(sessionId);
    this.#schedule.deleteSession(sessionId);
    this.#scripts.forget(sessionId);
    return this.#entries.delete(sessionId);
  }

  /** Writes the row of a call before its function runs, creating the session if need be. */
  async startCall(call: CallStart): Promise<number> {
    const checked = checkedCallStart(call);
    const id = ++this.#callIds;
    this.#touch(checked.sessionId).calls.set(id, { id, ...checked });
    this.#callSessions.set(id, checked.sessionId);
    return id;
  }

  /** Completes the row of a call. */
  async endCall(id: number, ended: CallEnded): Promise<void> {
    const checked = checkedCallEnded(ended);
    const sessionId = this.#callSessions.get(id);
    this.#callSessions.delete(id);
    const calls = sessionId === undefined ? undefined : this.#entries.get(sessionId)?.calls;
    const row = calls?.get(id);
    if (row !== undefined) calls?.set(id, { ...row, ...checked });
  }

  /** The rows of a session's calls in the order in which they were started. */
  async calls(
    sessionId: string,
    options: { readonly limit?: number; readonly runId?: string; readonly after?: number } = {},
  ): Promise<CallRow[]> {
    const limit = checkedListLimit(options.limit);
    const after = checkedAfter(options.after);
    const all = [...this.#entries.get(checkedSessionId(sessionId))?.calls.values() ?? []];
    const { runId } = options;
    const rows = all.filter((row) =>
      (runId === undefined || row.runId === runId) && (after === undefined || row.id > after)
    );
    const wanted = after === undefined
      ? rows.slice(Math.max(0, rows.length - limit))
      : rows.slice(0, limit);
    return wanted.map((row) => ({
      ...row,
      startedAt: new Date(row.startedAt),
    }));
  }

  /** Adds a grant, creating the session if need be. */
  async grant(sessionId: string, grant: Grant): Promise<void> {
    const id = checkedSessionId(sessionId);
    const { name, key } = checkedGrant(grant);
    const { grants } = this.#touch(id);
    if (grants.some((known) => known.name === name && known.key === key)) return;
    grants.push(key === undefined ? { name } : { name, key });
  }

  /** The grants of a session in the order in which they were given. */
  async grants(sessionId: string): Promise<Grant[]> {
    const { grants = [] } = this.#entries.get(checkedSessionId(sessionId)) ?? {};
    return grants.map((grant) => ({ ...grant }));
  }

  /** Takes grants back, by name or key, or all, and gives their number. */
  async revoke(sessionId: string, what?: string): Promise<number> {
    const { grants = [] } = this.#entries.get(checkedSessionId(sessionId)) ?? {};
    const wanted = checkedRevocation(what);
    const kept = wanted === undefined
      ? []
      : grants.filter(({ name, key }) => name !== wanted && key !== wanted);
    const revoked = grants.length - kept.length;
    grants.splice(0, grants.length, ...kept);
    return revoked;
  }

  /** Adds what was spent to the minute of `at`. */
  async addSpend(scopeKey: string, spend: Spend, at: Date): Promise<void> {
    const key = checkedScopeKey(scopeKey);
    const { minute, ...added } = checkedSpend(spend, at);
    const minutes = this.#spend.get(key) ?? new Map<number, Spend>();
    minutes.set(minute, sumOf(minutes.get(minute) ?? NOTHING, added));
    this.#spend.set(key, minutes);
  }

  /** What a scope has spent since a moment. The minute in which it lies counts whole. */
  async spendSince(scopeKey: string, since: Date): Promise<Spend> {
    const first = checkedMinute(since, "The moment to count from");
    const minutes = this.#spend.get(checkedScopeKey(scopeKey)) ?? [];
    return [...minutes].filter(([minute]) => minute >= first)
      .reduce((sum, [, spend]) => sumOf(sum, spend), NOTHING);
  }

  #append(checked: CheckedStep): RunStep {
    const entry = this.#touch(checked.sessionId);
    const stored: RunStep = { ...checked, stepIndex: entry.steps.length };
    entry.steps.push(stored);
    if (stored.stepType === "user") entry.title ??= sessionTitle(stored.content);
    return copyOf(stored);
  }

  #touch(sessionId: string): Entry {
    const id = checkedSessionId(sessionId);
    const now = this.#now().getTime();
    const known = this.#entries.get(id);
    if (known !== undefined) {
      known.lastUsedAt = now;
      return known;
    }
    const entry: Entry = {
      id,
      createdAt: now,
      steps: [],
      calls: new Map(),
      grants: [],
      lastUsedAt: now,
      runCount: 0,
      promptTokens: 0,
      completionTokens: 0,
    };
    this.#entries.set(id, entry);
    return entry;
  }
}

const NOTHING: Spend = { tokens: 0, cost: 0, hostCalls: 0 };

function sumOf(a: Spend, b: Spend): Spend {
  return {
    tokens: addToTotal(a.tokens, b.tokens, "tokens"),
    cost: a.cost + b.cost,
    hostCalls: addToTotal(a.hostCalls, b.hostCalls, "host calls"),
  };
}

function copyOf(step: RunStep): RunStep {
  return { ...step, createdAt: new Date(step.createdAt) };
}

function listingOf(entry: Entry): SessionListing {
  return {
    id: entry.id,
    title: entry.title ?? "",
    createdAt: new Date(entry.createdAt),
    lastUsedAt: new Date(entry.lastUsedAt),
    ...(entry.status === undefined ? {} : { status: entry.status }),
    stepCount: entry.steps.length,
    runCount: entry.runCount,
    promptTokens: entry.promptTokens,
    completionTokens: entry.completionTokens,
  };
}
