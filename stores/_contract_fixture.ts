/** What the cases of the contract suites are given, and what they share. */
import assert from "node:assert/strict";
import type { ArtifactStore } from "../contracts/artifact.ts";
import type { CallLog } from "../contracts/call_log.ts";
import type { EventLog } from "../contracts/event_log.ts";
import type { FactStore } from "../contracts/fact.ts";
import type { GrantStore } from "../contracts/grant.ts";
import type { SpendLedger } from "../contracts/limits.ts";
import type { ResultStore } from "../contracts/long_result.ts";
import type { ScheduleStore } from "../contracts/schedule.ts";
import type { ScriptJournal } from "../contracts/script_journal.ts";
import type { SessionCatalog, SessionStore } from "../contracts/session.ts";
import type { StepStore } from "../contracts/step.ts";

/** A store that the step suite tries: empty when the factory returns it. */
export interface StepStoreFixture {
  /** The store. */
  readonly steps: StepStore;
  /** Opens a second, independent handle on the same storage, as another process would. Needed for `shared` only. */
  readonly another?: () => StepStoreFixture | Promise<StepStoreFixture>;
  /** Releases the handle. Called once, when the case is over. */
  readonly close?: () => void | Promise<void>;
}

/** A store that the session suite tries: empty when the factory returns it. */
export interface SessionStoreFixture extends StepStoreFixture {
  /** The store. */
  readonly sessions: SessionStore;
  /** The same store as a catalogue. May be left out when the option `catalog` is false. */
  readonly catalog?: SessionCatalog;
  /** Opens a second, independent handle on the same storage, as another process would. Needed for `shared` only. */
  readonly another?: () => SessionStoreFixture | Promise<SessionStoreFixture>;
}

/** A log that the call suite tries: empty when the factory returns it. */
export interface CallLogFixture {
  /** The log. */
  readonly calls: CallLog;
  /** Opens a second, independent handle on the same storage, as another process would. Needed for `shared` only. */
  readonly another?: () => CallLogFixture | Promise<CallLogFixture>;
  /** Releases the handle. Called once, when the case is over. */
  readonly close?: () => void | Promise<void>;
}

/** A ledger that the spend suite tries: empty when the factory returns it. */
export interface SpendLedgerFixture {
  /** The ledger. */
  readonly ledger: SpendLedger;
  /** Opens a second, independent handle on the same storage, as another process would. Needed for `shared` only. */
  readonly another?: () => SpendLedgerFixture | Promise<SpendLedgerFixture>;
  /** Releases the handle. Called once, when the case is over. */
  readonly close?: () => void | Promise<void>;
}

/** A store that the grant suite tries: empty when the factory returns it. */
export interface GrantStoreFixture {
  /** The store. */
  readonly grants: GrantStore;
  /** Opens a second, independent handle on the same storage, as another process would. Needed for `shared` only. */
  readonly another?: () => GrantStoreFixture | Promise<GrantStoreFixture>;
  /** Releases the handle. Called once, when the case is over. */
  readonly close?: () => void | Promise<void>;
}

/** A store that the fact suite tries: empty when the factory returns it. */
export interface FactStoreFixture {
  /** The store. */
  readonly facts: FactStore;
  /** Opens a second, independent handle on the same storage, as another process would. Needed for `shared` only. */
  readonly another?: () => FactStoreFixture | Promise<FactStoreFixture>;
  /** Releases the handle. Called once, when the case is over. */
  readonly close?: () => void | Promise<void>;
}

/** A store that the artifact suite tries: empty when the factory returns it. */
export interface ArtifactStoreFixture {
  /** The store. */
  readonly artifacts: ArtifactStore;
  /** Opens a second, independent handle on the same storage, as another process would. Needed for `shared` only. */
  readonly another?: () => ArtifactStoreFixture | Promise<ArtifactStoreFixture>;
  /** Releases the handle. Called once, when the case is over. */
  readonly close?: () => void | Promise<void>;
}

/** A log that the event suite tries: empty when the factory returns it. */
export interface EventLogFixture {
  /** The log. */
  readonly events: EventLog;
  /** Opens a second, independent handle on the same storage, as another process would. Needed for `shared` only. */
  readonly another?: () => EventLogFixture | Promise<EventLogFixture>;
  /** Releases the handle. Called once, when the case is over. */
  readonly close?: () => void | Promise<void>;
}

/** A store that the result suite tries: empty when the factory returns it. */
export interface ResultStoreFixture {
  /** The store. */
  readonly results: ResultStore;
  /** Opens a second, independent handle on the same storage, as another process would. Needed for `shared` only. */
  readonly another?: () => ResultStoreFixture | Promise<ResultStoreFixture>;
  /** Releases the handle. Called once, when the case is over. */
  readonly close?: () => void | Promise<void>;
}

/** A store that the schedule suite tries: empty when the factory returns it. */
export interface ScheduleStoreFixture {
  /** The store. */
  readonly schedule: ScheduleStore;
  /** Opens a second, independent handle on the same storage, as another process would. Needed for `shared` only. */
  readonly another?: () => ScheduleStoreFixture | Promise<ScheduleStoreFixture>;
  /** Releases the handle. Called once, when the case is over. */
  readonly close?: () => void | Promise<void>;
}

/** A journal that the script suite tries: empty when the factory returns it. */
export interface ScriptJournalFixture {
  /** The journal. */
  readonly scripts: ScriptJournal;
  /** Opens a second, independent handle on the same storage, as another process would. Needed for `shared` only. */
  readonly another?: () => ScriptJournalFixture | Promise<ScriptJournalFixture>;
  /** Releases the handle. Called once, when the case is over. */
  readonly close?: () => void | Promise<void>;
}

/** One thing that a store must do. Throws when it does not. */
export interface ContractCase<Fixture> {
  /** What it must do, as the end of a test's name. */
  readonly name: string;
  /** Tries it on an empty store. */
  readonly run: (fixture: Fixture) => Promise<void>;
}

/** The second handle of a fixture. */
export async function anotherHandle<Fixture>(
  fixture: { readonly another?: () => Fixture | Promise<Fixture> },
): Promise<Fixture> {
  if (fixture.another === undefined) {
    throw new TypeError("The option `shared` needs a fixture with `another`.");
  }
  return await fixture.another();
}

/** Resolves when the clock shows another millisecond, so that two writes can be told apart by their time. */
export async function nextMillisecond(): Promise<void> {
  const start = Date.now();
  while (Date.now() === start) await new Promise((resolve) => setTimeout(resolve, 1));
}

/** Fails when one of the keys of the case's input has reached every object. */
export function assertNoPollution(): void {
  const plain = {} as Record<string, unknown>;
  assert.equal(plain.polluted, undefined);
  assert.equal(plain.p2, undefined);
}
