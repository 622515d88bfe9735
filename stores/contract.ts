/**
 * What every store must do, as suites that take a factory: point them at a store of your own to hold it to what the loop relies on.
 * The cases stand in the `_…_cases.ts` files beside this; here is only how they are run.
 */
import { ARTIFACT_CASES, SHARED_ARTIFACT_CASES } from "./_artifact_cases.ts";
import { CALL_CASES, SHARED_CALL_CASES } from "./_call_cases.ts";
import { CATALOG_CASES, SHARED_CATALOG_CASES } from "./_catalog_cases.ts";
import type {
  ArtifactStoreFixture,
  CallLogFixture,
  ContractCase,
  EventLogFixture,
  FactStoreFixture,
  GrantStoreFixture,
  ResultStoreFixture,
  ScheduleStoreFixture,
  ScriptJournalFixture,
  SessionStoreFixture,
  SpendLedgerFixture,
  StepStoreFixture,
} from "./_contract_fixture.ts";
import { EVENT_CASES, SHARED_EVENT_CASES } from "./_event_cases.ts";
import { FACT_CASES, SHARED_FACT_CASES } from "./_fact_cases.ts";
import { GRANT_CASES, SHARED_GRANT_CASES } from "./_grant_cases.ts";
import { LEDGER_CASES, SHARED_LEDGER_CASES } from "./_ledger_cases.ts";
import { RESULT_CASES, SHARED_RESULT_CASES } from "./_result_cases.ts";
import { SCHEDULE_CASES, SHARED_SCHEDULE_CASES } from "./_schedule_cases.ts";
import { SCRIPT_CASES, SHARED_SCRIPT_CASES } from "./_script_cases.ts";
import { SESSION_CASES, SHARED_SESSION_CASES } from "./_session_cases.ts";
import { SHARED_STEP_CASES, STEP_CASES } from "./_step_cases.ts";

export type {
  ArtifactStoreFixture,
  CallLogFixture,
  EventLogFixture,
  FactStoreFixture,
  GrantStoreFixture,
  ResultStoreFixture,
  ScheduleStoreFixture,
  ScriptJournalFixture,
  SessionStoreFixture,
  SpendLedgerFixture,
  StepStoreFixture,
} from "./_contract_fixture.ts";

/** Registers one test with a test runner. */
export type RegisterTest = (name: string, body: () => Promise<void>) => void;

/** Options of {@linkcode stepStoreContract}. */
export interface StepStoreContractOptions {
  /** Registers a case with the test runner. @default Deno.test */
  readonly test?: RegisterTest;
  /** Whether several handles may use the same storage: then the fixture needs `another`. @default false */
  readonly shared?: boolean;
}

/** Options of {@linkcode sessionStoreContract}. */
export interface SessionStoreContractOptions extends StepStoreContractOptions {
  /** Whether the store is also a `SessionCatalog`. @default true */
  readonly catalog?: boolean;
}

/**
 * Registers the cases that every `StepStore` must pass, one test each.
 *
 * @param name Stands before each test's name.
 * @param open Makes an empty store; called once a case.
 * @example Under Deno's own runner, leave `test` out.
 * ```ts
 * import { MemoryStore } from "@agentloop/core";
 * import { stepStoreContract } from "@agentloop/core/testing";
 *
 * const cases: (() => Promise<void>)[] = [];
 * stepStoreContract("MemoryStore", () => ({ steps: new MemoryStore() }), {
 *   test: (_name, body) => cases.push(body),
 * });
 * for (const body of cases) await body();
 * ```
 */
export function stepStoreContract(
  name: string,
  open: () => StepStoreFixture | Promise<StepStoreFixture>,
  options: StepStoreContractOptions = {},
): void {
  const cases = options.shared ? [...STEP_CASES, ...SHARED_STEP_CASES] : STEP_CASES;
  register(`${name} as a StepStore`, open, cases, options.test);
}

/**
 * Registers the cases that every `SessionStore` must pass, and those of a `SessionCatalog`, one test each.
 *
 * @param name Stands before each test's name.
 * @param open Makes an empty store; called once a case.
 */
export function sessionStoreContract(
  name: string,
  open: () => SessionStoreFixture | Promise<SessionStoreFixture>,
  options: SessionStoreContractOptions = {},
): void {
  const { catalog = true, shared = false, test } = options;
  const sessionCases = shared ? [...SESSION_CASES, ...SHARED_SESSION_CASES] : SESSION_CASES;
  register(`${name} as a SessionStore`, open, sessionCases, test);
  if (!catalog) return;
  const catalogCases = shared ? [...CATALOG_CASES, ...SHARED_CATALOG_CASES] : CATALOG_CASES;
  register(`${name} as a SessionCatalog`, open, catalogCases, test);
}

/**
 * Registers the cases that every `CallLog` must pass, one test each.
 *
 * @param name Stands before each test's name.
 * @param open Makes an empty log; called once a case.
 */
export function callLogContract(
  name: string,
  open: () => CallLogFixture | Promise<CallLogFixture>,
  options: StepStoreContractOptions = {},
): void {
  const cases = options.shared ? [...CALL_CASES, ...SHARED_CALL_CASES] : CALL_CASES;
  register(`${name} as a CallLog`, open, cases, options.test);
}

