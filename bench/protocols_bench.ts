/**
 * The demo's data job in both protocols, side by side: requests, bytes of their bodies, time. Model replies are scripted and cost no time; scripts, tools, HTTP, sandbox,
 * gate and SQLite are real, and each answer is checked.
 *
 *     deno run -A bench/protocols_bench.ts [rounds]
 */
import { checkAnswer } from "../cli/demo/answer_check.ts";
import { createRecordedModel, demoQuestion } from "../cli/demo/recorded_model.ts";
import { makeShopData } from "../cli/demo/shop_data.ts";
import { startShopServer } from "../cli/demo/shop_server.ts";
import type { LoopConfig } from "../contracts/loop.ts";
import type { Client } from "../contracts/model.ts";
import { buildBody, firstAdaptation } from "../llm/request_body.ts";
import { createLoop } from "../loop/create_loop.ts";
import { DefaultPolicy } from "../loop/policy.ts";
import { DefaultSandboxBuilder } from "../sandbox/default_builder.ts";
import { fetchCapability } from "../sandbox/packs/http/capability.ts";
import { openSqliteStore } from "../stores/sqlite/mod.ts";
import { ToolRegistry } from "../tools/tool_registry.ts";
import { createToolModel, shopTools } from "./demo_by_tools.ts";
import { report, timed } from "./figures.ts";

const rounds = Number(Deno.args[0] ?? 7);
const data = makeShopData();
await using shop = startShopServer(data);
await using sandboxBuilder = new DefaultSandboxBuilder({ capabilities: [fetchCapability()] });
const folder = await Deno.makeTempDir({ prefix: "agentloop-bench-" });

/** A way to do the job: its model, made anew for each run, and what else its loop is made of. */
interface Way {
  readonly model: () => Client;
  readonly config: Partial<LoopConfig>;
}

const byName: Partial<LoopConfig> = {
  protocol: "tools",
  tools: new ToolRegistry(shopTools(shop.baseUrl)),
  maxIterations: 100,
};
const ways: Readonly<Record<string, Way>> = {
  "scripts": {
    model: () => createRecordedModel(shop.baseUrl),
    config: { sandboxBuilder, policy: new DefaultPolicy({ allowPrivateHosts: [shop.host] }) },
  },
  "tools, one call a turn": { model: () => createToolModel("one_by_one"), config: byName },
  "tools, all at once": { model: () => createToolModel("at_once"), config: byName },
};

try {
  using store = openSqliteStore(`${folder}/job.db`);
  const figures = Object.fromEntries(
    Object.keys(ways).map((name) => [name, { requests: 0, bytes: 0, ms: [] as number[] }]),
  );
  for (let round = -1; round < rounds; round++) {
    for (const [name, { model, config }] of Object.entries(ways)) {
      const weighed = weigh(model());
      const loop = createLoop({
        ...config,
        llm: weighed.client,
        sessions: store,
        steps: store,
        calls: store,
      });
      const request = { sessionId: `${name} ${round}`, message: demoQuestion(shop.baseUrl) };
      const ms = await timed(async () => {
        const { finalText, error, reason } = await loop.run(request);
        const faults = checkAnswer(finalText, data);
        if (faults.length > 0) throw error ?? new Error(`${name}: ${reason}: ${faults[0]}`);
      });
      const { requests, bytes } = weighed;
      figures[name] = { requests, bytes, ms: [...figures[name]!.ms, ...(round < 0 ? [] : [ms])] };
    }
  }
  const [first] = Object.values(figures);
  for (const [name, { requests, bytes, ms }] of Object.entries(figures)) {
    report({ name: `${name}: requests`, unit: "", values: [requests] });
    report({ name: "  bytes of their bodies", unit: "KiB", values: [bytes / 1024] });
    report({ name: "  of the scripts'", unit: "x", values: [bytes / first!.bytes] });
    report({ name: "  wall time without the model's", unit: "ms", values: ms });
  }
} finally {
  await Deno.remove(folder, { recursive: true });
}

/** A client, and what its requests weigh as the wire's bodies. */
function weigh(inner: Client): { readonly client: Client; requests: number; bytes: number } {
  const weighed = {
    client: {
      complete(request: Parameters<Client["complete"]>[0]) {
        const adaptation = firstAdaptation(false);
        const body = buildBody(request, { model: "scripted", defaults: {}, adaptation });
        weighed.requests++;
        weighed.bytes += new TextEncoder().encode(JSON.stringify(body)).length;
        return inner.complete(request);
      },
    },
    requests: 0,
    bytes: 0,
  };
  return weighed;
}
