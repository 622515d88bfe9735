import { tryRandomScripts } from "./_waiting_property.ts";

Deno.test("waiting script: of any shape, ended anywhere, it does nothing twice and loses nothing", async () => {
  await tryRandomScripts({ from: 0, rounds: 150 });
});
