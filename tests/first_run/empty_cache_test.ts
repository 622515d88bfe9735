/**
 * The README's first command on a machine that has run nothing yet: an empty cache, and the lock file as it is committed. It is the one test
 * that downloads, from the npm registry that the machine is set up for, and so stands in a suite of its own.
 */
import { match, strictEqual } from "node:assert/strict";

Deno.test("with an empty cache and the lock file as it is, the demo runs its scripts, the second time too", async () => {
  const cache = await Deno.makeTempDir({ prefix: "empty_cache_" });
  try {
    for (const what of ["first run", "second run"]) {
      const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", "--frozen", "cli.ts", "demo"],
        env: { DENO_DIR: cache, NO_COLOR: "1" },
        stdin: "null",
      }).output();
      const decoder = new TextDecoder();
      strictEqual(code, 0, `${what}: ${decoder.decode(stderr)}`);
      match(decoder.decode(stdout), /^10\. /m, what);
    }
  } finally {
    await Deno.remove(cache, { recursive: true });
  }
});
