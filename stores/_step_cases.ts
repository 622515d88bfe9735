/** What every `StepStore` must do. */
import assert from "node:assert/strict";
import type { StepType } from "../contracts/step.ts";
import {
  anotherHandle,
  assertNoPollution,
  type ContractCase,
  type StepStoreFixture,
} from "./_contract_fixture.ts";
import { FRAGILE_JSON, FRAGILE_TEXTS, numbersUpTo, sampleStep } from "./_contract_samples.ts";

type StepCase = ContractCase<StepStoreFixture>;

/** The cases for one handle. */
export const STEP_CASES: readonly StepCase[] = [
  {
    name: "returns the appended step with its index and its defaults",
    async run({ steps }) {
      const step = sampleStep({ toolArgs: '{"a":1}' });
      assert.deepEqual(await steps.append(step), {
        ...step,
        stepIndex: 0,
        durationMs: 0,
        promptTokens: 0,
        completionTokens: 0,
      });
    },
  },
  {
    name: "reads back what it returned",
    async run({ steps }) {
      const appended = await steps.append(
        sampleStep({ toolArgs: "{}", durationMs: 7, promptTokens: 8, completionTokens: 9 }),
      );
      assert.deepEqual(await steps.lastN("session", 1), [appended]);
    },
  },
  {
    name: "counts each session's indexes from 0 without a gap",
    async run({ steps }) {
      const indexes: number[] = [];
      for (const sessionId of ["a", "b", "a", "a", "b"]) {
        indexes.push((await steps.append(sampleStep({ sessionId }))).stepIndex);
      }
      assert.deepEqual(indexes, [0, 0, 1, 2, 1]);
    },
  },
  {
    name: "appends steps together in their order, where it can",
    async run({ steps }) {
      if (steps.appendAll === undefined) return;
      await steps.append(sampleStep({ content: "before" }));
      const added = [sampleStep({ content: "a" }), sampleStep({ content: "b", toolArgs: "{}" })];
      const appended = await steps.appendAll(added);
      assert.deepEqual(appended.map(({ stepIndex, content }) => [stepIndex, content]), [
        [1, "a"],
        [2, "b"],
      ]);
      assert.deepEqual(await steps.lastN("session", 2), appended);
      assert.deepEqual(await steps.appendAll([]), []);
      assert.equal((await steps.append(sampleStep())).stepIndex, 3);
    },
  },
  {
    name: "appends all of several steps or none",
    async run({ steps }) {
      if (steps.appendAll === undefined) return;
      const wrong: Parameters<typeof steps.append>[0][] = [
        sampleStep({ durationMs: -1 }),
        sampleStep({ sessionId: "other" }),
      ];
      for (const step of wrong) {
        await assert.rejects(steps.appendAll([sampleStep(), step]));
      }
      assert.deepEqual(await steps.lastN("session", 9), []);
      assert.deepEqual(await steps.lastN("other", 9), []);
    },
  },
  {
    name: "gives the most recent steps, oldest first",
    async run({ steps }) {
      for (const n of numbersUpTo(5)) await steps.append(sampleStep({ content: `${n}` }));
      assert.deepEqual((await steps.lastN("session", 3)).map((step) => step.content), [
        "2",
        "3",
        "4",
      ]);
    },
  },
  {
    name: "orders by index and not by the time of the steps",
    async run({ steps }) {
      for (const n of numbersUpTo(3)) {
        await steps.append(sampleStep({ content: `${n}`, createdAt: new Date(1000 - n) }));
      }
      assert.deepEqual((await steps.lastN("session", 2)).map((step) => step.content), ["1", "2"]);
    },
  },
  {
    name: "gives what there is when fewer steps are there than asked for",
    async run({ steps }) {
      for (const n of numbersUpTo(3)) await steps.append(sampleStep({ content: `${n}` }));
      for (const n of [3, 4, 80, 2 ** 31, 2 ** 53, Infinity]) {
        assert.equal((await steps.lastN("session", n)).length, 3, `lastN(${n})`);
      }
      assert.deepEqual(await steps.lastN("session", 0), []);
    },
  },
  {
    name: "gives nothing for an unknown session",
    async run({ steps }) {
      assert.deepEqual(await steps.lastN("nobody", 10), []);
      assert.deepEqual(await steps.lastN("nobody", Infinity), []);
    },
  },
  {
    name: "refuses a number of steps that is no count",
    async run({ steps }) {
      for (const n of [-1, 1.5, NaN, -Infinity]) {
        await assert.rejects(steps.lastN("session", n), RangeError, `lastN(${n})`);
      }
    },
  },
  {
    name: "keeps content as it is",
    async run({ steps }) {
      for (const content of FRAGILE_TEXTS) await steps.append(sampleStep({ content }));
      const stored = await steps.lastN("session", Infinity);
      assert.deepEqual(stored.map((step) => step.content), FRAGILE_TEXTS);
    },
  },
  {
    name: "keeps toolArgs byte for byte",
    async run({ steps }) {
      const texts = [...FRAGILE_JSON, ...FRAGILE_TEXTS];
      for (const toolArgs of texts) await steps.append(sampleStep({ toolArgs }));
      const stored = await steps.lastN("session", Infinity);
      assert.deepEqual(stored.map((step) => step.toolArgs), texts);
    },
  },
  {
    name: "leaves toolArgs out when there were none",
    async run({ steps }) {
      await steps.append(sampleStep());
      const [step] = await steps.lastN("session", 1);
      assert.equal("toolArgs" in step!, false);
    },
  },
  {
    name: "keeps run ids and any step type",
    async run({ steps }) {
      for (const text of FRAGILE_TEXTS) {
        await steps.append(sampleStep({ runId: text, stepType: text as StepType }));
      }
      const stored = await steps.lastN("session", Infinity);
      assert.deepEqual(stored.map((step) => step.runId), FRAGILE_TEXTS);
      assert.deepEqual(stored.map((step) => step.stepType as string), FRAGILE_TEXTS);
    },
  },
  {
    name: "keeps text of several megabytes",
    async run({ steps }) {
      const content = "é\u{1F600}x".repeat(1024 * 1024);
      const toolArgs = JSON.stringify(content);
      await steps.append(sampleStep({ content, toolArgs }));
      const [step] = await steps.lastN("session", 1);
      assert.ok(step!.content === content, "content came back changed");
      assert.ok(step!.toolArgs === toolArgs, "toolArgs came back changed");
    },
  },
  {
    name: "keeps the rest of a text with a lone surrogate, so that the session can go on (PRV-04)",
    async run({ steps }) {
      const content = "ok \uD83D end";
      await steps.append(sampleStep({ content, toolArgs: JSON.stringify({ content }) }));
      await steps.append(sampleStep({ content: "next" }));
      const [step, next] = await steps.lastN("session", 2);
      assert.ok([content, content.toWellFormed()].includes(step!.content), step!.content);
      assert.equal(step!.toolArgs, '{"content":"ok \\ud83d end"}');
      assert.equal(next!.content, "next");
    },
  },
  {
    name: "keeps times to the millisecond and counts beyond 32 bits (SQL-07)",
    async run({ steps }) {
      const createdAt = new Date(1_767_225_600_123);
      const figures = { promptTokens: 5_000_000_000, completionTokens: Number.MAX_SAFE_INTEGER };
      await steps.append(sampleStep({ createdAt, ...figures, durationMs: 3_000_000_000 }));
      await steps.append(sampleStep({ createdAt: new Date(-1) }));
      const [step, early] = await steps.lastN("session", 2);
      assert.equal(step!.createdAt.getTime(), 1_767_225_600_123);
      assert.equal(step!.promptTokens, 5_000_000_000);
      assert.equal(step!.completionTokens, Number.MAX_SAFE_INTEGER);
      assert.equal(step!.durationMs, 3_000_000_000);
      assert.equal(early!.createdAt.getTime(), -1);
    },
  },
  {
    name: "keeps the order of appends that are not awaited",
    async run({ steps }) {
      const count = 100;
      const appended = await Promise.all(
        numbersUpTo(count).map((n) => steps.append(sampleStep({ content: `${n}` }))),
      );
      const stored = await steps.lastN("session", Infinity);
      assert.deepEqual(appended.map((step) => step.stepIndex), numbersUpTo(count));
      assert.deepEqual(stored, appended);
      assert.deepEqual(stored.map((step) => Number(step.content)), numbersUpTo(count));
    },
  },
  {
    name: "keeps sessions apart whose ids look alike",
    async run({ steps }) {
      const ids = ["a", "A", "a ", "a\0", "a\0b", "á", "a\u0301", "a'--", "a%", "0", "00", "0.0"];
      for (const sessionId of ids) {
        await steps.append(sampleStep({ sessionId, content: sessionId }));
      }
      for (const sessionId of ids) {
        const stored = await steps.lastN(sessionId, Infinity);
        assert.deepEqual(stored.map((step) => [step.sessionId, step.content]), [
          [sessionId, sessionId],
        ]);
      }
    },
  },
  {
    name: "is not changed through what it was given or gave",
    async run({ steps }) {
      const given = { ...sampleStep(), createdAt: new Date(5) };
      const returned = await steps.append(given);
      given.content = "changed";
      given.createdAt.setTime(6);
      returned.createdAt.setTime(7);
      const [read] = await steps.lastN("session", 1);
      read!.createdAt.setTime(8);
      const [step] = await steps.lastN("session", 1);
      assert.equal(step!.content, "hello");
      assert.equal(step!.createdAt.getTime(), 5);
    },
  },
  {
    name: "refuses a step without a session id or a valid time, and appends nothing",
    async run({ steps }) {
      await assert.rejects(steps.append(sampleStep({ sessionId: "" })));
      await assert.rejects(steps.append(sampleStep({ createdAt: new Date(NaN) })));
      assert.equal((await steps.append(sampleStep())).stepIndex, 0);
    },
  },
  {
    name: "pollutes no prototype with what a step holds (QJS-14)",
    async run({ steps }) {
      const toolArgs = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"p2":1}}}';
      await steps.append(sampleStep({ sessionId: "__proto__", runId: "__proto__", toolArgs }));
      const [step] = await steps.lastN("__proto__", 1);
      assert.equal(step!.toolArgs, toolArgs);
      assert.deepEqual(await steps.lastN("constructor", 1), []);
      assertNoPollution();
    },
  },
];

