/**
 * The suites of the test command: which tests share permissions and a way of running. Running them is left to `_tools/run_tests.ts`. Every test of the tree is in exactly one.
 */
import { join } from "node:path";
import { isTestFile, listSourceFiles } from "./source_files.ts";

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
      timeoutMs: 300_000,
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
      timeoutMs: 420_000,
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
      permissions: [...files, start("sh")],
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
      timeoutMs: 300_000,
    },
    {
      name: "shared hosts",
      paths: SHARED_HOST_TESTS,
      ignore: [],
      permissions: io,
      leaks: [],
      parallel: false,
      timeoutMs: 400_000,
    },
    {
      name: "converters",
      paths: CONVERTER_TESTS,
      ignore: [],
      permissions: io,
      leaks: [],
      parallel: true,
      timeoutMs: 180_000,
    },
    {
      name: "exec",
      paths: ["tests/ext/exec"],
      ignore: [],
      // Any command: the tests write programs of their own and run them. What a narrow grant allows is tried in a program that has one.
      permissions: [...files, "--allow-run", "--allow-env"],
      leaks: all,
      parallel: false,
      timeoutMs: 240_000,
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

/**
 * Suites that may be run at the same time, each lane in its order: files of a parallel suite keep more than one core busy, those of the others wait most of the time. Only the first
 * lane shows its output as it comes.
 */
export function lanesOf(suites: readonly Suite[]): readonly (readonly Suite[])[] {
  return [suites.filter(({ parallel }) => parallel), suites.filter(({ parallel }) => !parallel)];
}

/** The files whose comments hold an example, tests left out. */
export function filesWithExamples(root: string): readonly string[] {
  return listSourceFiles(root)
    .filter((file) => !isTestFile(file) && file.endsWith(".ts"))
    .filter((file) => /^ \* ```ts\b/m.test(Deno.readTextFileSync(join(root, file))));
}
