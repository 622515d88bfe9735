/**
 * The test command: every test of the project, each suite with the permissions that it needs and no more, and a closing count.
 * Arguments, such as `--filter NAME`, go to `deno test`.
 */
import { join } from "node:path";
import { runBounded } from "./bounded_command.ts";
import { isTestFile, listSourceFiles } from "./source_files.ts";
import { countTests, type TestCounts } from "./test_counts.ts";

/** Kinds of leaks that the runner can look for after each test. The runtime looks for none unless it is told to. */
export type LeakKind = "ops" | "resources";

/** Tests that share one set of permissions and one way of running. */
export interface Suite {
  /** What the suite is called in the closing lines. */
  readonly name: string;
  /** Folders or files to test. */
  readonly paths: readonly string[];
  /** Folders or files to leave out. */
  readonly ignore: readonly string[];
  /** The permissions, as flags. */
  readonly permissions: readonly string[];
  /** What no test may leave behind. */
  readonly leaks: readonly LeakKind[];
  /** Two files at a time, where no test of the suite looks at the processes of all, or at what one costs. */
  readonly parallel: boolean;
  /** The examples in the files' comments are what is run. @default false */
  readonly examples?: boolean;
  /** Time that it may take. */
  readonly timeoutMs: number;
}

/** Folders whose tests must pass without any permission: that they do proves that these layers do no I/O. */
export const PURE_FOLDERS: readonly string[] = ["contracts", "redact", "loop"];

/** Files whose examples ask a model, or start a guest: they are checked by the gate and not run. */
export const EXAMPLES_NOT_RUN: readonly string[] = [
  "loop/profile.ts",
  "loop/summarizing_compactor.ts",
  "mod.ts",
];

/**
 * Files whose tests share one host, and so a guest process: a read of its pipes that one test began ends in the next, and the timer that would
 * end the process of a cancelled script stays until the script has let go. The runtime cannot tell whose they are, so that these tests are
 * held to no leaks; that a host leaves nothing behind is what `tests/sandbox/lifecycle_test.ts` shows, which is held to all.
 */
export const SHARED_HOST_TESTS: readonly string[] = [
  "tests/sandbox/calling_styles_test.ts",
  "tests/sandbox/cancel_test.ts",
  "tests/sandbox/clock_test.ts",
  "tests/sandbox/limits_test.ts",
  "tests/sandbox/log_test.ts",
  "tests/sandbox/messages_test.ts",
  "tests/sandbox/neighbours_test.ts",
  "tests/sandbox/realm_test.ts",
  "tests/security/inline_test.ts",
  "tests/security/process_test.ts",
];

/**
 * Files whose tests run converters. These are killed when their run ends, and the run does not wait until the machine has taken them away: at
 * the end of the test they may still be going.
 */
export const CONVERTER_TESTS: readonly string[] = [
  "tests/packs/default_capabilities_test.ts",
  "tests/packs/html_test.ts",
  "tests/packs/markdown_test.ts",
];

