/**
 * The search for tools over SQLite's full-text index, for sets that are too large to be looked through each time.
 *
 * @module
 */
export {
  openSqliteToolExpander,
  type SqliteToolExpander,
  type SqliteToolExpanderOptions,
} from "./tool_index.ts";
export type { CallableTool, ToolExpander, ToolSearch } from "../../contracts/tool.ts";
export type { ToolSource } from "../tool_pack.ts";
