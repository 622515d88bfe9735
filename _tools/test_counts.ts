/** Counts tests from the report that `deno test --junit-path` writes. */

/** How many tests of a suite passed and failed. */
export interface TestCounts {
  /** Tests that ran and passed. */
  readonly passed: number;
  /** Tests that failed; a suite that broke off without naming a failed test counts one. */
  readonly failed: number;
}

/**
 * The counts of one suite.
 *
 * @param report the report's XML; `undefined` when the suite wrote none.
 * @param exitCode the exit code of `deno test`: a file that throws while it loads, or cannot be loaded, shows only there.
 */
export function countTests(report: string | undefined, exitCode: number): TestCounts {
  let passed = 0;
  let failed = 0;
  for (const [tag] of (report ?? "").matchAll(/<testsuite\s[^>]*>/g)) {
    const number = (name: string) => Number(new RegExp(`\\s${name}="(\\d+)"`).exec(tag)?.[1] ?? 0);
    const broken = number("failures") + number("errors");
    passed += number("tests") - broken - number("disabled");
    failed += broken;
  }
  return { passed, failed: exitCode !== 0 && failed === 0 ? 1 : failed };
}
