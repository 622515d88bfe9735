/** The attacks on scripts that run in processes of their own. */
import { createProcessHost } from "../../sandbox/process_host.ts";
import { processTableOfTests } from "../sandbox/process_table.ts";
import { sandboxSecuritySuite } from "./suite.ts";

const table = processTableOfTests();

sandboxSecuritySuite({
  name: "process host",
  createHost: () => createProcessHost(),
  canKill: true,
  readGuests: () => table().guests(),
});
