import { deepEqual, doesNotThrow, equal } from "node:assert/strict";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "npm:@opentelemetry/sdk-trace-base@2.12.1";
import { createOtelTracer } from "./mod.ts";

function inMemory(): { exporter: InMemorySpanExporter; provider: BasicTracerProvider } {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  return { exporter, provider };
}

function parentName(spans: readonly ReadableSpan[], span: ReadableSpan): string | undefined {
  return spans.find((one) => one.spanContext().spanId === span.parentSpanContext?.spanId)?.name;
}

Deno.test("otel: spans nest, carry attributes, and failures are their status", async () => {
  const { exporter, provider } = inMemory();
  const run = createOtelTracer({ provider, version: "1.2.3" }).start("agentloop.run", { a: 1 });
  const turn = run.child("agentloop.turn");
  const call = turn.child("agentloop.llm_call", { "gen_ai.operation.name": "chat" });
  call.setAttributes({ b: true, c: "x" });
  call.fail("The model is overloaded.");
  for (const span of [call, turn, run]) span.end();
  await provider.forceFlush();
  const spans = exporter.getFinishedSpans();
  deepEqual(spans.map((span) => [span.name, parentName(spans, span), span.attributes]), [
    [
      "agentloop.llm_call",
      "agentloop.turn",
      { "gen_ai.operation.name": "chat", b: true, c: "x" },
    ],
    ["agentloop.turn", "agentloop.run", {}],
    ["agentloop.run", undefined, { a: 1 }],
  ]);
  deepEqual(spans.map((span) => span.status.code), [2, 0, 0]);
  equal(spans[0]?.status.message, "The model is overloaded.");
  // A call of a model leaves the process; the rest is inside.
  deepEqual(spans.map((span) => span.kind), [2, 0, 0]);
  const scope = spans[0]?.instrumentationScope;
  deepEqual([scope?.name, scope?.version], ["@agentloop/core", "1.2.3"]);
  equal(new Set(spans.map((span) => span.spanContext().traceId)).size, 1);
  await provider.shutdown();
});

Deno.test("otel: without a provider everything may be called, and nothing comes of it", () => {
  doesNotThrow(() => {
    const span = createOtelTracer().start("agentloop.run", { a: 1 });
    span.setAttributes({ b: 2 });
    span.child("agentloop.turn").end();
    span.fail("x");
    span.end();
  });
});
