import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import type { CallRow } from "../contracts/call_log.ts";
import { callFilter, type CallFilterOptions, OUTCOME_WORDS } from "./call_filter.ts";
import { CliError } from "./failure.ts";

const NOW = new Date("2026-03-15T12:00:00.000Z");

function call(id: number, at: string, more: Partial<CallRow> = {}): CallRow {
  return {
    id,
    sessionId: "s",
    runId: "r",
    turn: 1,
    sequence: id,
    name: "fetch",
    argsJson: "[]",
    decision: "allowed",
    startedAt: new Date(at),
    ...more,
  };
}

const CALLS = [
  call(1, "2026-03-15T09:00:00Z", { outcome: "ok" }),
  call(2, "2026-03-15T10:00:00Z", { outcome: "error", name: "exec" }),
  call(3, "2026-03-15T11:00:00Z", { outcome: "timeout" }),
  call(4, "2026-03-15T11:30:00Z", { outcome: "refused", name: "writeFile" }),
  call(5, "2026-03-15T11:59:00Z"),
];

function ids(options: CallFilterOptions): number[] {
  return CALLS.filter(callFilter(options, NOW)).map(({ id }) => id);
}

function refusal(options: CallFilterOptions): string {
  let message = "";
  throws(() => callFilter(options, NOW), (error: unknown) => {
    message = (error as Error).message;
    return error instanceof CliError && error.type === "usage";
  });
  return message;
}

Deno.test("calls are chosen by name and outcome, each of which may be several", () => {
  deepStrictEqual(ids({}), [1, 2, 3, 4, 5]);
  deepStrictEqual(ids({ name: ["fetch"] }), [1, 3, 5]);
  deepStrictEqual(ids({ name: ["exec", "writeFile"] }), [2, 4]);
  deepStrictEqual(ids({ name: ["Fetch", "fetc", "toString"] }), []);
  deepStrictEqual(ids({ outcome: ["error", "timeout"] }), [2, 3]);
  deepStrictEqual(ids({ outcome: ["never-ended"] }), [5]);
});

Deno.test("calls are chosen by when they began: from the first moment on, before the second", () => {
  deepStrictEqual(ids({ since: "2h" }), [2, 3, 4, 5]);
  deepStrictEqual(ids({ until: "2h" }), [1]);
  deepStrictEqual(ids({ since: "2026-03-15T10:00Z", until: "2026-03-15T11:30Z" }), [2, 3]);
  deepStrictEqual(ids({ since: "2030-01-01" }), []);
});

Deno.test("all that is asked of a call must hold", () => {
  deepStrictEqual(ids({ name: ["fetch"], outcome: ["ok", "error"] }), [1]);
  deepStrictEqual(ids({ name: ["fetch"], outcome: ["timeout"], since: "30m" }), []);
});

Deno.test("what nothing can be like is wrong use, and said so", () => {
  strictEqual(
    refusal({ outcome: ["ok", "fine\x1b[2J"] }),
    "--outcome takes ok, error, timeout, refused, result, cancelled, never-ended, not fine\\x1b[2J",
  );
  // No name of what every object has.
  strictEqual(OUTCOME_WORDS.includes("toString"), false);
  strictEqual(
    refusal({ since: "yesterday" }),
    "--since takes a date like 2026-03-01, a date and a time like 2026-03-01T13:05, or how long ago: 90s, 30m, 2h, 3d; not yesterday",
  );
  strictEqual(refusal({ until: "2026" }).startsWith("--until takes a date"), true);
  strictEqual(
    refusal({ since: "1h", until: "2h" }),
    "--since names a moment that is not before that of --until: nothing lies between",
  );
});
