/**
 * OpenTelemetry for a loop's runs: an adapter to `npm:@opentelemetry/api`. With `OTEL_DENO=true` the runtime exports what it makes;
 * elsewhere an SDK does.
 *
 * @example
 * ```ts
 * import { createLoop, DefaultSandboxBuilder, MemoryStore } from "@agentloop/core";
 * import { createOtelTracer } from "@agentloop/core/ext/otel";
 * import { scriptedClient } from "@agentloop/core/testing";
 *
 * const store = new MemoryStore();
 * await using sandboxBuilder = new DefaultSandboxBuilder();
 * const loop = createLoop({
 *   llm: scriptedClient(["Four."]),
 *   sessions: store,
 *   steps: store,
 *   sandboxBuilder,
 *   tracer: createOtelTracer(),
 * });
 * ```
 *
 * @module
 */
export type { Span, SpanAttributes, Tracer } from "../../contracts/tracing.ts";
export {
  createOtelTracer,
  type OtelTracerOptions,
  type OtelTracerProvider,
} from "./otel_tracer.ts";
