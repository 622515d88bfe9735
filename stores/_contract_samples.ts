/** What the contract suites feed to stores: steps, texts that are easily damaged, and a second handle. */
import type { FinalizeSummary } from "../contracts/session.ts";
import type { NewRunStep } from "../contracts/step.ts";

/** A step with everything that a case does not care about. */
export function sampleStep(fields: Partial<NewRunStep> = {}): NewRunStep {
  return {
    sessionId: "session",
    runId: "0190a000-0000-7000-8000-000000000001",
    stepType: "user",
    content: "hello",
    createdAt: new Date(1_767_225_600_123),
    ...fields,
  };
}

/** The end of a run with everything that a case does not care about. */
export function sampleSummary(fields: Partial<FinalizeSummary> = {}): FinalizeSummary {
  return {
    runId: "0190a000-0000-7000-8000-000000000001",
    status: "completed",
    promptTokens: 10,
    completionTokens: 2,
    stepCount: 3,
    durationMs: 40,
    dataBytesCarried: 500,
    ...fields,
  };
}

/** Texts that a store may damage: by its encoding, its escaping, its column types, or by trimming. */
export const FRAGILE_TEXTS: readonly string[] = [
  "",
  " leading and trailing \t\n",
  "two\r\nlines\nand\u2028a separator",
  "\uFEFFa byte order mark",
  "NUL \0 inside\0",
  "control \u0001\u001b[31m\u007f",
  "Grüße, Ελλάδα, 你好, שלום, e\u0301 \u{1F468}\u200d\u{1F469}\u200d\u{1F467} \u{10FFFF}",
  `quotes ' " \` and \\ back\\slashes; -- DROP TABLE sessions`,
  "%s ? :name $1 {} <b>&amp;</b>",
  "0012",
  "1e3",
  "null",
];

/** JSON texts that are no longer the same after a parse and a stringify. */
export const FRAGILE_JSON: readonly string[] = [
  '{ "b" : 1 ,\n"a":  [ ] }',
  '{"twice":1,"twice":2}',
  '{"n":1.0,"big":12345678901234567890,"exp":1E2,"small":-0}',
  '{"escaped":"\\u00e9\\ud83d\\u0000\\/"}',
  '{"__proto__":{"polluted":1},"constructor":{"prototype":{"p2":1}}}',
  '"text"',
  "null",
  '{"10":1,"9":2}',
];

/** The numbers from 0 to `count` − 1. */
export function numbersUpTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}
