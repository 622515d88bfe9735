import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { startOpenAIServer } from "../fixtures/openai_server.ts";
import { jsonLines, onlyResult, openHome, script } from "./cli_process.ts";

Deno.test("--json writes every event as a line with snake_case names, the result last, and no prose anywhere", async () => {
  await using server = await startOpenAIServer({
    replies: [
      script('function run() { return { camelCase: "stays" }; }'),
      script("function run(args) { answer(args.camelCase); }"),
    ],
  });
  await using home = await openHome(server.baseUrl);
  const { code, stdout, stderr } = await home.run(["--json", "--session", "s1", "go"]);
  strictEqual(code, 0);
  strictEqual(stderr, "");
  const lines = jsonLines(stdout);
  for (const line of lines) {
    const own = Object.keys(line).filter((key) => key !== "args");
    deepStrictEqual(own.filter((key) => /[A-Z]/.test(key)), []);
    strictEqual(line.session_id, "s1");
    match(line.run_id, /^[0-9a-f-]{36}$/);
  }
  const types = lines.map((line) => line.type).filter((type) =>
    !type.startsWith("response_") && type !== "sandbox_event"
  );
  deepStrictEqual(types, [
    "user",
    "turn_start",
    "execute_js",
    "execute_js_result",
    "data_update",
    "turn_start",
    "execute_js",
    "execute_js_result",
    "response",
    "done",
    "result",
  ]);
  const executed = lines.find((line) => line.type === "execute_js_result");
  ok(executed.duration_ms >= 0);
  deepStrictEqual(executed.tokens, { prompt: 10, completion: 5 });
  deepStrictEqual(lines.find((line) => line.type === "data_update").args, { camelCase: "stays" });
  const done = lines.find((line) => line.type === "done");
  strictEqual(done.summary.session_id, "s1");
  strictEqual(done.summary.status, "completed");
});

Deno.test("the result line has the same keys however a command ends", async () => {
  await using server = await startOpenAIServer({ replies: ["fine"] });
  await using home = await openHome(server.baseUrl);
  const completed = onlyResult((await home.run(["--json", "go"])).stdout);
  const refused = onlyResult((await home.run(["--json", "--nonsense"])).stdout);
  deepStrictEqual(Object.keys(refused), Object.keys(completed));
  strictEqual(completed.text, "fine");
  strictEqual(completed.error, null);
  strictEqual(completed.exit_code, 0);
  deepStrictEqual(completed.tokens, { prompt: 10, completion: 5 });
});

Deno.test("a model that cannot be reached ends in a result line that says so", async () => {
  await using home = await openHome("http://127.0.0.1:1/v1");
  const { code, stdout, stderr } = await home.run(["--json", "go"]);
  strictEqual(code, 1);
  const result = onlyResult(stdout);
  strictEqual(result.status, "error");
  strictEqual(result.error.type, "model_connection");
  match(result.error.message, /127\.0\.0\.1:1/);
  strictEqual(stderr.split("\n")[0], `agentloop: ${result.error.message}`);
});
