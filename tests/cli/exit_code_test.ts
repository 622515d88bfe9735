import { doesNotMatch, match, strictEqual } from "node:assert/strict";
import { startOpenAIServer } from "../fixtures/openai_server.ts";
import { jsonLines, onlyResult, openHome, script } from "./cli_process.ts";

const STILL_WORKING = script('function run() { return "still working"; }');

Deno.test("EXT-14: using up the model calls is not an answer: exit code 2, empty stdout, a way to go on", async () => {
  await using server = await startOpenAIServer({ otherwise: STILL_WORKING });
  await using home = await openHome(server.baseUrl);
  const { code, stdout, stderr } = await home.run(["--max-steps", "2", "--session", "s1", "go"]);
  strictEqual(code, 2);
  strictEqual(stdout, "");
  strictEqual(server.requests.length, 2);
  match(
    stderr,
    /\nagentloop: No answer within 2 model calls \(--max-steps\)\.\nTo go on: agentloop --session s1 "go on"\n$/,
  );
});

Deno.test("EXT-14: the JSON lines say that the run did not finish, and what it last held", async () => {
  await using server = await startOpenAIServer({ otherwise: STILL_WORKING });
  await using home = await openHome(server.baseUrl);
  const { code, stdout } = await home.run(["--json", "--max-steps", "2", "go"]);
  strictEqual(code, 2);
  const result = onlyResult(stdout);
  strictEqual(result.status, "max_iterations");
  strictEqual(result.text, "");
  strictEqual(result.exit_code, 2);
  strictEqual(result.error.type, "max_iterations");
  const updates = jsonLines(stdout).filter((line) => line.type === "data_update");
  strictEqual(updates.at(-1).args, "still working");
  strictEqual(jsonLines(stdout).some((line) => line.type === "response"), false);
});

Deno.test("a run that takes too long ends with exit code 1 and names the limit", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  await using server = await startOpenAIServer({ replies: [{ until: promise }] });
  await using home = await openHome(server.baseUrl);
  const { code, stdout, stderr } = await home.run(["--timeout", "500ms", "go"]);
  resolve();
  strictEqual(code, 1);
  strictEqual(stdout, "");
  match(stderr, /agentloop: No answer within 0\.5 s \(--timeout\)\./);
});

Deno.test("a failure that a user can cause shows no stack", async () => {
  await using server = await startOpenAIServer({
    replies: [{ status: 404, json: { error: { message: "no such model" } } }],
  });
  await using home = await openHome(server.baseUrl);
  const { code, stderr } = await home.run(["--model", "gtp-5", "go"]);
  strictEqual(code, 1);
  match(stderr, /agentloop: .*"gtp-5"/);
  doesNotMatch(stderr, /^ +at /m);
});

Deno.test("a database that cannot be written is named with what to do", async () => {
  await using home = await openHome("http://127.0.0.1:9/v1");
  await Deno.writeTextFile(
    `${home.path}/notes.txt`,
    "not a database, but long enough to be looked at",
  );
  for (const path of ["notes.txt", "/proc/nowhere/agentloop.db"]) {
    const { code, stdout, stderr } = await home.run(["--db", path, "go"]);
    strictEqual(code, 1);
    strictEqual(stdout, "");
    match(stderr, new RegExp(`^agentloop: Could not .*${path}: `));
    doesNotMatch(stderr, /^ +at /m);
  }
});