/** The suites, given a folder for temporary files that is gone afterwards. Together they hold every test of the tree. */
export function suitesIn(root: string, scratch: string): readonly Suite[] {
  const files = [`--allow-read=${root},${scratch}`, `--allow-write=${scratch}`];
  const start = (...programs: string[]) =>
    `--allow-run=${[Deno.execPath(), ...programs].join(",")}`;
  const io = [...files, start(), "--allow-net=127.0.0.1", "--allow-env"];
  const all: readonly LeakKind[] = ["ops", "resources"];
  return [
    {
      name: "pure",
      paths: PURE_FOLDERS,
      ignore: [],
      permissions: [],
      leaks: all,
      parallel: true,
      timeoutMs: 60_000,
    },
    {
      name: "examples",
      paths: filesWithExamples(root).filter((file) => !EXAMPLES_NOT_RUN.includes(file)),
      ignore: [],
      permissions: [],
      leaks: all,
      parallel: false,
      examples: true,
      timeoutMs: 30_000,
    },
    {
      name: "parts",
      paths: ["."],
      ignore: [...PURE_FOLDERS, "tests"],
      permissions: io,
      leaks: all,
      parallel: true,
      timeoutMs: 120_000,
    },
    {
      name: "whole",
      paths: ["tests"],
      ignore: [
        "tests/cli",
        "tests/sandbox",
        "tests/security",
        "tests/first_run",
        "tests/ext",
        ...CONVERTER_TESTS,
      ],
      permissions: [...files, start("sh"), "--allow-net=127.0.0.1", "--allow-env"],
      leaks: all,
      parallel: true,
      timeoutMs: 150_000,
    },
    {
      name: "command",
      paths: ["tests/cli"],
      ignore: [],
      // `sh` pipes the command's output away, `script` gives it a terminal; the other shells complete it, where they are installed.
      permissions: [
        ...files,
        start("sh", "script", "bash", "zsh", "fish"),
        "--allow-net=127.0.0.1",
        "--allow-env",
      ],
      leaks: all,
      parallel: true,
      timeoutMs: 300_000,
    },
    {
      name: "workspace",
      paths: ["tests/ext/workspace"],
      ignore: [],
      // The folder is all that the functions need. The programs make what scripts cannot: links, pipes, a process that swaps folders or is killed.
      permissions: [...files, start("sh")],
      leaks: all,
      parallel: true,
      timeoutMs: 120_000,
    },
    {
      name: "secrets",
      paths: ["tests/ext/secrets"],
      ignore: [],
      permissions: [...files, start("sh"), "--allow-net=127.0.0.1", "--allow-env"],
      leaks: all,
      parallel: true,
      timeoutMs: 60_000,
    },
    {
      name: "project",
      paths: ["tests/ext/project"],
      ignore: [],
      // The programs make links and pipes, swap folders, and load with fewer permissions than this.
      permissions: [...files, start("sh")],
      leaks: all,
      parallel: true,
      timeoutMs: 60_000,
    },
    {
      name: "skills",
      paths: ["tests/ext/skills"],
      ignore: [],
      // Reading is all that skills need, and scripts what they always do. `sh` makes links and pipes.
      permissions: [...files, start("sh"), "--allow-env"],
      leaks: all,
      parallel: true,
      timeoutMs: 60_000,
    },
    {
      name: "artifacts",
      paths: ["tests/ext/artifacts"],
      ignore: [],
      // The browser opens hostile pages, where one is installed.
      permissions: [...files, start("chromium"), "--allow-net=127.0.0.1", "--allow-env"],
      leaks: all,
      parallel: true,
      timeoutMs: 180_000,
    },
    {
      name: "assistant",
      paths: ["tests/ext/assistant"],
      ignore: [],
      permissions: [...files, start(), "--allow-net=127.0.0.1", "--allow-env"],
      leaks: all,
      parallel: true,
      timeoutMs: 60_000,
    },
    {
      name: "memory",
      paths: ["tests/ext/memory"],
      ignore: [],
      permissions: [...files, start(), "--allow-env"],
      leaks: all,
      parallel: true,
      timeoutMs: 60_000,
    },
    {
      name: "search",
      paths: ["tests/ext/search"],
      ignore: [],
      permissions: [...files, start(), "--allow-net=127.0.0.1", "--allow-env"],
      leaks: all,
      parallel: true,
      timeoutMs: 60_000,
    },
    {
      name: "scheduler",
      paths: ["tests/ext/scheduler"],
      ignore: [],
      // Web hooks on the loopback, and processes that share a database and are killed.
      permissions: [...files, start(), "--allow-net=127.0.0.1", "--allow-env"],
      leaks: all,
      parallel: true,
      timeoutMs: 120_000,
    },
    {
      name: "sandbox",
      paths: ["tests/sandbox", "tests/security"],
      ignore: SHARED_HOST_TESTS,
      permissions: io,
      leaks: all,
      parallel: false,
      timeoutMs: 120_000,
    },
    {
      name: "shared hosts",
      paths: SHARED_HOST_TESTS,
      ignore: [],
      permissions: io,
      leaks: [],
      parallel: false,
      timeoutMs: 240_000,
    },
    {
      name: "converters",
      paths: CONVERTER_TESTS,
      ignore: [],
      permissions: io,
      leaks: [],
      parallel: true,
      timeoutMs: 60_000,
    },
    {
      name: "exec",
      paths: ["tests/ext/exec"],
      ignore: [],
      // Any command: the tests write programs of their own and run them. What a narrow grant allows is tried in a program that has one.
      permissions: [...files, "--allow-run", "--allow-env"],
      leaks: all,
      parallel: false,
      timeoutMs: 120_000,
    },
    {
      name: "first run",
      paths: ["tests/first_run"],
      ignore: [],
      permissions: [...files, start(), "--allow-env"],
      leaks: all,
      parallel: false,
      timeoutMs: 120_000,
    },
  ];
}

/** The files whose comments hold an example, tests left out. */
export function filesWithExamples(root: string): readonly string[] {
  return listSourceFiles(root)
    .filter((file) => !isTestFile(file) && file.endsWith(".ts"))
    .filter((file) => /^ \* ```ts\b/m.test(Deno.readTextFileSync(join(root, file))));
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
  const { code, timedOut } = await runBounded(
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
  try {
    for (const suite of suitesIn(root, scratch)) {
      const began = performance.now();
      const counts = await runSuite(suite, { root, scratch, extra: Deno.args, show: true });
      times.push(`${suite.name} ${((performance.now() - began) / 1000).toFixed(1)} s`);
      passed += counts.passed;
      failed += counts.failed;
    }
  } finally {
    await Deno.remove(scratch, { recursive: true });
  }
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`suites: ${times.join(", ")}`);
  console.log(`tests: ${passed} passed, ${failed} failed, in ${seconds} s`);
  return failed === 0 ? 0 : 1;
}

if (import.meta.main) Deno.exit(await main());
