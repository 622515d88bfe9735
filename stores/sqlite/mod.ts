/**
 * A durable store on the runtime's own SQLite: sessions and steps in one file that several processes may share.
 *
 * @module
 */
export { openSqliteStore, SqliteStore } from "./store.ts";
export type { SqliteStoreOptions } from "./store.ts";
export type {
  FinalizeSummary,
  RunStatus,
  Session,
  SessionCatalog,
  SessionListing,
  SessionStore,
} from "../../contracts/session.ts";
export type { NewRunStep, RunStep, StepStore, StepType } from "../../contracts/step.ts";
