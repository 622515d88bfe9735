/** The attacks on scripts that run in processes of their own. */
import { createProcessHost } from "../../sandbox/process_host.ts";
import { openProcessTable, type ProcessTable } from "../sandbox/process_table.ts";
import { sandboxSecuritySuite } from "./suite.ts";

let table: ProcessTable;

Deno.test.beforeAll(() => {
  table = openProcessTable();
});

Deno.test.afterAll(async () => {
  await table[Symbol.asyncDispose]();
});

sandboxSecuritySuite({
  name: "process host",
  createHost: () => createProcessHost(),
  canKill: true,
  readGuests: () => table.guests(),
});
