/** What every `FactStore` must do. */
import assert from "node:assert/strict";
import { type Fact, type FactOwner, MAX_FACT_BYTES } from "../contracts/fact.ts";
import { anotherHandle, type ContractCase, type FactStoreFixture } from "./_contract_fixture.ts";
import { FRAGILE_TEXTS } from "./_contract_samples.ts";

type FactCase = ContractCase<FactStoreFixture>;

const NOBODY: FactOwner = {};

/** Owners of whom no two are one, although their texts look alike. */
const OWNERS: readonly FactOwner[] = [
  NOBODY,
  { userId: "a" },
  { userId: "A" },
  { userId: "" },
  { userId: "null" },
  { scope: { workspaceId: "a" } },
  { scope: { workspaceId: "" } },
  { scope: { workspaceId: "a" }, userId: "a" },
  { scope: { workspaceId: "a", projectId: "a" } },
  { scope: { workspaceId: "a", projectId: "" } },
  { scope: { workspaceId: "a", projectId: "a" }, userId: "a" },
  { scope: { workspaceId: 'a","a' } },
  { scope: { workspaceId: "a\0a" } },
  { userId: "%" },
  { userId: "o1" },
];

/** The cases for one handle. */
export const FACT_CASES: readonly FactCase[] = [
  {
    name: "knows of nothing at first",
    async run({ facts }) {
      assert.deepEqual(await facts.recall(NOBODY, ""), []);
      assert.deepEqual(await facts.recall(NOBODY, "anything"), []);
      assert.equal(await facts.forget(NOBODY, "1"), false);
    },
  },
  {
    name: "gives back what it keeps, found by a word of the text or a tag",
    async run({ facts }) {
      const tea = await facts.remember(NOBODY, {
        text: " Ada drinks green tea.\n",
        tags: ["taste", "Ada L.", "taste"],
      });
      assert.equal(tea.text, "Ada drinks green tea.");
      assert.deepEqual(tea.tags, ["taste", "Ada L."]);
      assert.notEqual(tea.id, "");
      const train = await facts.remember(NOBODY, { text: "The train leaves at 9:40" });
      assert.deepEqual(train.tags, []);
      assert.notEqual(train.id, tea.id);
      assert.deepEqual(await facts.recall(NOBODY, "what does ADA drink?"), [tea]);
      assert.deepEqual(await facts.recall(NOBODY, "taste"), [tea]);
      assert.deepEqual(await facts.recall(NOBODY, "trains, 9"), [train]);
      assert.deepEqual(await facts.recall(NOBODY, "coffee"), []);
    },
  },
  {
    name: "finds words with and without accents, in any case, and in scripts without spaces",
    async run({ facts }) {
      const texts = ["Das Café in Zürich schließt früh", "東京タワーは高いです", "Москва весной"];
      for (const text of texts) await facts.remember(NOBODY, { text });
      const queries = [["cafe", 0], ["ZURICH", 0], ["東京", 1], ["高", 1], ["москва", 2]] as const;
      for (const [query, at] of queries) {
        assert.deepEqual(textsOf(await facts.recall(NOBODY, query)), [texts[at]], query);
      }
      assert.deepEqual(await facts.recall(NOBODY, "京都"), []);
    },
  },
  {
    name: "gives facts with more of the words first, rare words counting more, then the newest",
    async run({ facts }) {
      const texts = [
        "red apple",
        "red pear",
        "red plum from Kent",
        "green plum from Kent",
        "red fig",
      ];
      for (const text of texts) await facts.remember(NOBODY, { text });
      assert.deepEqual(textsOf(await facts.recall(NOBODY, "red plum")), [
        "red plum from Kent",
        "green plum from Kent",
        "red fig",
        "red pear",
        "red apple",
      ]);
      assert.deepEqual(textsOf(await facts.recall(NOBODY, "red", { limit: 2 })), [
        "red fig",
        "red plum from Kent",
      ]);
    },
  },
  {
    name: "gives the newest for an empty query, 10 unless told otherwise",
    async run({ facts }) {
      for (let n = 0; n < 12; n++) await facts.remember(NOBODY, { text: `fact ${n}` });
      const newest = Array.from({ length: 12 }, (_, n) => `fact ${11 - n}`);
      assert.deepEqual(textsOf(await facts.recall(NOBODY, "")), newest.slice(0, 10));
      assert.deepEqual(textsOf(await facts.recall(NOBODY, " \n", { limit: 100 })), newest);
      assert.equal((await facts.recall(NOBODY, "fact")).length, 10);
    },
  },
  {
    name: "keeps a text once: the second time it gets new tags, is the newest, and keeps its id",
    async run({ facts }) {
      const first = await facts.remember(NOBODY, { text: "the sky is blue", tags: ["old"] });
      await facts.remember(NOBODY, { text: "grass is green" });
      const again = await facts.remember(NOBODY, { text: "the sky is blue", tags: ["new"] });
      assert.equal(again.id, first.id);
      assert.deepEqual(textsOf(await facts.recall(NOBODY, "")), [
        "the sky is blue",
        "grass is green",
      ]);
      assert.deepEqual(await facts.recall(NOBODY, "old"), []);
      assert.deepEqual((await facts.recall(NOBODY, "new"))[0]?.tags, ["new"]);
    },
  },
  {
    name: "forgets a fact, and gives its id to no other",
    async run({ facts }) {
      await facts.remember(NOBODY, { text: "stays" });
      const { id } = await facts.remember(NOBODY, { text: "goes" });
      assert.equal(await facts.forget(NOBODY, id), true);
      assert.equal(await facts.forget(NOBODY, id), false);
      assert.deepEqual(await facts.recall(NOBODY, "goes"), []);
      assert.deepEqual(textsOf(await facts.recall(NOBODY, "")), ["stays"]);
      assert.notEqual((await facts.remember(NOBODY, { text: "goes" })).id, id);
      for (const wrong of ["", "0", "-1", "1.0", " 1", "stays", "1 OR 1=1"]) {
        assert.equal(await facts.forget(NOBODY, wrong), false, wrong);
      }
      assert.equal((await facts.recall(NOBODY, "")).length, 2);
    },
  },
  {
    name: "keeps owners apart: nothing of one is found, renewed or forgotten by another",
    async run({ facts }) {
      const ids: string[] = [];
      for (const [at, owner] of OWNERS.entries()) {
        const { id } = await facts.remember(owner, { text: "secret word", tags: [`tag${at}`] });
        ids.push(id);
      }
      for (const [at, owner] of OWNERS.entries()) {
        for (const query of ["", "secret", `tag${at}`]) {
          const found = await facts.recall(owner, query, { limit: 100 });
          assert.deepEqual(found.map((fact) => fact.tags), [[`tag${at}`]], `${at} ${query}`);
        }
        assert.deepEqual(await facts.recall(owner, `tag${(at + 1) % OWNERS.length}x o1 o2`), []);
      }
      const [first] = OWNERS;
      for (const id of new Set(ids)) await facts.forget(first!, id);
      for (const owner of OWNERS.slice(1)) assert.equal((await facts.recall(owner, "")).length, 1);
    },
  },
  {
    name: "shows nothing of an owner's facts to another, neither in ids nor in the order",
    async run({ facts }) {
      const [mine, theirs] = [{ userId: "me" }, { userId: "them" }];
      for (let n = 0; n < 20; n++) await facts.remember(theirs, { text: `alpha ${n}` });
      const alpha = await facts.remember(mine, { text: "alpha one" });
      const alone = await facts.remember({ userId: "alone" }, { text: "alpha one" });
      assert.equal(alpha.id, alone.id);
      await facts.remember(mine, { text: "beta two" });
      // Were the others' counted, "alpha" would be common and "beta" rare.
      await facts.remember(mine, { text: "beta three" });
      assert.equal((await facts.recall(mine, "alpha beta"))[0]?.text, "alpha one");
    },
  },
  {
    name: "takes every query for words and nothing else, and never fails on one (SQL-05)",
    async run({ facts }) {
      await facts.remember({ userId: "other" }, { text: "NEAR AND OR NOT owner words hidden" });
      await facts.remember(NOBODY, { text: "order POL-358 shipped" });
      await facts.remember(NOBODY, { text: "don't panic" });
      const found = async (query: string) => textsOf(await facts.recall(NOBODY, query));
      assert.deepEqual(await found("POL-358"), ["order POL-358 shipped"]);
      assert.deepEqual(await found("don't"), ["don't panic"]);
      const hostile = [
        '"quoted',
        "a* OR (",
        "38.101",
        "NEAR(",
        "NOT",
        'x" OR owner : "o1',
        "*",
        "^",
      ]
        .concat("owner:o1", "{owner words}:hidden", "words : hid*", "-hidden", "' OR 1=1 --", "\0")
        .concat("hidden\0", "NEAR(hidden hidden, 5)", "(", ")", '""', "\u{1F600}", "+ +", "\uD83D");
      for (const query of hostile) assert.deepEqual(await found(query), [], query);
      assert.deepEqual(await found('panic* (OR) "ship'), ["don't panic", "order POL-358 shipped"]);
      assert.equal(
        (await found(Array.from({ length: 700 }, (_, n) => `w${n}`).join(" "))).length,
        0,
      );
    },
  },
  {
    name: "keeps texts and tags as they are",
    async run({ facts }) {
      for (const text of FRAGILE_TEXTS.filter((text) => text.trim() !== "")) {
        const kept = await facts.remember(NOBODY, { text, tags: [text.slice(0, 20) || "tag"] });
        assert.equal(kept.text, text.trim());
        assert.deepEqual(await facts.recall(NOBODY, "", { limit: 1 }), [kept]);
        assert.equal(await facts.forget(NOBODY, kept.id), true);
      }
    },
  },
  {
    name: "refuses what is no fact, too long, or no query, and keeps nothing of it",
    async run({ facts }) {
      const { remember, recall } = {
        remember: (fact: unknown, owner: unknown = NOBODY) =>
          facts.remember(owner as never, fact as never),
        recall: (query: unknown, limit?: unknown) =>
          facts.recall(NOBODY, query as never, { limit } as never),
      };
      for (const wrong of [{}, { text: 1 }, { text: " " }, { text: "t", tags: "x" }]) {
        await assert.rejects(remember(wrong), TypeError);
      }
      await assert.rejects(remember({ text: "t", tags: [""] }), TypeError);
      await assert.rejects(remember({ text: "t" }, { userId: 1 }), TypeError);
      await assert.rejects(remember({ text: "t" }, { userId: "\uD83D" }), TypeError);
      await assert.rejects(remember({ text: "t" }, { scope: {} }), TypeError);
      await assert.rejects(remember({ text: "é".repeat(MAX_FACT_BYTES / 2 + 1) }), RangeError);
      const many = Array.from({ length: 17 }, (_, n) => `tag${n}`);
      await assert.rejects(remember({ text: "t", tags: many }), RangeError);
      await assert.rejects(remember({ text: "t", tags: ["x".repeat(65)] }), RangeError);
      await assert.rejects(recall(1), TypeError);
      await assert.rejects(recall("x".repeat(MAX_FACT_BYTES + 1)), RangeError);
      for (const limit of [0, 101, 1.5, NaN, "1"]) {
        await assert.rejects(recall("x", limit), RangeError);
      }
      assert.deepEqual(await recall(""), []);
      await remember({ text: "é".repeat(MAX_FACT_BYTES / 2), tags: many.slice(1) });
      assert.equal((await recall("tag3")).length, 1);
    },
  },
];

/** The cases for two handles on one storage. */
export const SHARED_FACT_CASES: readonly FactCase[] = [
  {
    name: "shows what another handle remembered and forgot, and numbers facts of both at once",
    async run(fixture) {
      const other = await anotherHandle<FactStoreFixture>(fixture);
      try {
        const handles = [fixture.facts, other.facts];
        const kept = await Promise.all(
          Array.from(
            { length: 20 },
            (_, n) => handles[n % 2]!.remember(NOBODY, { text: `f ${n}` }),
          ),
        );
        assert.equal(new Set(kept.map((fact) => fact.id)).size, 20);
        assert.equal((await other.facts.recall(NOBODY, "f", { limit: 100 })).length, 20);
        assert.equal(await other.facts.forget(NOBODY, kept[0]!.id), true);
        assert.equal(await fixture.facts.forget(NOBODY, kept[0]!.id), false);
      } finally {
        await other.close?.();
      }
    },
  },
];

function textsOf(facts: readonly Fact[]): string[] {
  return facts.map((fact) => fact.text);
}
