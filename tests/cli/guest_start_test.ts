import { match, strictEqual } from "node:assert/strict";
import { GUEST_ARGUMENT } from "../../cli/main.ts";
import { GUEST_MODE_ARGUMENT } from "../../sandbox/guest_command.ts";
import { openHome } from "./cli_process.ts";

Deno.test("started with the guest's argument the program serves as a guest and not as the command", async () => {
  strictEqual(GUEST_ARGUMENT, GUEST_MODE_ARGUMENT);
  await using home = await openHome();
  const { stdout } = await home.run([GUEST_ARGUMENT], { stdin: "" });
  match(stdout, /\{"type":"ready"\}/);
});
