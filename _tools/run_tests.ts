/**
 * The test command: every test of the project, each suite with the permissions that it needs and no more, and a closing count.
 * Arguments, such as `--filter NAME`, go to `deno test`.
 */
import { join } from "node:path";
import { runBounded } from "./bounded_command.ts";
import { listSourceFiles } from "./source_files.ts";
import { countTests, type TestCounts } from "./test_counts.ts";
import { lanesOf, type Suite, suitesIn } from "./test_suites.ts";

/** Where and how a suite runs. */
export interface SuiteRun {
  /** The tree that is tested. */
  readonly root: string;
  /** The folder for temporary files. */
  readonly scratch: string;
  /** Arguments for `deno test`. @default none */
  readonly extra?: readonly string[];
  /** Show the output as it comes, and not at the end. @default false */
  readonly show?: boolean;
}

/** The test files of a suite. They are named one by one: `--ignore` holds for one of several folders only. */
export function testsOf(suite: Suite, root: string): readonly string[] {
  const inside = (file: string, paths: readonly string[]) =>
    paths.some((path) => path === "." || file === path || file.startsWith(`${path}/`));
  return listSourceFiles(root).filter((file) =>
    /_test\.ts$/.test(file) && inside(file, suite.paths) && !inside(file, suite.ignore)
  );
}

/** Runs one suite. */
export async function runSuite(suite: Suite, run: SuiteRun): Promise<TestCounts> {
  const report = join(run.scratch, `${suite.name}.xml`);
  const frozen = Deno.env.has("CI") ? ["--frozen"] : [];
  const files = suite.examples === true ? suite.paths : testsOf(suite, run.root);
  // Without a file the runtime would run every test there is.
  if (files.length === 0) return { passed: 0, failed: 1 };
  const ways = [
    ...suite.leaks.map((kind) => `--sanitize-${kind}`),
    ...(suite.parallel ? ["--parallel"] : []),
    ...(suite.examples === true ? ["--doc"] : []),
  ];
  const { code, timedOut, output } = await runBounded(
    [
      "test",
      "--no-prompt",
      // Types are a step of the gate; here one wrong type would keep a whole suite from running.
      "--no-check",
      ...frozen,
      ...suite.permissions,
      ...ways,
      `--junit-path=${report}`,
      ...(run.extra ?? []),
      ...files,
    ],
    {
      timeoutMs: suite.timeoutMs,
      cwd: run.root,
      show: run.show,
      env: testEnvironment(run.scratch),
    },
  );
  if (output !== "") console.log(output);
  if (timedOut) {
    console.error(`${suite.name}: ended, because it took longer than ${suite.timeoutMs / 1000} s`);
  }
  return countTests(await readIfThere(report), code);
}

/** Nothing of the person who runs the tests reaches them: no key, no endpoint, no database. */
function testEnvironment(scratch: string): Record<string, string | null> {
  const theirs = Object.keys(Deno.env.toObject())
    .filter((name) => /^(?:OPENAI|AGENTLOOP|OTEL)_/.test(name));
  return {
    ...Object.fromEntries(theirs.map((name) => [name, null])),
    DENO_JOBS: "2",
    TMPDIR: scratch,
    XDG_DATA_HOME: join(scratch, "data"),
  };
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

async function main(): Promise<number> {
  const start = performance.now();
  const root = Deno.cwd();
  const scratch = await Deno.realPath(await Deno.makeTempDir({ prefix: "agentloop_tests_" }));
  const times: string[] = [];
  let passed = 0;
  let failed = 0;
  const runLane = async (suites: readonly Suite[], show: boolean) => {
    for (const suite of suites) {
      const began = performance.now();
      const counts = await runSuite(suite, { root, scratch, extra: Deno.args, show });
      times.push(`${suite.name} ${((performance.now() - began) / 1000).toFixed(1)} s`);
      passed += counts.passed;
      failed += counts.failed;
    }
  };
  try {
    await Promise.all(lanesOf(suitesIn(root, scratch)).map((lane, at) => runLane(lane, at === 0)));
  } finally {
    await Deno.remove(scratch, { recursive: true });
  }
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`suites: ${times.join(", ")}`);
  console.log(`tests: ${passed} passed, ${failed} failed, in ${seconds} s`);
  return failed === 0 ? 0 : 1;
}

if (import.meta.main) Deno.exit(await main());
