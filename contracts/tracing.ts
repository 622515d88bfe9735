/** Spans of a run, as the loop makes them. An adapter to OpenTelemetry stands in ext/otel; without a tracer nothing is created. */

/** Attribute values that a span takes. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** Something that takes time. */
export interface Span {
  /** Adds attributes. */
  setAttributes(attributes: SpanAttributes): void;
  /** Marks the span as failed, with a text that is already redacted. */
  fail(message: string): void;
  /** Ends the span. Called exactly once. */
  end(): void;
  /** Begins a span inside this one. */
  child(name: string, attributes?: SpanAttributes): Span;
}

/** Makes the spans of runs. Must not throw. */
export interface Tracer {
  /** Begins the span of a run; a child of what is active in the caller's context, where the tracer knows of one. */
  start(name: string, attributes?: SpanAttributes): Span;
}
