/** What every `ResultStore` must do. */
import assert from "node:assert/strict";
import type { LongResult } from "../contracts/long_result.ts";
import { anotherHandle, type ContractCase, type ResultStoreFixture } from "./_contract_fixture.ts";
import { FRAGILE_TEXTS } from "./_contract_samples.ts";

type ResultCase = ContractCase<ResultStoreFixture>;

function sample(callId: string, text: string, sessionId: string = "s"): LongResult {
  return { sessionId, callId, text };
}

/** The cases for one handle. */
export const RESULT_CASES: readonly ResultCase[] = [
  {
    name: "knows of no result of an unknown call or session",
    async run({ results }) {
      assert.equal(await results.readResult("s", "a"), undefined);
      await results.keepResult(sample("a", "one"));
      assert.equal(await results.readResult("s", "b"), undefined);
      assert.equal(await results.readResult("S", "a"), undefined);
      assert.equal(await results.deleteResults("other"), 0);
    },
  },
  {
    name: "gives results back by session and call, the newest of a call",
    async run({ results }) {
      await results.keepResult(sample("a", "one"));
      await results.keepResult(sample("b", "two"));
      await results.keepResult(sample("a", "other", "t"));
      await results.keepResult(sample("a", "three"));
      assert.equal(await results.readResult("s", "a"), "three");
      assert.equal(await results.readResult("s", "b"), "two");
      assert.equal(await results.readResult("t", "a"), "other");
    },
  },
  {
    name: "keeps texts as they are, also as ids, and long ones whole",
    async run({ results }) {
      for (const text of FRAGILE_TEXTS) {
        const id = `id ${text}`;
        await results.keepResult(sample(id, text));
        assert.equal(await results.readResult("s", id), text);
      }
      const long = "line of a long result é🎉\n".repeat(300_000);
      await results.keepResult(sample("long", long));
      assert.equal(await results.readResult("s", "long"), long);
    },
  },
  {
    name: "deletes the results of a session and of no other",
    async run({ results }) {
      await results.keepResult(sample("a", "one"));
      await results.keepResult(sample("b", "two"));
      await results.keepResult(sample("a", "stays", "S"));
      assert.equal(await results.deleteResults("s"), 2);
      assert.equal(await results.readResult("s", "a"), undefined);
      assert.equal(await results.readResult("S", "a"), "stays");
    },
  },
  {
    name: "refuses what is no session, no call and no text",
    async run({ results }) {
      for (const wrong of ["", 1, null]) {
        await assert.rejects(results.keepResult(sample(wrong as never, "x")), TypeError);
        await assert.rejects(results.keepResult(sample("a", "x", wrong as never)), TypeError);
        await assert.rejects(results.readResult(wrong as never, "a"), TypeError);
        await assert.rejects(results.readResult("s", wrong as never), TypeError);
      }
      await assert.rejects(results.keepResult(sample("a", 5 as never)), TypeError);
      assert.equal(await results.deleteResults("s"), 0);
    },
  },
];

/** The cases for two handles on one storage. */
export const SHARED_RESULT_CASES: readonly ResultCase[] = [
  {
    name: "gives what another handle kept",
    async run(fixture) {
      const other = await anotherHandle<ResultStoreFixture>(fixture);
      try {
        await fixture.results.keepResult(sample("a", "one"));
        assert.equal(await other.results.readResult("s", "a"), "one");
        await other.results.keepResult(sample("a", "two"));
        assert.equal(await fixture.results.readResult("s", "a"), "two");
      } finally {
        await other.close?.();
      }
    },
  },
];
