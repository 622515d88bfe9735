/**
 * For the tests of programs that use agentloop: suites that hold a store of your own to what the loop relies on, and a model double.
 *
 * @module
 */
export {
  artifactStoreContract,
  type ArtifactStoreFixture,
  callLogContract,
  type CallLogFixture,
  eventLogContract,
  type EventLogFixture,
  factStoreContract,
  type FactStoreFixture,
  grantStoreContract,
  type GrantStoreFixture,
  type RegisterTest,
  resultStoreContract,
  type ResultStoreFixture,
  scheduleStoreContract,
  type ScheduleStoreFixture,
  scriptJournalContract,
  type ScriptJournalFixture,
  sessionStoreContract,
  type SessionStoreContractOptions,
  type SessionStoreFixture,
  spendLedgerContract,
  type SpendLedgerFixture,
  stepStoreContract,
  type StepStoreContractOptions,
  type StepStoreFixture,
} from "./stores/contract.ts";
export {
  type ScriptedClient,
  scriptedClient,
  type ScriptedClientOptions,
  type ScriptedReply,
  type ScriptedStep,
  type ScriptedToolCall,
} from "./llm/scripted.ts";
