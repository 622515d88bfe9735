/**
 * A durable store on the runtime's own SQLite: sessions and steps in one file that several processes may share.
 *
 * @module
 */
export { openSqliteStore, SqliteStore } from "./store.ts";
export type { SqliteStoreOptions } from "./store.ts";
