/** What every `ScriptJournal` must do. */
import assert from "node:assert/strict";
import type { KeptScript } from "../contracts/script_journal.ts";
import {
  anotherHandle,
  type ContractCase,
  type ScriptJournalFixture,
} from "./_contract_fixture.ts";
import { FRAGILE_TEXTS } from "./_contract_samples.ts";

type ScriptCase = ContractCase<ScriptJournalFixture>;

function script(fields: Partial<KeptScript> = {}): KeptScript {
  return { sessionId: "session", stepIndex: 3, claim: 0, json: "{}", calls: [], ...fields };
}

function call(position: number, json: string = `{"n":${position}}`) {
  return { position, json };
}

/** The cases for one handle. */
export const SCRIPT_CASES: readonly ScriptCase[] = [
  {
    name: "knows of no script of an unknown session",
    async run({ scripts }) {
      assert.equal(await scripts.kept("session"), undefined);
      assert.equal(await scripts.claim(script()), false);
      assert.equal(await scripts.keepCall(script(), call(0)), false);
      await scripts.drop({ sessionId: "session", stepIndex: 3 });
      assert.equal(await scripts.kept("session"), undefined);
    },
  },
  {
    name: "gives a script with its calls by position, and keeps one a session",
    async run({ scripts }) {
      assert.equal(await scripts.keep(script({ calls: [call(10), call(2), call(0)] })), true);
      await scripts.keep(script({ sessionId: "other", calls: [call(1)] }));
      assert.deepEqual(
        await scripts.kept("session"),
        script({ calls: [call(0), call(2), call(10)] }),
      );
      await scripts.keep(script({ stepIndex: 9, json: "[]", calls: [call(5)] }));
      assert.deepEqual(
        await scripts.kept("session"),
        script({ stepIndex: 9, json: "[]", calls: [call(5)] }),
      );
      assert.deepEqual((await scripts.kept("other"))!.calls, [call(1)]);
    },
  },
  {
    name: "keeps what is known of a call in the place of what was known of it",
    async run({ scripts }) {
      await scripts.keep(script({ calls: [call(0)] }));
      assert.equal(await scripts.keepCall(script(), call(1)), true);
      assert.equal(await scripts.keepCall(script(), call(0, "new")), true);
      assert.deepEqual((await scripts.kept("session"))!.calls, [call(0, "new"), call(1)]);
    },
  },
  {
    name: "lets only the newest claim write",
    async run({ scripts }) {
      await scripts.keep(script());
      assert.equal(await scripts.claim(script()), true);
      assert.equal(await scripts.claim(script()), false);
      assert.equal(await scripts.keepCall(script(), call(0)), false);
      const mine = script({ claim: 1 });
      assert.equal(await scripts.keepCall(mine, call(0)), true);
      assert.equal(await scripts.keep({ ...mine, json: "again", calls: [call(1)] }), true);
      assert.deepEqual(
        await scripts.kept("session"),
        script({ claim: 1, json: "again", calls: [call(1)] }),
      );
      assert.equal(await scripts.claim(mine), true);
      assert.equal(await scripts.keep(mine), false);
      assert.equal((await scripts.kept("session"))!.json, "again");
    },
  },
  {
    name: "takes no claim on another script of the session",
    async run({ scripts }) {
      await scripts.keep(script());
      await scripts.claim(script());
      await scripts.keep(script({ stepIndex: 9 }));
      await scripts.claim(script({ stepIndex: 9 }));
      const old = script({ claim: 1 });
      assert.equal(await scripts.keepCall(old, call(0)), false);
      assert.equal(await scripts.keep(old), false);
      assert.equal(await scripts.claim(old), false);
      await scripts.drop(old);
      assert.deepEqual(await scripts.kept("session"), script({ stepIndex: 9, claim: 1 }));
    },
  },
  {
    name: "forgets a script with its calls, whoever claimed it",
    async run({ scripts }) {
      await scripts.keep(script({ calls: [call(0)] }));
      await scripts.claim(script());
      await scripts.drop(script());
      assert.equal(await scripts.kept("session"), undefined);
      await scripts.keep(script());
      assert.deepEqual((await scripts.kept("session"))!.calls, []);
    },
  },
  {
    name: "keeps texts as they are",
    async run({ scripts }) {
      for (const text of FRAGILE_TEXTS) {
        await scripts.keep(script({ json: text, calls: [call(0, text)] }));
        assert.deepEqual(
          await scripts.kept("session"),
          script({ json: text, calls: [call(0, text)] }),
        );
      }
    },
  },
  {
    name: "gives copies: changing them changes nothing",
    async run({ scripts }) {
      await scripts.keep(script({ calls: [call(0)] }));
      const first = await scripts.kept("session");
      Object.assign(first!, { json: "x" });
      Object.assign(first!.calls[0]!, { json: "x" });
      assert.deepEqual(await scripts.kept("session"), script({ calls: [call(0)] }));
    },
  },
  {
    name: "refuses what is no script, claim or call",
    async run({ scripts }) {
      const wrong: Partial<Record<keyof KeptScript, unknown>>[] = [
        { sessionId: "" },
        { stepIndex: -1 },
        { claim: 0.5 },
        { json: 1 },
        { calls: {} },
        { calls: [{ position: -1, json: "" }] },
        { calls: [{ position: 0 }] },
      ];
      for (const fields of wrong) {
        await assert.rejects(scripts.keep({ ...script(), ...fields } as never));
      }
      await assert.rejects(scripts.claim(script({ claim: -1 })), RangeError);
      await assert.rejects(scripts.keepCall(script(), call(-1)), RangeError);
      await assert.rejects(scripts.drop({ sessionId: "", stepIndex: 0 }), TypeError);
      assert.equal(await scripts.kept("session"), undefined);
    },
  },
];

/** The cases for two handles on one storage. */
export const SHARED_SCRIPT_CASES: readonly ScriptCase[] = [
  {
    name: "gives a claim that two handles want at once to one of them",
    async run(fixture) {
      const other = await anotherHandle<ScriptJournalFixture>(fixture);
      try {
        await fixture.scripts.keep(script());
        const claims = await Promise.all(
          [fixture, other].map(({ scripts }) => scripts.claim(script())),
        );
        assert.deepEqual(claims.sort(), [false, true]);
        assert.equal((await other.scripts.kept("session"))!.claim, 1);
      } finally {
        await other.close?.();
      }
    },
  },
];
