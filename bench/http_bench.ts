/**
 * What requests of scripts cost, through loop, gate, guard and sandbox: twenty at once that take 100 ms each, and a body of 1 MiB, beside the same
 * with the runtime's own `fetch`.
 *
 *     deno run -A bench/http_bench.ts
 */
import { scriptedClient } from "../llm/scripted.ts";
import { createLoop } from "../loop/create_loop.ts";
import { DefaultPolicy } from "../loop/policy.ts";
import { DefaultSandboxBuilder } from "../sandbox/default_builder.ts";
import { fetchCapability } from "../sandbox/packs/http/capability.ts";
import { MemoryStore } from "../stores/memory.ts";
import { median, report, timed } from "./figures.ts";

const ROUNDS = 7;
/** Rounds before those that count: the process is there, and code was used often enough to be compiled. */
const WARM_UP = 3;
const AT_ONCE = 20;
const MIB = 1024 * 1024;

/** Orders as JSON, 1 MiB of them. */
const LARGE = JSON.stringify(
  Array.from({ length: 7_000 }, (_, index) => ({
    id: `ord_${String(index).padStart(7, "0")}`,
    customer: `cus_${String(index % 300).padStart(5, "0")}`,
    status: "delivered",
    total: index / 100,
    at: "2025-02-26T11:40:00Z",
    items: ["a", "b"],
    note: "left at the door",
  })),
).slice(0, MIB).padEnd(MIB);

await using server = Deno.serve(
  { hostname: "127.0.0.1", port: 0, onListen() {} },
  async (request) => {
    if (request.url.endsWith("/large")) return new Response(LARGE);
    await new Promise((resolve) => setTimeout(resolve, 100));
    return new Response("ok");
  },
);
const base = `http://127.0.0.1:${server.addr.port}`;

/** Runs scripts as turns of one run and gives the milliseconds that each took. */
async function timedScripts(sources: readonly string[]): Promise<readonly number[]> {
  using llm = scriptedClient(sources.map((source) => "```javascript\n" + source + "\n```"));
  await using sandboxBuilder = new DefaultSandboxBuilder({ capabilities: [fetchCapability()] });
  const store = new MemoryStore();
  const policy = new DefaultPolicy({ allowPrivateHosts: [`127.0.0.1:${server.addr.port}`] });
  const loop = createLoop({ llm, sessions: store, steps: store, sandboxBuilder, policy });
  const times: number[] = [];
  let startedAt = 0;
  const result = await loop.run({
    sessionId: "bench",
    maxIterations: sources.length,
    message: "go",
    onEvent(event) {
      if (event.type === "execute_js") startedAt = performance.now();
      if (event.type !== "execute_js_result") return;
      times.push(performance.now() - startedAt);
      if (!event.ok) throw new Error(event.content);
    },
  });
  if (result.finalText !== "done") throw new Error(`the run ended with ${result.status}`);
  return times;
}

const together = `async function run() {
  const paths = Array.from({ length: ${AT_ONCE} }, (_, index) => "${base}/slow?" + index);
  const answers = await Promise.all(paths.map((path) => fetch(path)));
  if (answers.some((answer) => !answer.ok)) throw new Error("a request failed");
}`;
const large = `function run() {
  if (fetch("${base}/large").body.length !== ${MIB}) throw new Error("the body is not whole");
}`;
const sources = [
  ...Array.from({ length: ROUNDS + WARM_UP }, () => together),
  ...Array.from({ length: ROUNDS + WARM_UP }, () => large),
  `function run() { answer("done"); }`,
];
const times = await timedScripts(sources);
const scriptTogether = times.slice(WARM_UP, WARM_UP + ROUNDS);
const scriptLarge = times.slice(2 * WARM_UP + ROUNDS, 2 * (WARM_UP + ROUNDS));

const bareTogether: number[] = [];
const bareLarge: number[] = [];
for (let round = 0; round < WARM_UP + ROUNDS; round++) {
  const all = () =>
    Promise.all(
      Array.from({ length: AT_ONCE }, async (_, index) =>
        await (await fetch(`${base}/slow?${index}`)).text()),
    );
  const atOnce = await timed(all);
  const one = await timed(async () => await (await fetch(`${base}/large`)).text());
  if (round < WARM_UP) continue;
  bareTogether.push(atOnce);
  bareLarge.push(one);
}

report({ name: "bare: 20 requests of 100 ms at once", unit: "ms", values: bareTogether });
report({ name: "script: the same by Promise.all", unit: "ms", values: scriptTogether, bar: 200 });
report({ name: "bare: a body of 1 MiB as text", unit: "ms", values: bareLarge });
report({ name: "script: the same", unit: "ms", values: scriptLarge });
report({
  name: "script: a body of 1 MiB, over bare",
  unit: "ms",
  values: scriptLarge.map((ms) => ms - median(bareLarge)),
  bar: 15,
});
