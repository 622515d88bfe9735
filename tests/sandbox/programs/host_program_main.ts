/**
 * A program that uses the sandbox and does, by its first argument, one of the things that programs do wrong or that are done to them.
 * It prints one JSON line for each thing a test waits for.
 */
import { DEFAULT_SANDBOX_LIMITS } from "../../../contracts/sandbox.ts";
import type { GuestLease } from "../../../sandbox/host.ts";
import { createInlineHost } from "../../../sandbox/inline_host.ts";
import { createProcessHost } from "../../../sandbox/process_host.ts";

/** What the program does. */
export type Mode =
  | "value"
  | "forgets"
  | "warm"
  | "lease_only"
  | "running"
  | "waits"
  | "busy"
  | "stuck"
  | "inline";

function tell(message: unknown): void {
  console.log(JSON.stringify(message));
}

function evaluate(lease: GuestLease, source: string): Promise<unknown> {
  return lease.evaluate({
    source,
    seed: 1,
    now: () => new Date(0),
    onCall: async ({ name }) => {
      tell({ called: name });
      if (name === "hold") await readLine();
      if (name === "never") await new Promise(() => {});
      return { ok: true };
    },
  });
}

/** Waits until the test says go. */
async function readLine(): Promise<void> {
  await Deno.stdin.read(new Uint8Array(64));
}

/** Runs a statement in this very process, after telling that it begins. */
async function runInline(statement: string): Promise<void> {
  await using host = createInlineHost();
  await using lease = host.lease({
    scopeKey: "program",
    limits: { ...DEFAULT_SANDBOX_LIMITS, guestTimeMs: 100 },
    packs: [{ functions: ["start"] }],
  });
  tell(await evaluate(lease, `function run() { start(); ${statement} }`));
}

async function main(mode: Mode): Promise<void> {
  if (mode === "inline") return await runInline(Deno.args[1]!);
  const host = createProcessHost({ idleMs: mode === "warm" ? 600_000 : 0 });
  const lease = host.lease({
    scopeKey: "program",
    // Far beyond what a test waits: nothing here ends because its time is over.
    limits: { ...DEFAULT_SANDBOX_LIMITS, guestTimeMs: 3_600_000 },
    packs: [{ functions: ["hold", "never", "start"] }],
  });
  switch (mode) {
    case "value":
      tell(await evaluate(lease, "function run() { return 1 }"));
      await lease[Symbol.asyncDispose]();
      return await host[Symbol.asyncDispose]();
    case "forgets":
      return void await evaluate(lease, "function run() { hold() }");
    case "warm":
      await evaluate(lease, "function run() { hold() }");
      return await lease[Symbol.asyncDispose]();
    case "lease_only":
      return lease.warmUp();
    case "running":
      // Nobody awaits it; its end is waited for all the same.
      evaluate(lease, "function run() { hold(); return 7 }").then(tell);
      return;
    case "waits":
      return void await evaluate(lease, "function run() { never() }");
    case "busy":
      return void await evaluate(lease, "function run() { start(); for (;;) {} }");
    case "stuck":
      return void await evaluate(
        lease,
        "function run() { start(); [].concat(new Array(2 ** 32 - 1)); }",
      );
  }
}

if (import.meta.main) {
  try {
    await main(Deno.args[0] as Mode);
  } catch (error) {
    const { name, message, code } = error as Error & { code?: string };
    tell({ name, message, code });
  }
}
