/** What every `SessionStore` must do. */
import assert from "node:assert/strict";
import {
  anotherHandle,
  assertNoPollution,
  type ContractCase,
  type SessionStoreFixture,
} from "./_contract_fixture.ts";
import {
  FRAGILE_JSON,
  FRAGILE_TEXTS,
  numbersUpTo,
  sampleStep,
  sampleSummary,
} from "./_contract_samples.ts";

type SessionCase = ContractCase<SessionStoreFixture>;

/** The cases for one handle. */
export const SESSION_CASES: readonly SessionCase[] = [
  {
    name: "gives the shell of a session for an unknown id",
    async run({ sessions }) {
      assert.deepEqual(await sessions.get("nobody"), { id: "nobody" });
    },
  },
  {
    name: "does not create a session by asking whether it exists",
    async run({ sessions, catalog }) {
      assert.equal(await sessions.exists("nobody"), false);
      assert.equal(await sessions.exists("nobody"), false);
      if (catalog !== undefined) assert.deepEqual(await catalog.list(), []);
    },
  },
  {
    name: "has a session once a step was appended to it",
    async run({ sessions, steps }) {
      await steps.append(sampleStep({ sessionId: "s" }));
      assert.equal(await sessions.exists("s"), true);
      assert.deepEqual(await sessions.get("s"), { id: "s" });
    },
  },
  {
    name: "has a session once data was stored for it, or a run of it ended",
    async run({ sessions }) {
      await sessions.updateData("data", "1");
      await sessions.finalize("ended", sampleSummary());
      assert.equal(await sessions.exists("data"), true);
      assert.equal(await sessions.exists("ended"), true);
    },
  },
  {
    name: "keeps data byte for byte",
    async run({ sessions }) {
      for (const json of [...FRAGILE_JSON, ...FRAGILE_TEXTS]) {
        await sessions.updateData("s", json);
        assert.deepEqual(await sessions.get("s"), { id: "s", data: json });
      }
    },
  },
  {
    name: "keeps data of several megabytes",
    async run({ sessions }) {
      const json = JSON.stringify(
        numbersUpTo(60_000).map((n) => ({ id: n, name: `Zoë ${n} ${"x".repeat(100)}` })),
      );
      await sessions.updateData("s", json);
      assert.ok((await sessions.get("s")).data === json, "data came back changed");
    },
  },
  {
    name: "replaces data, the last call winning when calls are not awaited",
    async run({ sessions }) {
      await Promise.all(numbersUpTo(20).map((n) => sessions.updateData("s", `${n}`)));
      assert.equal((await sessions.get("s")).data, "19");
      await sessions.updateData("s", "0");
      assert.equal((await sessions.get("s")).data, "0");
    },
  },
  {
    name: "keeps the data of sessions apart, and from their steps",
    async run({ sessions, steps }) {
      await sessions.updateData("a", '"of a"');
      await sessions.updateData("A", '"of A"');
      await steps.append(sampleStep({ sessionId: "a" }));
      await sessions.finalize("a", sampleSummary());
      assert.equal((await sessions.get("a")).data, '"of a"');
      assert.equal((await sessions.get("A")).data, '"of A"');
      assert.equal((await steps.lastN("a", Infinity)).length, 1);
    },
  },
  {
    name: "takes the ends of many runs, with and without a reason",
    async run({ sessions }) {
      for (const status of ["completed", "max_iterations", "limit", "waiting", "error"] as const) {
        await sessions.finalize("s", sampleSummary({ status, reason: "timeout" }));
        await sessions.finalize("s", sampleSummary({ status, dataBytesCarried: -3 }));
      }
    },
  },
  {
    name: "refuses the empty session id",
    async run({ sessions }) {
      await assert.rejects(sessions.get(""));
      await assert.rejects(sessions.exists(""));
      await assert.rejects(sessions.updateData("", "1"));
      await assert.rejects(sessions.finalize("", sampleSummary()));
    },
  },
  {
    name: "pollutes no prototype with what data holds (QJS-14)",
    async run({ sessions }) {
      const json = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"p2":1}}}';
      for (const id of ["__proto__", "constructor", "s"]) {
        assert.deepEqual(await sessions.get(id), { id });
        await sessions.updateData(id, json);
        const session = await sessions.get(id);
        assert.equal(session.data, json);
        Object.assign({}, session, JSON.parse(session.data!));
      }
      assertNoPollution();
    },
  },
];

/** The cases for several handles on one storage. */
export const SHARED_SESSION_CASES: readonly SessionCase[] = [
  {
    name: "shows what another handle stored, at once and after that one closed",
    async run(fixture) {
      const other = await anotherHandle(fixture);
      await other.sessions.updateData("s", "1");
      assert.equal((await fixture.sessions.get("s")).data, "1");
      await fixture.sessions.updateData("s", "2");
      assert.equal((await other.sessions.get("s")).data, "2");
      await other.close?.();
      assert.equal((await fixture.sessions.get("s")).data, "2");
    },
  },
];