/** The cases for several handles on one storage. */
export const SHARED_STEP_CASES: readonly StepCase[] = [
  {
    name: "shows what another handle appended, at once and after that one closed",
    async run(fixture) {
      const other = await anotherHandle(fixture);
      await other.steps.append(sampleStep({ content: "from the other" }));
      assert.equal((await fixture.steps.lastN("session", 1))[0]!.content, "from the other");
      await other.close?.();
      assert.equal((await fixture.steps.lastN("session", 1))[0]!.content, "from the other");
    },
  },
  {
    name: "gives indexes without a gap to handles that append at once",
    async run(fixture) {
      const other = await anotherHandle(fixture);
      try {
        const count = 50;
        const appended = await Promise.all(
          numbersUpTo(2 * count).map((n) =>
            (n % 2 === 0 ? fixture : other).steps.append(sampleStep({ content: `${n}` }))
          ),
        );
        const stored = await fixture.steps.lastN("session", Infinity);
        assert.deepEqual(stored.map((step) => step.stepIndex), numbersUpTo(2 * count));
        assert.deepEqual(stored, appended.toSorted((a, b) => a.stepIndex - b.stepIndex));
        const ofOther = stored.map((step) => Number(step.content)).filter((n) => n % 2 === 1);
        assert.deepEqual(ofOther, ofOther.toSorted((a, b) => a - b));
      } finally {
        await other.close?.();
      }
    },
  },
];