/**
 * Registers the cases that every `SpendLedger` must pass, one test each. A ledger may keep spends by the minute.
 *
 * @param name Stands before each test's name.
 * @param open Makes an empty ledger; called once a case.
 */
export function spendLedgerContract(
  name: string,
  open: () => SpendLedgerFixture | Promise<SpendLedgerFixture>,
  options: StepStoreContractOptions = {},
): void {
  const cases = options.shared ? [...LEDGER_CASES, ...SHARED_LEDGER_CASES] : LEDGER_CASES;
  register(`${name} as a SpendLedger`, open, cases, options.test);
}

/**
 * Registers the cases that every `GrantStore` must pass, one test each.
 *
 * @param name Stands before each test's name.
 * @param open Makes an empty store; called once a case.
 */
export function grantStoreContract(
  name: string,
  open: () => GrantStoreFixture | Promise<GrantStoreFixture>,
  options: StepStoreContractOptions = {},
): void {
  const cases = options.shared ? [...GRANT_CASES, ...SHARED_GRANT_CASES] : GRANT_CASES;
  register(`${name} as a GrantStore`, open, cases, options.test);
}

/**
 * Registers the cases that every `FactStore` must pass, one test each.
 *
 * @param name Stands before each test's name.
 * @param open Makes an empty store; called once a case.
 */
export function factStoreContract(
  name: string,
  open: () => FactStoreFixture | Promise<FactStoreFixture>,
  options: StepStoreContractOptions = {},
): void {
  const cases = options.shared ? [...FACT_CASES, ...SHARED_FACT_CASES] : FACT_CASES;
  register(`${name} as a FactStore`, open, cases, options.test);
}

/**
 * Registers the cases that every `ArtifactStore` must pass, one test each.
 *
 * @param name Stands before each test's name.
 * @param open Makes an empty store; called once a case.
 */
export function artifactStoreContract(
  name: string,
  open: () => ArtifactStoreFixture | Promise<ArtifactStoreFixture>,
  options: StepStoreContractOptions = {},
): void {
  const cases = options.shared ? [...ARTIFACT_CASES, ...SHARED_ARTIFACT_CASES] : ARTIFACT_CASES;
  register(`${name} as an ArtifactStore`, open, cases, options.test);
}

/**
 * Registers the cases that every `ScheduleStore` must pass, one test each.
 *
 * @param name Stands before each test's name.
 * @param open Makes an empty store; called once a case.
 */
export function scheduleStoreContract(
  name: string,
  open: () => ScheduleStoreFixture | Promise<ScheduleStoreFixture>,
  options: StepStoreContractOptions = {},
): void {
  const cases = options.shared ? [...SCHEDULE_CASES, ...SHARED_SCHEDULE_CASES] : SCHEDULE_CASES;
  register(`${name} as a ScheduleStore`, open, cases, options.test);
}

/**
 * Registers the cases that every `EventLog` must pass, one test each.
 *
 * @param name Stands before each test's name.
 * @param open Makes an empty log; called once a case.
 */
export function eventLogContract(
  name: string,
  open: () => EventLogFixture | Promise<EventLogFixture>,
  options: StepStoreContractOptions = {},
): void {
  const cases = options.shared ? [...EVENT_CASES, ...SHARED_EVENT_CASES] : EVENT_CASES;
  register(`${name} as an EventLog`, open, cases, options.test);
}

/**
 * Registers the cases that every `ResultStore` must pass, one test each.
 *
 * @param name Stands before each test's name.
 * @param open Makes an empty store; called once a case.
 */
export function resultStoreContract(
  name: string,
  open: () => ResultStoreFixture | Promise<ResultStoreFixture>,
  options: StepStoreContractOptions = {},
): void {
  const cases = options.shared ? [...RESULT_CASES, ...SHARED_RESULT_CASES] : RESULT_CASES;
  register(`${name} as a ResultStore`, open, cases, options.test);
}

/**
 * Registers the cases that every `ScriptJournal` must pass, one test each.
 *
 * @param name Stands before each test's name.
 * @param open Makes an empty journal; called once a case.
 */
export function scriptJournalContract(
  name: string,
  open: () => ScriptJournalFixture | Promise<ScriptJournalFixture>,
  options: StepStoreContractOptions = {},
): void {
  const cases = options.shared ? [...SCRIPT_CASES, ...SHARED_SCRIPT_CASES] : SCRIPT_CASES;
  register(`${name} as a ScriptJournal`, open, cases, options.test);
}

function register<Fixture extends { readonly close?: () => void | Promise<void> }>(
  subject: string,
  open: () => Fixture | Promise<Fixture>,
  cases: readonly ContractCase<Fixture>[],
  test: RegisterTest = (name, body) => Deno.test(name, body),
): void {
  for (const { name, run } of cases) {
    test(`${subject} ${name}`, async () => {
      const fixture = await open();
      try {
        await run(fixture);
      } finally {
        await fixture.close?.();
      }
    });
  }
}
