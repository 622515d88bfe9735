/** One host for the tests of a file: started before the first, gone after the last, so that each test need not wait for a process. */
import type { GuestLease, SandboxHost } from "../../sandbox/host.ts";
import { evaluateValue, takeLease } from "./evaluation.ts";

/** Registers the host's start and end with the test runner; what is returned gives it while tests run. Tests must not dispose it. */
export function shareHost(createHost: () => SandboxHost): () => SandboxHost {
  let host: SandboxHost;
  let kept: GuestLease;
  Deno.test.beforeAll(async () => {
    host = createHost();
    kept = takeLease(host);
    await evaluateValue(kept, "function run() {}");
  });
  Deno.test.afterAll(async () => {
    await kept[Symbol.asyncDispose]();
    await host[Symbol.asyncDispose]();
  });
  return () => host;
}
