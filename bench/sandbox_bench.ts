/**
 * What the sandbox costs: cold start of a process, a warm evaluation with its fresh realm, a blocking host call across the pipes, memory.
 *
 *     deno run -A bench/sandbox_bench.ts
 */
import { DEFAULT_SANDBOX_LIMITS, type EvaluateRequest } from "../contracts/sandbox.ts";
import type { GuestLease, SandboxHost } from "../sandbox/host.ts";
import { createInlineHost } from "../sandbox/inline_host.ts";
import { createProcessHost } from "../sandbox/process_host.ts";
import { report, timed } from "./figures.ts";

const ROUNDS = 7;

function request(source: string): EvaluateRequest {
  return {
    source,
    argsJson: '{"n":1}',
    seed: 1,
    now: () => new Date(),
    onCall: ({ argsJson }) => Promise.resolve({ ok: true, json: argsJson }),
  };
}

const IDENTITY = request("function run(args) { return args; }");
const CALLS = 500;
const CALLING = request(`function run() { for (let i = 0; i < ${CALLS}; i++) echo(i); }`);

function lease(host: SandboxHost): GuestLease {
  return host.lease({
    scopeKey: "bench",
    limits: DEFAULT_SANDBOX_LIMITS,
    packs: [{ functions: ["echo"] }],
  });
}

async function evaluate(guest: GuestLease, script: EvaluateRequest): Promise<void> {
  const { failure } = await guest.evaluate(script);
  if (failure !== undefined) throw new Error(failure.message);
}

async function measure(name: string, create: () => SandboxHost, bars: boolean): Promise<void> {
  const cold: number[] = [], warm: number[] = [], call: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await using host = create();
    await using guest = lease(host);
    cold.push(await timed(() => evaluate(guest, IDENTITY)));
    for (let n = 0; n < 100; n++) await evaluate(guest, IDENTITY);
    const many = await timed(async () => {
      for (let n = 0; n < 100; n++) await evaluate(guest, IDENTITY);
    });
    warm.push(many / 100);
    await evaluate(guest, CALLING);
    call.push((await timed(() => evaluate(guest, CALLING))) / CALLS);
  }
  report({ name: `${name}: cold start to the first result`, unit: "ms", values: cold });
  report({
    name: `${name}: warm evaluate, fresh realm included`,
    unit: "ms",
    values: warm,
    ...(bars && { bar: 2 }),
  });
  report({
    name: `${name}: blocking host call`,
    unit: "ms",
    values: call,
    ...(bars && { bar: 0.15 }),
  });
}

await measure("process host", createProcessHost, true);
await measure("inline host", createInlineHost, false);
