/** A small OTLP receiver on loopback: takes traces as JSON over HTTP and keeps their spans. */
import type { ExportedSpan } from "./span_tree.ts";

/** The receiver. Dispose it to stop it. */
export interface OtlpReceiver extends AsyncDisposable {
  /** Where it listens, for OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly url: string;
  /** Spans of every export so far. */
  readonly spans: readonly ExportedSpan[];
}

interface OtlpAttribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface OtlpSpan {
  readonly name: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly traceId: string;
  readonly startTimeUnixNano: string;
  readonly attributes?: readonly OtlpAttribute[];
}

interface OtlpTraces {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

/** Starts a receiver. */
export function startOtlpReceiver(): OtlpReceiver {
  const spans: ExportedSpan[] = [];
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      if (new URL(request.url).pathname !== "/v1/traces") {
        await request.body?.cancel();
        return Response.json({});
      }
      const { resourceSpans }: OtlpTraces = await request.json();
      for (const { scopeSpans } of resourceSpans) {
        spans.push(...scopeSpans.flatMap((scope) => scope.spans.map(readSpan)));
      }
      return Response.json({ partialSuccess: {} });
    },
  );
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    spans,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

function readSpan(span: OtlpSpan): ExportedSpan {
  const attributes = (span.attributes ?? []).map(({ key, value }): [string, unknown] => {
    const [kind, raw] = Object.entries(value)[0] ?? ["none", undefined];
    return [key, kind === "intValue" ? Number(raw) : raw];
  });
  return {
    name: span.name,
    id: span.spanId,
    parentId: span.parentSpanId || undefined,
    traceId: span.traceId,
    startedAt: BigInt(span.startTimeUnixNano),
    attributes: Object.fromEntries(attributes),
  };
}
