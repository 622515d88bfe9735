/** What every `SpendLedger` must do. A ledger may keep spends by the minute, so no case asks for more. */
import assert from "node:assert/strict";
import type { Spend } from "../contracts/limits.ts";
import { anotherHandle, type ContractCase, type SpendLedgerFixture } from "./_contract_fixture.ts";
import { FRAGILE_TEXTS, numbersUpTo } from "./_contract_samples.ts";

type LedgerCase = ContractCase<SpendLedgerFixture>;

const NOTHING: Spend = { tokens: 0, cost: 0, hostCalls: 0 };
const EVER = new Date(0);

/** A moment on one day, as "HH:MM:SS.mmm". */
function at(time: string): Date {
  return new Date(`2026-01-01T${time}Z`);
}

function spend(fields: Partial<Spend> = {}): Spend {
  return { ...NOTHING, ...fields };
}

/** The cases for one handle. */
export const LEDGER_CASES: readonly LedgerCase[] = [
  {
    name: "knows of nothing that an unknown scope has spent",
    async run({ ledger }) {
      assert.deepEqual(await ledger.spendSince("scope", EVER), NOTHING);
    },
  },
  {
    name: "adds up what a scope has spent, within a minute and over many",
    async run({ ledger }) {
      for (const time of ["10:00:00.000", "10:00:00.000", "10:00:59.000", "10:01:00.000"]) {
        await ledger.addSpend("scope", { tokens: 100, cost: 0.25, hostCalls: 3 }, at(time));
      }
      await ledger.addSpend("scope", spend({ hostCalls: 1 }), at("18:30:00.000"));
      assert.deepEqual(await ledger.spendSince("scope", at("09:00:00.000")), {
        tokens: 400,
        cost: 1,
        hostCalls: 13,
      });
    },
  },
  {
    name: "counts what was spent at the very moment, and nothing of the minutes before",
    async run({ ledger }) {
      await ledger.addSpend("scope", spend({ tokens: 1 }), at("09:59:59.999"));
      await ledger.addSpend("scope", spend({ tokens: 10 }), at("10:00:00.000"));
      await ledger.addSpend("scope", spend({ tokens: 100 }), at("10:01:00.000"));
      assert.equal((await ledger.spendSince("scope", at("10:00:00.000"))).tokens, 110);
      assert.equal((await ledger.spendSince("scope", at("10:01:00.000"))).tokens, 100);
      assert.deepEqual(await ledger.spendSince("scope", at("10:02:00.000")), NOTHING);
    },
  },
  {
    name: "never gives less than was spent since a moment within a minute",
    async run({ ledger }) {
      await ledger.addSpend("scope", spend({ tokens: 1 }), at("09:59:30.000"));
      await ledger.addSpend("scope", spend({ tokens: 10 }), at("10:00:10.000"));
      await ledger.addSpend("scope", spend({ tokens: 100 }), at("10:00:30.000"));
      const { tokens } = await ledger.spendSince("scope", at("10:00:30.000"));
      assert.ok(tokens === 100 || tokens === 110, `${tokens}`);
    },
  },
  {
    name: "takes spends in any order of their times",
    async run({ ledger }) {
      for (const time of ["12:00:00.000", "10:00:00.000", "11:00:00.000"]) {
        await ledger.addSpend("scope", spend({ tokens: 1 }), at(time));
      }
      assert.equal((await ledger.spendSince("scope", at("11:00:00.000"))).tokens, 2);
    },
  },
  {
    name: "keeps scopes apart, whatever their keys",
    async run({ ledger }) {
      const keys = [...new Set(["a", "A", "a ", "a\0", "a\0b", ...FRAGILE_TEXTS])];
      for (const [n, key] of keys.entries()) {
        await ledger.addSpend(key, spend({ tokens: n + 1 }), at("10:00:00.000"));
      }
      for (const [n, key] of keys.entries()) {
        const { tokens } = await ledger.spendSince(key, EVER);
        assert.equal(tokens, n + 1, JSON.stringify(key));
      }
    },
  },
  {
    name: "keeps numbers beyond 32 bits exactly",
    async run({ ledger }) {
      const large = 2 ** 32 + 1;
      for (const time of ["10:00:00.000", "10:00:01.000", "10:05:00.000"]) {
        await ledger.addSpend("scope", { tokens: large, cost: large, hostCalls: large }, at(time));
      }
      assert.deepEqual(await ledger.spendSince("scope", EVER), {
        tokens: 3 * large,
        cost: 3 * large,
        hostCalls: 3 * large,
      });
      await ledger.addSpend(
        "most",
        spend({ tokens: Number.MAX_SAFE_INTEGER }),
        at("10:00:00.000"),
      );
      assert.equal((await ledger.spendSince("most", EVER)).tokens, Number.MAX_SAFE_INTEGER);
    },
  },
  {
    name: "refuses what would make a sum inexact, and keeps what it had (SQL-07)",
    async run({ ledger }) {
      const most = spend({ tokens: Number.MAX_SAFE_INTEGER });
      await ledger.addSpend("scope", most, at("10:00:00.000"));
      const over = ledger.addSpend("scope", spend({ tokens: 1 }), at("10:00:00.000"));
      await assert.rejects(over, RangeError);
      assert.deepEqual(await ledger.spendSince("scope", EVER), most);
    },
  },
  {
    name: "never gives a rounded sum of several minutes (SQL-07)",
    async run({ ledger }) {
      const most = spend({ hostCalls: Number.MAX_SAFE_INTEGER });
      await ledger.addSpend("scope", most, at("10:00:00.000"));
      await assert.rejects(async () => {
        await ledger.addSpend("scope", spend({ hostCalls: 2 }), at("11:00:00.000"));
        await ledger.spendSince("scope", EVER);
      }, RangeError);
    },
  },
  {
    name: "keeps the fractions of a cost",
    async run({ ledger }) {
      for (const n of numbersUpTo(100)) {
        await ledger.addSpend("scope", spend({ cost: 0.000_001_5 }), at(`10:0${n % 10}:00.000`));
      }
      const { cost } = await ledger.spendSince("scope", EVER);
      assert.ok(Math.abs(cost - 0.000_15) < 1e-12, `${cost}`);
    },
  },
  {
    name: "refuses what is no spend, and keeps nothing of it",
    async run({ ledger }) {
      const noon = at("12:00:00.000");
      const refused: Partial<Spend>[] = [
        { tokens: -1 },
        { tokens: 0.5 },
        { tokens: 2 ** 53 },
        { tokens: NaN },
        { cost: -0.01 },
        { cost: Infinity },
        { cost: NaN },
        { hostCalls: -1 },
        { hostCalls: 1.5 },
      ];
      for (const fields of refused) {
        const valid = { tokens: 1, cost: 1, hostCalls: 1 };
        const added = ledger.addSpend("scope", { ...valid, ...fields }, noon);
        await assert.rejects(added, RangeError, JSON.stringify(fields));
      }
      await assert.rejects(ledger.addSpend("scope", spend(), new Date(NaN)), TypeError);
      await assert.rejects(ledger.addSpend("a\uD83D", spend(), noon), TypeError);
      await assert.rejects(ledger.addSpend(undefined as never, spend(), noon), TypeError);
      await assert.rejects(ledger.spendSince("scope", new Date(NaN)), TypeError);
      await assert.rejects(ledger.spendSince("a\uD83D", noon), TypeError);
      assert.deepEqual(await ledger.spendSince("scope", EVER), NOTHING);
    },
  },
];

/** The cases for storage that several handles share. */
export const SHARED_LEDGER_CASES: readonly LedgerCase[] = [
  {
    name: "loses nothing of what several handles add to one scope at once",
    async run(fixture) {
      const other = await anotherHandle<SpendLedgerFixture>(fixture);
      try {
        await Promise.all(
          numbersUpTo(60).map((n) =>
            (n % 2 === 0 ? fixture : other).ledger.addSpend(
              "scope",
              { tokens: n, cost: 0.5, hostCalls: 1 },
              at(`10:0${n % 3}:00.000`),
            )
          ),
        );
        const expected = { tokens: 1770, cost: 30, hostCalls: 60 };
        assert.deepEqual(await fixture.ledger.spendSince("scope", EVER), expected);
        assert.deepEqual(await other.ledger.spendSince("scope", EVER), expected);
      } finally {
        await other.close?.();
      }
    },
  },
];
