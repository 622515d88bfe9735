import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { startOpenAIServer } from "../fixtures/openai_server.ts";
import { openHome, script } from "./cli_process.ts";

const TWO_TURNS = [
  script('function run() {\n  log("adding");\n  return 40 + 2;\n}'),
  script("function run(sum) { answer(`The sum is ${sum}.`); }"),
];

Deno.test("stdout carries the answer and one line feed, everything else goes to stderr", async () => {
  await using server = await startOpenAIServer({ replies: TWO_TURNS });
  await using home = await openHome(server.baseUrl);
  const { code, stdout, stderr } = await home.run(["--session", "s1", "add"]);
  strictEqual(code, 0);
  strictEqual(stdout, "The sum is 42.\n");
  const lines = stderr.replaceAll(/\d+(\.\d)? m?s\b/g, "TIME").trimEnd().split("\n");
  deepStrictEqual(lines, [
    "turn 1  script of 4 lines: ok, TIME, 10 + 5 tokens | adding returned (now args): 42",
    "turn 2  script of 1 line: ok, TIME, 10 + 5 tokens | answered",
    "completed in TIME, 20 + 10 tokens, session s1",
  ]);
});

Deno.test("--quiet leaves stderr empty when nothing is wrong", async () => {
  await using server = await startOpenAIServer({ replies: TWO_TURNS });
  await using home = await openHome(server.baseUrl);
  const { stdout, stderr } = await home.run(["--quiet", "add"]);
  strictEqual(stdout, "The sum is 42.\n");
  strictEqual(stderr, "");
});

Deno.test("--verbose shows scripts, what came of them, and the ids", async () => {
  await using server = await startOpenAIServer({ replies: TWO_TURNS });
  await using home = await openHome(server.baseUrl);
  const { stdout, stderr } = await home.run(["-v", "--session", "s1", "add"]);
  strictEqual(stdout, "The sum is 42.\n");
  match(stderr, /^session s1, run [0-9a-f-]{36}\n/);
  match(stderr, /\n {4}function run\(\) \{\n {6}log\("adding"\);\n/);
  match(stderr, /\n {4}returned \(now args\): 42\n/);
  match(stderr, /carries 2 B to the next turn/);
});

Deno.test("what the model wrote reaches a pipe as it is, and stderr with its control characters escaped", async () => {
  await using server = await startOpenAIServer({
    replies: [
      script('function run() { log("\\u001b[2Jgone\\u009b"); }'),
      script('function run() { answer("\\u001b[31mred"); }'),
    ],
  });
  await using home = await openHome(server.baseUrl);
  const { stdout, stderr } = await home.run(["-v", "paint"]);
  strictEqual(stdout, "\x1b[31mred\n");
  // deno-lint-ignore no-control-regex
  strictEqual(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/.test(stderr), false);
});

Deno.test("a script that fails is told with its message, and the run goes on", async () => {
  await using server = await startOpenAIServer({
    replies: [script("function run() {\n  missing();\n}"), "Then not."],
  });
  await using home = await openHome(server.baseUrl);
  const { code, stdout, stderr } = await home.run(["try"]);
  strictEqual(code, 0);
  strictEqual(stdout, "Then not.\n");
  match(stderr, /^turn 1 {2}script of 3 lines: failed, .* \| failed at line 2: .*missing/);
});
