import {
  deepStrictEqual,
  doesNotMatch,
  match,
  notDeepStrictEqual,
  strictEqual,
} from "node:assert/strict";
import { startOpenAIServer } from "../fixtures/openai_server.ts";
import { writeSchema1 } from "../fixtures/store_schema_1.ts";
import { jsonLines, onlyResult, openHome } from "./cli_process.ts";

Deno.test("doctor checks endpoint, model, sandbox, walls and database, and makes one request", async () => {
  await using server = await startOpenAIServer({ replies: ["ready"] });
  await using home = await openHome(server.baseUrl);
  const { code, stdout, stderr } = await home.run(["doctor"], {
    env: { OPENAI_API_KEY: "sk-very-secret" },
  });
  strictEqual(code, 0);
  strictEqual(stderr, "");
  const database = `${home.path}/.local/share/agentloop/agentloop.db`;
  const lines = stdout.replaceAll(/\d+(\.\d)? m?s\b/g, "TIME").split("\n");
  // Who runs the tests, and in what, differs.
  match(
    lines.splice(-2, 1)[0] ?? "",
    /^reach {6}(ok {7}|warning {2})exec is not confined: a command can do all that (root|your user \(\d+\)) may, network included; (a container is around it \(.*\)|no container was found around it)$/,
  );
  deepStrictEqual(lines, [
    `endpoint   ok       ${server.baseUrl}, key set`,
    "model      ok       test-model",
    "request    ok       test-model answered in TIME, 10 + 5 tokens",
    "sandbox    ok       a script ran, TIME after a cold start",
    "process    ok       refuses read, write, net, env, run, sys, ffi (each was tried)",
    "memory     ok       a script that takes all it can was stopped at 32.0 MiB (a run has 128.0 MiB)",
    "time       ok       an endless loop was stopped after TIME (a run has TIME)",
    `database   ok       ${database} is not there yet; the first run makes it`,
    `project    ok       ${await Deno.realPath(home.path)}, no git checkout`,
    "AGENTS.md  ok       none",
    "skills     ok       none",
    "granted    ok       whole: read, write, net, run, env, sys, ffi, import",
    "",
  ]);
  doesNotMatch(stdout, /very-secret/);
  strictEqual(server.requests.length, 1);
  deepStrictEqual([...Deno.readDirSync(home.path)], []);
});

Deno.test("doctor says what the database holds", async () => {
  await using server = await startOpenAIServer({ replies: ["hi", "hi"] });
  await using home = await openHome(server.baseUrl);
  await home.run(["--session", "a", "hi"]);
  await home.run(["--session", "b", "hi"]);
  const { stdout } = await home.run(["doctor", "--offline", "--json"]);
  const check = jsonLines(stdout).find((line) => line.name === "database");
  deepStrictEqual([check.exists, check.sessions, check.steps], [true, 2, 4]);
  match(check.detail, /agentloop\.db: schema \d+, 2 sessions, 4 steps, [\d.]+ KiB$/);
  strictEqual(jsonLines(stdout).find((line) => line.name === "request").state, "skipped");
  strictEqual(server.requests.length, 2);
});

Deno.test("doctor goes on after a failed check and ends with exit code 1", async () => {
  await using home = await openHome("http://127.0.0.1:1/v1");
  await Deno.writeTextFile(`${home.path}/notes.txt`, "these are notes and not a database at all");
  const { code, stdout, stderr } = await home.run(["doctor", "--json", "--db", "notes.txt"]);
  strictEqual(code, 1);
  const states = jsonLines(stdout)
    .filter((line) => line.type === "check" && line.name !== "reach")
    .map((line) => [line.name, line.state]);
  deepStrictEqual(states, [
    ["endpoint", "ok"],
    ["model", "ok"],
    ["request", "failed"],
    ["sandbox", "ok"],
    ["process", "ok"],
    ["memory", "ok"],
    ["time", "ok"],
    ["database", "failed"],
    ["project", "ok"],
    ["AGENTS.md", "ok"],
    ["skills", "ok"],
    ["granted", "ok"],
  ]);
  const message = "2 checks failed: request, database.";
  deepStrictEqual(onlyResult(stdout).error, { type: "check", message });
  strictEqual(stderr, `agentloop: ${message}\n`);
  strictEqual(
    await Deno.readTextFile(`${home.path}/notes.txt`),
    "these are notes and not a database at all",
  );
});

Deno.test("doctor without a key says so and checks the rest", async () => {
  await using home = await openHome();
  const { code, stdout } = await home.run(["doctor"]);
  strictEqual(code, 1);
  match(stdout, /^endpoint {3}failed {3}No API key for https:\/\/api\.openai\.com\/v1\./);
  match(stdout, /\nrequest {4}skipped {2}there is nothing to ask\nsandbox {4}ok /);
});

Deno.test("a database of an older version is looked at by doctor without being changed, and brought up to date by what reads it", async () => {
  await using home = await openHome("http://127.0.0.1:9/v1");
  const path = `${home.path}/old.db`;
  writeSchema1(path);
  const before = await Deno.readFile(path);
  const { stdout } = await home.run(["doctor", "--offline", "--json", "--db", path]);
  const check = jsonLines(stdout).find((line) => line.name === "database");
  deepStrictEqual([check.state, check.schema], ["ok", 1]);
  match(check.detail, /schema 1, of an older version; the next run brings it up to date$/);
  deepStrictEqual(await Deno.readFile(path), before);
  strictEqual((await home.run(["sessions", "ls", "--db", path])).code, 0);
  notDeepStrictEqual(await Deno.readFile(path), before);
});
