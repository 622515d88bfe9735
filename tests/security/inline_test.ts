/** The attacks on scripts that run in the calling process; and what that host gives up, shown in a process that is thrown away. */
import { createInlineHost } from "../../sandbox/inline_host.ts";
import { processTableOfTests, until } from "../sandbox/process_table.ts";
import { startHostProgram } from "../sandbox/programs/host_program.ts";
import { sandboxSecuritySuite } from "./suite.ts";
import { UNPOLLED } from "./suite_cpu.ts";

const table = processTableOfTests();

sandboxSecuritySuite({
  name: "inline host",
  createHost: () => createInlineHost(),
  canKill: false,
  readGuests: async () => [(await table().find(Deno.pid))!],
});

for (const [name, statement] of Object.entries(UNPOLLED)) {
  Deno.test(`inline host: ${name} holds the program up, as its documentation says`, async () => {
    await using program = startHostProgram("inline", { permissions: [], statement });
    await program.next();
    const begun = (await table().find(program.pid))!;
    // Four times its guest time of 100 ms, and it goes on.
    await until("it has computed for 400 ms", async () => {
      const now = await table().find(program.pid);
      return now !== undefined && now.cpuTicks - begun.cpuTicks >= 40;
    }, 60_000);
  });
}
