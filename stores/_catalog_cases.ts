/** What every `SessionCatalog` must do. */
import assert from "node:assert/strict";
import type { SessionCatalog } from "../contracts/session.ts";
import {
  anotherHandle,
  type ContractCase,
  nextMillisecond,
  type SessionStoreFixture,
} from "./_contract_fixture.ts";
import { FRAGILE_TEXTS, numbersUpTo, sampleStep, sampleSummary } from "./_contract_samples.ts";

type CatalogCase = ContractCase<SessionStoreFixture>;

/** The cases for one handle. */
export const CATALOG_CASES: readonly CatalogCase[] = [
  {
    name: "lists nothing when there is nothing",
    async run(fixture) {
      assert.deepEqual(await catalogOf(fixture).list(), []);
    },
  },
  {
    name: "lists a session with its times, title and figures",
    async run(fixture) {
      const before = Date.now();
      await fixture.steps.append(sampleStep({ sessionId: "s", content: "What is new?" }));
      await fixture.steps.append(sampleStep({ sessionId: "s", stepType: "response" }));
      await nextMillisecond();
      await fixture.sessions.finalize("s", sampleSummary({ stepCount: 2 }));
      const [listing, ...more] = await catalogOf(fixture).list();
      const { createdAt, lastUsedAt, ...rest } = listing!;
      assert.deepEqual(more, []);
      assert.deepEqual(rest, {
        id: "s",
        title: "What is new?",
        status: "completed",
        stepCount: 2,
        runCount: 1,
        promptTokens: 10,
        completionTokens: 2,
      });
      assert.ok(before <= createdAt.getTime() && createdAt < lastUsedAt);
      assert.ok(lastUsedAt.getTime() <= Date.now());
    },
  },
  {
    name: "leaves the status out until a run has ended",
    async run(fixture) {
      await fixture.sessions.updateData("s", "1");
      const [listing] = await catalogOf(fixture).list();
      assert.equal("status" in listing!, false);
      assert.equal(listing!.runCount, 0);
    },
  },
  {
    name:
      "adds up the figures of all runs, beyond 32 bits too (SQL-07), and shows the newest status",
    async run(fixture) {
      const run = { promptTokens: 5_000_000_000, completionTokens: 3_000_000_000 };
      await fixture.sessions.finalize("s", sampleSummary(run));
      await fixture.sessions.finalize("s", sampleSummary({ ...run, status: "limit" }));
      const [listing] = await catalogOf(fixture).list();
      assert.equal(listing!.promptTokens, 10_000_000_000);
      assert.equal(listing!.completionTokens, 6_000_000_000);
      assert.equal(listing!.runCount, 2);
      assert.equal(listing!.status, "limit");
      assert.equal(listing!.stepCount, 0);
    },
  },
  {
    name: "lists the last used session first, whatever it was used for",
    async run(fixture) {
      const catalog = catalogOf(fixture);
      const uses: readonly ((sessionId: string) => Promise<unknown>)[] = [
        (sessionId) => fixture.steps.append(sampleStep({ sessionId })),
        (sessionId) => fixture.sessions.updateData(sessionId, "1"),
        (sessionId) => fixture.sessions.finalize(sessionId, sampleSummary()),
        (sessionId) => catalog.configure(sessionId, { model: "m" }),
      ];
      for (const use of uses) {
        for (const sessionId of ["a", "b", "a"]) {
          await use(sessionId);
          await nextMillisecond();
        }
        assert.deepEqual((await catalog.list()).map((listing) => listing.id), ["a", "b"]);
        await use("b");
        await nextMillisecond();
        assert.deepEqual((await catalog.list()).map((listing) => listing.id), ["b", "a"]);
      }
    },
  },
  {
    name: "does not count reading as use",
    async run(fixture) {
      const catalog = catalogOf(fixture);
      for (const sessionId of ["a", "b"]) {
        await fixture.steps.append(sampleStep({ sessionId }));
        await nextMillisecond();
      }
      const before = await catalog.list();
      await fixture.sessions.get("a");
      await fixture.sessions.exists("a");
      await fixture.steps.lastN("a", 5);
      assert.deepEqual(await catalog.list(), before);
    },
  },
  {
    name: "lists as many sessions as it is asked for",
    async run(fixture) {
      for (const n of numbersUpTo(5)) await fixture.sessions.updateData(`s${n}`, "1");
      const all = (await catalogOf(fixture).list()).map((listing) => listing.id);
      assert.equal(all.length, 5);
      for (const limit of [0, 1, 3, 5, 9]) {
        const some = await catalogOf(fixture).list({ limit });
        assert.deepEqual(some.map((listing) => listing.id), all.slice(0, limit));
      }
    },
  },
  {
    name: "makes the title of the first line of the first user message, shortened to 80 characters",
    async run(fixture) {
      const { steps } = fixture;
      await steps.append(sampleStep({ sessionId: "none", stepType: "response" }));
      await steps.append(sampleStep({ sessionId: "lines", stepType: "summary", content: "no" }));
      await steps.append(sampleStep({ sessionId: "lines", content: "first\r\nsecond" }));
      await steps.append(sampleStep({ sessionId: "lines", content: "later" }));
      await steps.append(sampleStep({ sessionId: "long", content: "x".repeat(500) }));
      await steps.append(sampleStep({ sessionId: "emoji", content: "\u{1F600}".repeat(500) }));
      const titles = new Map(
        (await catalogOf(fixture).list()).map((listing) => [listing.id, listing.title]),
      );
      assert.equal(titles.get("none"), "");
      assert.equal(titles.get("lines"), "first");
      const long = titles.get("long")!;
      assert.ok(long.length <= 80 && long.startsWith("x".repeat(70)), long);
      const emoji = titles.get("emoji")!;
      assert.ok(emoji.isWellFormed() && [...emoji].length <= 80 && emoji.length >= 70, emoji);
    },
  },
  {
    name: "sets the fields of a session, creating it, and leaves the others as they are",
    async run(fixture) {
      const catalog = catalogOf(fixture);
      await catalog.configure("s", { model: "m1" });
      assert.deepEqual(await fixture.sessions.get("s"), { id: "s", model: "m1" });
      await fixture.sessions.updateData("s", "[1]");
      await catalog.configure("s", { systemPrompt: "You are kind.", messageId: "mail-7" });
      await catalog.configure("s", { model: "m2", systemPrompt: undefined });
      await catalog.configure("s", {});
      assert.deepEqual(await fixture.sessions.get("s"), {
        id: "s",
        model: "m2",
        systemPrompt: "You are kind.",
        messageId: "mail-7",
        data: "[1]",
      });
    },
  },
  {
    name: "keeps the fields of a session as they are",
    async run(fixture) {
      for (const text of FRAGILE_TEXTS) {
        const fields = { model: text, systemPrompt: text, messageId: text };
        await catalogOf(fixture).configure("s", fields);
        assert.deepEqual(await fixture.sessions.get("s"), { id: "s", ...fields });
      }
    },
  },
  {
    name: "deletes a session with its steps, data, fields and totals, and no other",
    async run(fixture) {
      const catalog = catalogOf(fixture);
      for (const id of ["gone", "stays"]) {
        await fixture.steps.append(sampleStep({ sessionId: id, content: `of ${id}` }));
        await fixture.sessions.updateData(id, `"${id}"`);
        await fixture.sessions.finalize(id, sampleSummary());
        await catalog.configure(id, { model: "m" });
      }
      assert.equal(await catalog.delete("gone"), true);
      assert.equal(await fixture.sessions.exists("gone"), false);
      assert.deepEqual(await fixture.sessions.get("gone"), { id: "gone" });
      assert.deepEqual(await fixture.steps.lastN("gone", Infinity), []);
      assert.deepEqual((await catalog.list()).map((listing) => listing.id), ["stays"]);
      assert.equal((await fixture.sessions.get("stays")).data, '"stays"');
      assert.equal((await fixture.steps.lastN("stays", 1))[0]!.content, "of stays");
    },
  },
  {
    name: "starts anew under the id of a deleted session",
    async run(fixture) {
      const catalog = catalogOf(fixture);
      for (const n of numbersUpTo(3)) await fixture.steps.append(sampleStep({ content: `${n}` }));
      await fixture.sessions.finalize("session", sampleSummary());
      await catalog.delete("session");
      const step = await fixture.steps.append(sampleStep({ content: "again" }));
      assert.equal(step.stepIndex, 0);
      const [listing] = await catalog.list();
      assert.equal(listing!.title, "again");
      assert.equal(listing!.runCount, 0);
      assert.equal(listing!.promptTokens, 0);
    },
  },
  {
    name: "says that there was no session to delete",
    async run(fixture) {
      const catalog = catalogOf(fixture);
      assert.equal(await catalog.delete("nobody"), false);
      await fixture.sessions.updateData("s", "1");
      assert.equal(await catalog.delete("s"), true);
      assert.equal(await catalog.delete("s"), false);
    },
  },
];

/** The cases for several handles on one storage. */
export const SHARED_CATALOG_CASES: readonly CatalogCase[] = [
  {
    name: "follows what another handle configures and deletes",
    async run(fixture) {
      const other = await anotherHandle(fixture);
      try {
        await catalogOf(other).configure("s", { model: "m" });
        assert.equal((await fixture.sessions.get("s")).model, "m");
        await fixture.steps.append(sampleStep({ sessionId: "s" }));
        assert.equal((await catalogOf(other).list())[0]!.stepCount, 1);
        assert.equal(await catalogOf(other).delete("s"), true);
        assert.equal(await fixture.sessions.exists("s"), false);
        assert.equal((await fixture.steps.append(sampleStep({ sessionId: "s" }))).stepIndex, 0);
      } finally {
        await other.close?.();
      }
    },
  },
];

function catalogOf(fixture: SessionStoreFixture): SessionCatalog {
  if (fixture.catalog === undefined) {
    throw new TypeError(
      "The fixture has no `catalog`; if the store is none, set `catalog: false`.",
    );
  }
  return fixture.catalog;
}
