/** What every `EventLog` must do. */
import assert from "node:assert/strict";
import type { RunEvent } from "../contracts/event.ts";
import { EventConflictError, type EventRecord } from "../contracts/event_log.ts";
import { anotherHandle, type ContractCase, type EventLogFixture } from "./_contract_fixture.ts";
import { FRAGILE_TEXTS } from "./_contract_samples.ts";

type EventCase = ContractCase<EventLogFixture>;

function sampleEvent(content: string, sequence: number = 0): EventRecord {
  const event: RunEvent = { type: "user", content, runId: "run", sessionId: "session" };
  return { event, sequence, at: new Date(1_767_225_600_123) };
}

/** For `assert.rejects`: a conflict with these versions. */
function conflict(expected: number, actual: number): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof EventConflictError, String(error));
    assert.deepEqual(
      [error.code, error.streamId, error.expectedVersion, error.actualVersion],
      ["store_conflict", "s", expected, actual],
    );
    return true;
  };
}

/** The cases for one handle. */
export const EVENT_CASES: readonly EventCase[] = [
  {
    name: "knows of no event of an unknown stream",
    async run({ events }) {
      assert.equal(await events.version("s"), 0);
      assert.deepEqual(await events.read("s"), []);
      assert.equal(await events.deleteStream("s"), 0);
    },
  },
  {
    name: "gives events back as they were, in their order, with the versions they made",
    async run({ events }) {
      const first = [sampleEvent("a", 0), sampleEvent("b", 1)];
      assert.equal(await events.append("s", first, 0), 2);
      assert.equal(await events.append("s", [sampleEvent("c", 2)], 2), 3);
      assert.equal(await events.append("s", [], 3), 3);
      assert.equal(await events.append("other", [sampleEvent("x")], 0), 1);
      assert.deepEqual(await events.read("s"), [
        { ...first[0], version: 1 },
        { ...first[1], version: 2 },
        { ...sampleEvent("c", 2), version: 3 },
      ]);
      assert.equal(await events.version("s"), 3);
    },
  },
  {
    name: "gives the events behind a version, as many as asked for",
    async run({ events }) {
      await events.append("s", Array.from({ length: 10 }, (_, n) => sampleEvent(`${n}`, n)), 0);
      const versions = async (options: { after?: number; limit?: number }) =>
        (await events.read("s", options)).map(({ version }) => version);
      assert.deepEqual(await versions({ after: 8 }), [9, 10]);
      assert.deepEqual(await versions({ after: 3, limit: 2 }), [4, 5]);
      assert.deepEqual(await versions({ after: 10 }), []);
      assert.deepEqual(await versions({ limit: 0 }), []);
      assert.equal((await versions({ limit: Infinity })).length, 10);
    },
  },
  {
    name: "refuses an append at another version, telling both, and keeps nothing of it",
    async run({ events }) {
      await assert.rejects(events.append("s", [sampleEvent("x")], 1), conflict(1, 0));
      await events.append("s", [sampleEvent("a"), sampleEvent("b")], 0);
      await assert.rejects(events.append("s", [sampleEvent("x")], 1), conflict(1, 2));
      await assert.rejects(events.append("s", [sampleEvent("x")], 3), conflict(3, 2));
      await assert.rejects(events.append("s", [], 0), conflict(0, 2));
      assert.equal((await events.read("s")).length, 2);
      assert.equal(await events.append("s", [sampleEvent("c")], 2), 3);
    },
  },
  {
    name: "lets one of two appends at one version through",
    async run({ events }) {
      const ends = await Promise.allSettled(
        ["a", "b", "c"].map((text) => events.append("s", [sampleEvent(text)], 0)),
      );
      assert.equal(ends.filter(({ status }) => status === "fulfilled").length, 1);
      assert.equal(await events.version("s"), 1);
    },
  },
  {
    name: "deletes a stream and no other; it begins anew",
    async run({ events }) {
      await events.append("s", [sampleEvent("a"), sampleEvent("b")], 0);
      await events.append("S", [sampleEvent("stays")], 0);
      assert.equal(await events.deleteStream("s"), 2);
      assert.deepEqual(await events.read("s"), []);
      assert.equal(await events.version("S"), 1);
      assert.equal(await events.append("s", [sampleEvent("again")], 0), 1);
    },
  },
  {
    name: "keeps texts as they are, and no change that is made to an event afterwards",
    async run({ events }) {
      const records = FRAGILE_TEXTS.map((text, n) => sampleEvent(text, n));
      await events.append("s", records, 0);
      const kept = (await events.read("s")).map(({ event }) => Reflect.get(event, "content"));
      assert.deepEqual(kept, [...FRAGILE_TEXTS]);
      const args = { list: [1] };
      const changing: RunEvent = { type: "sandbox_event", args, runId: "r", sessionId: "s" };
      await events.append("t", [{ event: changing, sequence: 0, at: new Date(0) }], 0);
      args.list.push(2);
      const [read] = await events.read("t");
      assert.deepEqual(Reflect.get(read!.event, "args"), { list: [1] });
    },
  },
  {
    name: "refuses what is no stream, no event and no version",
    async run({ events }) {
      const event = sampleEvent("a");
      for (const wrong of ["", 1, "a\uD83D"]) {
        await assert.rejects(events.append(wrong as never, [event], 0), TypeError);
      }
      await assert.rejects(events.append("s", event as never, 0), TypeError);
      await assert.rejects(events.append("s", [{} as never], 0), TypeError);
      await assert.rejects(events.append("s", [{ ...event, at: new Date(NaN) }], 0), TypeError);
      await assert.rejects(events.append("s", [{ ...event, sequence: -1 }], 0), RangeError);
      for (const wrong of [-1, 0.5, NaN, "0"]) {
        await assert.rejects(events.append("s", [event], wrong as never), RangeError);
        await assert.rejects(events.read("s", { after: wrong as never }), RangeError);
        await assert.rejects(events.read("s", { limit: wrong as never }), RangeError);
      }
      assert.equal(await events.version("s"), 0);
    },
  },
];

/** The cases for two handles on one storage. */
export const SHARED_EVENT_CASES: readonly EventCase[] = [
  {
    name: "tells a writer of what another handle appended",
    async run(fixture) {
      const other = await anotherHandle<EventLogFixture>(fixture);
      try {
        await fixture.events.append("s", [sampleEvent("a")], 0);
        await assert.rejects(other.events.append("s", [sampleEvent("b")], 0), conflict(0, 1));
        assert.equal(await other.events.append("s", [sampleEvent("b")], 1), 2);
        assert.equal((await fixture.events.read("s", { after: 1 })).length, 1);
      } finally {
        await other.close?.();
      }
    },
  },
];
