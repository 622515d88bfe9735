/**
 * The spans of a run. Whoever makes no spans gets one shared object that does nothing, so the rest of the loop need not ask. What a tracer
 * does wrong changes nothing about the run; what it is told is redacted.
 */
import type { TextRedactor } from "../contracts/redaction.ts";
import type { Span, SpanAttributes, Tracer } from "../contracts/tracing.ts";
import { LimitReached } from "./limits.ts";

/** Attributes, those that are not known left out. */
export type Attributes = { readonly [name: string]: SpanAttributes[string] | undefined };

/** A span that is safe to use. */
export interface Trace {
  /** Adds attributes. */
  set(attributes: Attributes): void;
  /** Marks it as failed. */
  fail(message: string): void;
  /** Ends it. */
  end(): void;
  /** Begins a span inside it. */
  child(name: string, attributes?: Attributes): Trace;
}

/** For runs without a tracer. */
export const NO_TRACE: Trace = {
  set: () => {},
  fail: () => {},
  end: () => {},
  child: () => NO_TRACE,
};

/** Begins the span of a run; nothing is made without a tracer. */
export function startTrace(
  { tracer, secrets }: {
    readonly tracer?: Tracer | undefined;
    readonly secrets: Secrets;
  },
  { name, attributes }: { readonly name: string; readonly attributes: Attributes },
): Trace {
  if (tracer === undefined) return NO_TRACE;
  const clean = (raw: Attributes) => cleanAttributes(raw, secrets.redactor);
  return wrap(safely(() => tracer.start(name, clean(attributes))), { clean, secrets });
}

/** Does some work inside a span of its own, which ends with it and tells its failure. The work must not throw but reject. */
export function traced<T>(
  parent: Trace,
  span: { readonly name: string; readonly attributes?: Attributes },
  work: (trace: Trace) => Promise<T>,
): Promise<T> {
  return parent === NO_TRACE ? work(NO_TRACE) : within(parent, span, work);
}

async function within<T>(
  parent: Trace,
  { name, attributes }: { readonly name: string; readonly attributes?: Attributes },
  work: (trace: Trace) => Promise<T>,
): Promise<T> {
  const trace = parent.child(name, attributes);
  try {
    return await work(trace);
  } catch (error) {
    // Ending on a limit is no failure.
    if (!(error instanceof LimitReached)) {
      trace.fail(error instanceof Error ? error.message : String(error));
    }
    throw error;
  } finally {
    trace.end();
  }
}

/** What takes them out, asked for each time: a run learns of more. */
interface Secrets {
  readonly redactor: TextRedactor | undefined;
}

interface Cleaning {
  readonly clean: (attributes: Attributes) => SpanAttributes;
  readonly secrets: Secrets;
}

function wrap(span: Span | undefined, cleaning: Cleaning): Trace {
  if (span === undefined) return NO_TRACE;
  const { clean, secrets } = cleaning;
  return {
    set: (attributes) => safely(() => span.setAttributes(clean(attributes))),
    fail: (message) => safely(() => span.fail(secrets.redactor?.redact(message) ?? message)),
    end: () => safely(() => span.end()),
    child: (name, attributes = {}) =>
      wrap(safely(() => span.child(name, clean(attributes))), cleaning),
  };
}

function cleanAttributes(
  attributes: Attributes,
  redactor: TextRedactor | undefined,
): SpanAttributes {
  const clean: Record<string, SpanAttributes[string]> = {};
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined) continue;
    clean[name] = typeof value === "string" ? redactor?.redact(value) ?? value : value;
  }
  return clean;
}

function safely<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
