/** What every `CallLog` must do. */
import assert from "node:assert/strict";
import type { CallStart } from "../contracts/call_log.ts";
import { anotherHandle, type CallLogFixture, type ContractCase } from "./_contract_fixture.ts";

type CallCase = ContractCase<CallLogFixture>;

function sampleCall(fields: Partial<CallStart> = {}): CallStart {
  return {
    sessionId: "session",
    runId: "run",
    turn: 1,
    sequence: 0,
    name: "fetch",
    argsJson: '["https://example.test/"]',
    decision: "allowed",
    startedAt: new Date(1_767_225_600_123),
    ...fields,
  };
}

/** The cases for one handle. */
export const CALL_CASES: readonly CallCase[] = [
  {
    name: "shows a call that was started and has not ended as such",
    async run({ calls }) {
      const call = sampleCall({ target: "example.test" });
      const id = await calls.startCall(call);
      assert.deepEqual(await calls.calls("session"), [{ id, ...call }]);
    },
  },
  {
    name: "completes a row with how the call ended",
    async run({ calls }) {
      const call = sampleCall();
      const id = await calls.startCall(call);
      const ended = {
        outcome: "error",
        durationMs: 12,
        resultBytes: 0,
        error: "no route",
      } as const;
      await calls.endCall(id, ended);
      assert.deepEqual(await calls.calls("session"), [{ id, ...call, ...ended }]);
    },
  },
  {
    name: "gives the rows in the order in which they were started, whichever ended first",
    async run({ calls }) {
      const first = await calls.startCall(sampleCall({ sequence: 0 }));
      const second = await calls.startCall(sampleCall({ sequence: 1 }));
      await calls.endCall(second, { outcome: "ok", durationMs: 1, resultBytes: 5 });
      await calls.endCall(first, { outcome: "ok", durationMs: 9, resultBytes: 5 });
      const rows = await calls.calls("session");
      assert.deepEqual(rows.map((row) => row.id), [first, second]);
      assert.ok(first < second);
    },
  },
  {
    name: "limits to the last rows, and to those of one run",
    async run({ calls }) {
      for (const [sequence, runId] of ["a", "b", "a", "b"].entries()) {
        await calls.startCall(sampleCall({ sequence, runId }));
      }
      const last = await calls.calls("session", { limit: 3 });
      assert.deepEqual(last.map((row) => row.sequence), [1, 2, 3]);
      const ofRun = await calls.calls("session", { runId: "a" });
      assert.deepEqual(ofRun.map((row) => row.sequence), [0, 2]);
      assert.deepEqual(await calls.calls("session", { limit: 0 }), []);
    },
  },
  {
    name: "is read in pieces: the first rows behind a row, of all runs or of one",
    async run({ calls }) {
      const ids: number[] = [];
      for (const [sequence, runId] of ["a", "b", "a", "b", "a"].entries()) {
        ids.push(await calls.startCall(sampleCall({ sequence, runId })));
        await calls.startCall(sampleCall({ sessionId: "other", sequence }));
      }
      const sequences = async (options: { limit?: number; runId?: string; after: number }) =>
        (await calls.calls("session", options)).map((row) => row.sequence);
      assert.deepEqual(await sequences({ after: 0, limit: 2 }), [0, 1]);
      assert.deepEqual(await sequences({ after: ids[1]!, limit: 2 }), [2, 3]);
      assert.deepEqual(await sequences({ after: ids[1]! }), [2, 3, 4]);
      assert.deepEqual(await sequences({ after: ids[0]!, limit: 1, runId: "a" }), [2]);
      assert.deepEqual(await sequences({ after: ids[4]!, limit: 2 }), []);
      assert.deepEqual(await sequences({ after: 0, limit: 0 }), []);
      for (const after of [-1, 0.5, NaN]) {
        await assert.rejects(calls.calls("session", { after }), RangeError);
      }
    },
  },
  {
    name: "keeps sessions apart and knows none of an unknown one",
    async run({ calls }) {
      await calls.startCall(sampleCall({ sessionId: "one" }));
      assert.equal((await calls.calls("one")).length, 1);
      assert.deepEqual(await calls.calls("two"), []);
    },
  },
  {
    name: "ignores the end of a call that it does not know",
    async run({ calls }) {
      await calls.endCall(12_345, { outcome: "ok", durationMs: 1, resultBytes: 1 });
      assert.deepEqual(await calls.calls("session"), []);
    },
  },
  {
    name: "keeps arguments byte for byte",
    async run({ calls }) {
      const argsJson = '["\\u0000 \\ud83d 🎉\u2028", {"__proto__": 1}]';
      await calls.startCall(sampleCall({ argsJson }));
      assert.equal((await calls.calls("session"))[0]!.argsJson, argsJson);
    },
  },
  {
    name: "refuses a call without a session or with a number that is none",
    async run({ calls }) {
      await assert.rejects(calls.startCall(sampleCall({ sessionId: "" })), TypeError);
      await assert.rejects(calls.startCall(sampleCall({ turn: -1 })), RangeError);
      await assert.rejects(calls.startCall(sampleCall({ startedAt: new Date(NaN) })), TypeError);
    },
  },
];

/** The cases for storage that several handles share. */
export const SHARED_CALL_CASES: readonly CallCase[] = [
  {
    name: "gives every call of several handles an id of its own",
    async run(fixture) {
      const other = await anotherHandle<CallLogFixture>(fixture);
      try {
        const ids = await Promise.all(
          Array.from(
            { length: 40 },
            (_, sequence) =>
              (sequence % 2 === 0 ? fixture : other).calls.startCall(sampleCall({ sequence })),
          ),
        );
        assert.equal(new Set(ids).size, 40);
        await Promise.all(ids.map((id, at) =>
          (at % 2 === 0 ? other : fixture).calls.endCall(id, {
            outcome: "ok",
            durationMs: 1,
            resultBytes: at,
          })
        ));
        const rows = await other.calls.calls("session");
        assert.deepEqual(new Set(rows.map((row) => row.resultBytes)).size, 40);
      } finally {
        await other.close?.();
      }
    },
  },
];
