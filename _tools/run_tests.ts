/**
 * The test command: every test of the project, each suite with the permissions that it needs and no more, and a closing count.
 * Arguments, such as `--filter NAME`, go to `deno test`.
 */
import { join } from "node:path";
import { runBounded } from "./bounded_command.ts";
import { countTests, type TestCounts } from "./test_counts.ts";

/** Tests that share one set of permissions. */
export interface Suite {
  /** What the suite is called in the closing lines. */
  readonly name: string;
  /** Folders or files to test. */
  readonly paths: readonly string[];
  /** Folders to leave out. */
  readonly ignore: readonly string[];
  /** The permissions, as flags. */
  readonly permissions: readonly string[];
  /** Time that it may take. */
  readonly timeoutMs: number;
}

/** Folders whose tests must pass without any permission: that they do proves that these layers do no I/O. */
export const PURE_FOLDERS: readonly string[] = ["contracts", "redact", "loop"];

/** The suites, given a folder for temporary files that is gone afterwards. Together they hold every test of the tree. */
export function suitesIn(root: string, scratch: string): readonly Suite[] {
  const files = [`--allow-read=${root},${scratch}`, `--allow-write=${scratch}`];
  const start = (...programs: string[]) =>
    `--allow-run=${[Deno.execPath(), ...programs].join(",")}`;
  const loopback = "--allow-net=127.0.0.1";
  return [
    { name: "pure", paths: PURE_FOLDERS, ignore: [], permissions: [], timeoutMs: 40_000 },
    {
      name: "parts",
      paths: ["."],
      ignore: [...PURE_FOLDERS, "tests"],
      permissions: [...files, start(), loopback, "--allow-env"],
      timeoutMs: 120_000,
    },
    {
      name: "whole",
      paths: ["tests"],
      ignore: [],
      // `sh` pipes the command's output away, `script` gives it a terminal.
      permissions: [...files, start("sh", "script"), loopback, "--allow-env"],
      timeoutMs: 250_000,
    },
  ];
}

/** Where and how a suite runs. */
export interface SuiteRun {
  /** The tree that is tested. */
  readonly root: string;
  /** The folder for temporary files. */
  readonly scratch: string;
  /** Arguments for `deno test`. @default none */
  readonly extra?: readonly string[];
  /** Show the output as it comes. @default false */
  readonly show?: boolean;
}

/** Runs one suite. */
export async function runSuite(suite: Suite, run: SuiteRun): Promise<TestCounts> {
  const report = join(run.scratch, `${suite.name}.xml`);
  const frozen = Deno.env.has("CI") ? ["--frozen"] : [];
  const ignore = suite.ignore.length === 0 ? [] : [`--ignore=${suite.ignore.join(",")}`];
  const { code, timedOut } = await runBounded(
    [
      "test",
      "--no-prompt",
      // Types are a step of the gate; here one wrong type would keep a whole suite from running.
      "--no-check",
      ...frozen,
      ...suite.permissions,
      ...ignore,
      `--junit-path=${report}`,
      ...(run.extra ?? []),
      ...suite.paths,
    ],
    {
      timeoutMs: suite.timeoutMs,
      cwd: run.root,
      show: run.show,
      env: testEnvironment(run.scratch),
    },
  );
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
  let passed = 0;
  let failed = 0;
  try {
    for (const suite of suitesIn(root, scratch)) {
      const counts = await runSuite(suite, { root, scratch, extra: Deno.args, show: true });
      passed += counts.passed;
      failed += counts.failed;
    }
  } finally {
    await Deno.remove(scratch, { recursive: true });
  }
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`tests: ${passed} passed, ${failed} failed, in ${seconds} s`);
  return failed === 0 ? 0 : 1;
}

if (import.meta.main) Deno.exit(await main());
