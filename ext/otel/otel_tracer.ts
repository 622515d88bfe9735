/** Spans of runs as OpenTelemetry knows them. What becomes of them is up to whoever registered a provider; without one nothing does. */
import {
  type Context,
  context,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer as ApiTracer,
} from "npm:@opentelemetry/api@1.9.1";
import type { Span, SpanAttributes, Tracer } from "../../contracts/tracing.ts";

/** The part of an OpenTelemetry `TracerProvider` that is needed; any provider fits. */
export interface OtelTracerProvider {
  /** Gives the tracer of a library. */
  getTracer(name: string, version?: string): unknown;
}

/** Options of {@linkcode createOtelTracer}. */
export interface OtelTracerOptions {
  /** Makes the spans. @default the provider that is registered with the API, also when that happens later */
  readonly provider?: OtelTracerProvider;
  /** The instrumentation scope of the spans. @default "@agentloop/core" */
  readonly name?: string;
  /** Its version. @default none */
  readonly version?: string;
}

/** Calls that leave the process for another service. */
const CLIENT_SPANS = new Set(["agentloop.llm_call"]);

/**
 * Creates the tracer to hand to a loop. A run's span is a child of the span that is active where the run is started.
 *
 * It owns nothing: exporting, and shutting down what exports, is the provider's business.
 */
export function createOtelTracer(options: OtelTracerOptions = {}): Tracer {
  const { provider = trace, name = "@agentloop/core", version } = options;
  const tracer = provider.getTracer(name, version) as ApiTracer;
  return {
    start: (spanName, attributes) =>
      begin(tracer, { name: spanName, attributes, parent: context.active() }),
  };
}

function begin(
  tracer: ApiTracer,
  { name, attributes = {}, parent }: {
    readonly name: string;
    readonly attributes?: SpanAttributes | undefined;
    readonly parent: Context;
  },
): Span {
  const kind = CLIENT_SPANS.has(name) ? SpanKind.CLIENT : SpanKind.INTERNAL;
  const span = tracer.startSpan(name, { attributes, kind }, parent);
  return {
    setAttributes: (more) => void span.setAttributes(more),
    fail: (message) => void span.setStatus({ code: SpanStatusCode.ERROR, message }),
    end: () => span.end(),
    child: (childName, more) =>
      begin(tracer, {
        name: childName,
        attributes: more,
        parent: trace.setSpan(parent, span),
      }),
  };
}
