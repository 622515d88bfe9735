/** What every `GrantStore` must do. */
import assert from "node:assert/strict";
import { anotherHandle, type ContractCase, type GrantStoreFixture } from "./_contract_fixture.ts";
import { FRAGILE_TEXTS } from "./_contract_samples.ts";

type GrantCase = ContractCase<GrantStoreFixture>;

/** The cases for one handle. */
export const GRANT_CASES: readonly GrantCase[] = [
  {
    name: "knows of no grant of an unknown session",
    async run({ grants }) {
      assert.deepEqual(await grants.grants("session"), []);
      assert.equal(await grants.revoke("session"), 0);
    },
  },
  {
    name: "gives the grants of a session in the order in which they were given, each once",
    async run({ grants }) {
      await grants.grant("session", { name: "fetch", key: "example.test" });
      await grants.grant("session", { name: "exec" });
      await grants.grant("session", { name: "fetch", key: "example.test" });
      await grants.grant("session", { name: "exec", key: "fetch" });
      await grants.grant("other", { name: "fetch" });
      assert.deepEqual(await grants.grants("session"), [
        { name: "fetch", key: "example.test" },
        { name: "exec" },
        { name: "exec", key: "fetch" },
      ]);
    },
  },
  {
    name: "revokes by name, by key, or all of one session",
    async run({ grants }) {
      const fill = async () => {
        await grants.grant("session", { name: "fetch", key: "a.test" });
        await grants.grant("session", { name: "fetch", key: "b.test" });
        await grants.grant("session", { name: "exec" });
      };
      await fill();
      await grants.grant("other", { name: "exec" });
      assert.equal(await grants.revoke("session", "a.test"), 1);
      assert.equal(await grants.revoke("session", "a.test"), 0);
      assert.equal(await grants.revoke("session", "fetch"), 1);
      assert.deepEqual(await grants.grants("session"), [{ name: "exec" }]);
      await fill();
      assert.equal(await grants.revoke("session", ""), 0);
      assert.equal(await grants.revoke("session"), 3);
      assert.deepEqual(await grants.grants("session"), []);
      assert.deepEqual(await grants.grants("other"), [{ name: "exec" }]);
    },
  },
  {
    name: "keeps texts as they are",
    async run({ grants }) {
      for (const text of FRAGILE_TEXTS.filter((text) => text !== "")) {
        await grants.grant("session", { name: text, key: text });
        assert.deepEqual((await grants.grants("session")).at(-1), { name: text, key: text });
        assert.equal(await grants.revoke("session", text), 1);
      }
    },
  },
  {
    name: "refuses what is no grant",
    async run({ grants }) {
      const wrong = [{}, { name: 1 }, { name: "" }, { name: "f", key: "" }, { name: "f", key: 1 }];
      for (const grant of wrong) {
        await assert.rejects(grants.grant("session", grant as never), TypeError);
      }
      await assert.rejects(grants.grant("", { name: "f" }), TypeError);
      await assert.rejects(grants.revoke("session", 1 as never), TypeError);
      assert.deepEqual(await grants.grants("session"), []);
    },
  },
];

/** The cases for two handles on one storage. */
export const SHARED_GRANT_CASES: readonly GrantCase[] = [
  {
    name: "shows what another handle granted and revoked",
    async run(fixture) {
      const other = await anotherHandle<GrantStoreFixture>(fixture);
      try {
        await fixture.grants.grant("session", { name: "fetch", key: "a.test" });
        assert.deepEqual(await other.grants.grants("session"), [{ name: "fetch", key: "a.test" }]);
        assert.equal(await other.grants.revoke("session"), 1);
        assert.deepEqual(await fixture.grants.grants("session"), []);
      } finally {
        await other.close?.();
      }
    },
  },
];
