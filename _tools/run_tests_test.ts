import { deepEqual } from "node:assert/strict";
import { makeUpTree } from "./made_up_tree.ts";
import { readModuleGraph } from "./module_graph.ts";
import { runSuite, testsOf } from "./run_tests.ts";
import { listSourceFiles } from "./source_files.ts";
import type { TestCounts } from "./test_counts.ts";
import {
  EXAMPLES_NOT_RUN,
  filesWithExamples,
  lanesOf,
  SHARED_HOST_TESTS,
  type Suite,
  suitesIn,
} from "./test_suites.ts";

async function countsOf(
  files: Readonly<Record<string, string>>,
  changes: Partial<Suite> = {},
): Promise<TestCounts> {
  await using tree = await makeUpTree(files);
  const suite: Suite = {
    name: "made_up",
    paths: ["."],
    ignore: ["left_out"],
    permissions: [],
    leaks: [],
    parallel: false,
    timeoutMs: 60_000,
    ...changes,
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

Deno.test("tests: what a test leaves behind counts as failed where the suite says so", async () => {
  const timer = 'Deno.test("forgets", () => { setTimeout(() => {}, 100_000); });';
  const read = `Deno.test("waits", () => { new BroadcastChannel("x").onmessage = () => {}; });`;
  deepEqual(await countsOf({ "a_test.ts": timer }), { passed: 1, failed: 0 });
  deepEqual(await countsOf({ "a_test.ts": timer }, { leaks: ["resources"] }), {
    passed: 0,
    failed: 1,
  });
  deepEqual(await countsOf({ "a_test.ts": read }, { leaks: ["ops"] }), { passed: 0, failed: 1 });
});

Deno.test("tests: files that run at the same time are counted as others are", async () => {
  deepEqual(await countsOf({ "a_test.ts": GOOD, "b_test.ts": BAD }, { parallel: true }), {
    passed: 2,
    failed: 1,
  });
});

Deno.test("tests: an example is run, and fails when it throws", async () => {
  const example = (code: string) =>
    `/**\n * \`\`\`ts\n * ${code}\n * \`\`\`\n */\nexport const a = 1;`;
  const suite: Partial<Suite> = { paths: ["a.ts"], examples: true };
  deepEqual(await countsOf({ "a.ts": example("[].map(String);") }, suite), {
    passed: 1,
    failed: 0,
  });
  deepEqual(await countsOf({ "a.ts": example('throw new Error("no");') }, suite), {
    passed: 0,
    failed: 1,
  });
});

Deno.test("tests: every test file of the tree is in one suite, and in one only", () => {
  const suites = suitesIn(Deno.cwd(), "/scratch")
    .filter((suite) => suite.examples !== true)
    .map((suite) => ({ name: suite.name, tests: new Set(testsOf(suite, Deno.cwd())) }));
  const counts = listSourceFiles(Deno.cwd())
    .filter((file) => /_test\.ts$/.test(file))
    .map((file) => ({
      file,
      suites: suites.filter(({ tests }) => tests.has(file)).map(({ name }) => name),
    }));
  deepEqual(counts.filter((found) => found.suites.length !== 1), []);
});

Deno.test("tests: every suite is in one lane, and in one only", () => {
  const names = (suites: readonly Suite[]) => suites.map(({ name }) => name).sort();
  const suites = suitesIn(Deno.cwd(), "/scratch");
  deepEqual(names(lanesOf(suites).flat()), names(suites));
});

Deno.test("tests: those that share a host are named", async () => {
  const { edges } = await readModuleGraph(Deno.cwd(), listSourceFiles(Deno.cwd()));
  const importers = (names: readonly string[]): string[] =>
    edges.filter((edge) => !edge.typeOnly && names.includes(edge.to)).map((edge) => edge.from);
  const shared = new Set(["tests/sandbox/shared_host.ts"]);
  for (let size = 0; size !== shared.size;) {
    size = shared.size;
    for (const file of importers([...shared])) shared.add(file);
  }
  const tests = [...shared].filter((file) => /_test\.ts$/.test(file)).sort();
  deepEqual([...SHARED_HOST_TESTS].sort(), tests);
});

Deno.test("tests: every example that is not run is there", () => {
  const found = filesWithExamples(Deno.cwd());
  deepEqual(EXAMPLES_NOT_RUN.filter((file) => !found.includes(file)), []);
});
