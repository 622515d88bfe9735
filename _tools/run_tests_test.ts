import { deepEqual } from "node:assert/strict";
import { makeUpTree } from "./made_up_tree.ts";
import { runSuite } from "./run_tests.ts";
import type { TestCounts } from "./test_counts.ts";

async function countsOf(files: Readonly<Record<string, string>>): Promise<TestCounts> {
  await using tree = await makeUpTree(files);
  const suite = {
    name: "made_up",
    paths: ["."],
    ignore: ["left_out"],
    permissions: [],
    timeoutMs: 60_000,
  };
  return await runSuite(suite, { root: tree.root, scratch: tree.root });
}

const GOOD = 'Deno.test("good", () => {}); Deno.test("well", () => {});';
const BAD = 'Deno.test("bad", () => { throw new Error("no"); });';

Deno.test("tests: counts are sums over the files of a suite", async () => {
  deepEqual(await countsOf({ "a_test.ts": GOOD, "b_test.ts": BAD, "left_out/c_test.ts": BAD }), {
    passed: 2,
    failed: 1,
  });
});

Deno.test("tests: an ignored test counts as neither", async () => {
  const ignored = 'Deno.test({ name: "later", ignore: true, fn: () => {} });';
  deepEqual(await countsOf({ "a_test.ts": GOOD + ignored }), { passed: 2, failed: 0 });
});

Deno.test("tests: a file that throws while it loads counts as failed", async () => {
  deepEqual(await countsOf({ "a_test.ts": GOOD, "b_test.ts": 'throw new Error("at once");' }), {
    passed: 2,
    failed: 1,
  });
});

Deno.test("tests: a missing import counts as failed", async () => {
  deepEqual(await countsOf({ "a_test.ts": GOOD, "b_test.ts": 'import "./gone.ts";' }), {
    passed: 0,
    failed: 1,
  });
});

Deno.test("tests: a suite without a test counts as failed", async () => {
  deepEqual(await countsOf({ "a.ts": "export {};" }), { passed: 0, failed: 1 });
});

Deno.test("tests: no permission is given that the suite does not name", async () => {
  const reads = 'Deno.test("reads", () => { Deno.readTextFileSync("deno.json"); });';
  deepEqual(await countsOf({ "a_test.ts": reads }), { passed: 0, failed: 1 });
});
