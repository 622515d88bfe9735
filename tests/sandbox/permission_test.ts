/** Starting a guest: with just enough permission, with too little, and where it cannot work. */
import assert from "node:assert/strict";
import { guestCommand } from "../../sandbox/guest_command.ts";
import { startGuestProcess } from "../../sandbox/guest_process.ts";
import { startHostProgram } from "./programs/host_program.ts";

Deno.test("permission to run the runtime is enough", async () => {
  await using program = startHostProgram("value");
  const outcome = await program.next();
  assert.equal(outcome?.valueJson, "1", JSON.stringify(outcome));
  assert.equal((await program.ended()).code, 0);
});

Deno.test("without permission to run the runtime the error says what to grant", async () => {
  for (const permissions of [[], ["--allow-read"], ["--allow-run=deno"], ["--allow-run=git"]]) {
    await using program = startHostProgram("value", { permissions });
    const error = await program.next();
    assert.equal(error?.code, "sandbox_permission", `${permissions}: ${JSON.stringify(error)}`);
    assert.equal(error?.name, "AgentLoopError");
    assert.ok(String(error?.message).includes(`--allow-run=${Deno.execPath()}`));
    assert.equal((await program.ended()).code, 0);
  }
});

Deno.test("an executable that cannot be run is sandbox_start", async () => {
  for (const path of ["/nonexistent/runtime", import.meta.filename!]) {
    const started = (async () => {
      const process = startGuestProcess({ path, args: [], env: {} });
      await process.ready.finally(() => process.kill());
    })();
    await assert.rejects(started, { name: "AgentLoopError", code: "sandbox_start" });
  }
});

Deno.test("a guest that ends before it is ready is sandbox_start, with what it said", async () => {
  const command = await guestCommand();
  const missing = startGuestProcess({
    ...command,
    args: [...command.args.slice(0, -1), import.meta.resolve("./guests/absent_main.ts")],
  });
  missing.hold();
  await assert.rejects(missing.ready, {
    name: "AgentLoopError",
    code: "sandbox_start",
    message: /absent_main\.ts/,
  });
  await missing.gone;
  const silent = startGuestProcess({ path: Deno.execPath(), args: ["eval", ""], env: {} });
  silent.hold();
  await assert.rejects(silent.ready, { code: "sandbox_start" });
  await silent.gone;
});

Deno.test("an engine that is not installed is sandbox_start, with what to do", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const command = await guestCommand();
    const process = startGuestProcess({ ...command, env: { DENO_DIR: folder, NO_COLOR: "1" } });
    process.hold();
    await assert.rejects(process.ready, (error: Error & { code?: string }) => {
      assert.equal(error.code, "sandbox_start");
      assert.match(error.message, /cache/);
      assert.doesNotMatch(error.message, /https?:|\.\.$/);
      return true;
    });
    await process.gone;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
