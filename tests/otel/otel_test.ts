import { deepEqual, equal, ok } from "node:assert/strict";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "npm:@opentelemetry/sdk-trace-base@2.12.1";
import { createOtelTracer } from "../../ext/otel/mod.ts";
import { startOtlpReceiver } from "./otlp_receiver.ts";
import { type ExportedSpan, nameTree, RUN_TREE } from "./span_tree.ts";
import { SESSION, tracedRun } from "./traced_run.ts";

/** Checks what a run of `traced_run.ts` must have exported. */
function assertSpans(spans: readonly ExportedSpan[]): void {
  const own = spans.filter((span) => span.name.startsWith("agentloop."));
  const [root] = own.filter((span) => span.name === "agentloop.run");
  ok(root !== undefined, "no span of a run");
  deepEqual(nameTree(root, own), RUN_TREE);
  equal(new Set(own.map((span) => span.traceId)).size, 1);
  const attribute = (name: string, key: string) =>
    own.find((span) => span.name === name)?.attributes[key];
  equal(root.attributes["agentloop.session.id"], SESSION);
  equal(root.attributes["agentloop.run.status"], "completed");
  equal(root.attributes["gen_ai.usage.input_tokens"], 200);
  equal(attribute("agentloop.turn", "agentloop.budget.allowance"), 7168);
  ok(Number(attribute("agentloop.turn", "agentloop.budget.estimated_tokens")) > 0);
  equal(attribute("agentloop.llm_call", "gen_ai.response.model"), "scripted-1");
  equal(attribute("agentloop.llm_call", "gen_ai.request.max_tokens"), 1024);
  equal(attribute("agentloop.execute_js", "agentloop.execute_js.ok"), true);
  equal(attribute("agentloop.host_call", "agentloop.host_call.name"), "stock");
}

function read(span: ReadableSpan): ExportedSpan {
  const [seconds, nanos] = span.startTime;
  return {
    name: span.name,
    id: span.spanContext().spanId,
    parentId: span.parentSpanContext?.spanId,
    traceId: span.spanContext().traceId,
    startedAt: BigInt(seconds) * 1_000_000_000n + BigInt(nanos),
    attributes: span.attributes,
  };
}

Deno.test("otel: a run's spans reach the SDK's exporter", async () => {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  equal((await tracedRun(createOtelTracer({ provider }))).finalText, "42");
  await provider.forceFlush();
  assertSpans(exporter.getFinishedSpans().map(read));
  await provider.shutdown();
});

Deno.test("otel: with OTEL_DENO=true a run's spans reach an OTLP receiver, without an SDK", async () => {
  await using receiver = startOtlpReceiver();
  const program = new URL("traced_run_main.ts", import.meta.url).pathname;
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-prompt", "--cached-only", `--allow-run=${Deno.execPath()}`, program],
    env: {
      OTEL_DENO: "true",
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      NO_COLOR: "1",
    },
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  ok(success, text(stderr).slice(-1000));
  equal(text(stdout).trim(), "42");
  assertSpans(receiver.spans);
});
