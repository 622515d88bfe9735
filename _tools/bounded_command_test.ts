import { deepEqual, equal } from "node:assert/strict";
import { runBounded } from "./bounded_command.ts";

Deno.test("bounded command: gives the exit code and both streams", async () => {
  const code = 'console.log("out"); console.error("err"); Deno.exit(7);';
  const result = await runBounded(["eval", code], { timeoutMs: 60_000 });
  deepEqual([result.code, result.timedOut], [7, false]);
  equal(result.output, "err\nout\n");
});

Deno.test("bounded command: one that never ends is ended, even when it is busy", async () => {
  const result = await runBounded(["eval", "for (;;);"], { timeoutMs: 300 });
  deepEqual([result.code, result.timedOut], [124, true]);
});

Deno.test("bounded command: takes variables away and adds others", async () => {
  Deno.env.set("BOUNDED_COMMAND_TEST", "inherited");
  try {
    const code = 'console.log(Deno.env.get("BOUNDED_COMMAND_TEST"), Deno.env.get("ADDED"));';
    const result = await runBounded(["eval", code], {
      timeoutMs: 60_000,
      env: { BOUNDED_COMMAND_TEST: null, ADDED: "yes" },
    });
    equal(result.output, "undefined yes\n");
  } finally {
    Deno.env.delete("BOUNDED_COMMAND_TEST");
  }
});
