import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { startOpenAIServer } from "../fixtures/openai_server.ts";
import { jsonLines, openHome, script } from "./cli_process.ts";

Deno.test("a reader that goes away ends the run without a word", async () => {
  const left = Promise.withResolvers<void>();
  await using server = await startOpenAIServer({
    replies: [
      script("function run() { return 1; }"),
      { until: left.promise, text: script("function run() { sleep(60000); }") },
    ],
  });
  await using home = await openHome(server.baseUrl);
  await using child = home.start(["--json", "--session", "s", "go"]);
  const reader = child.stdout.getReader();
  const decoder = new TextDecoder();
  for (let seen = ""; !seen.includes('"turn":2');) {
    seen += decoder.decode((await reader.read()).value, { stream: true });
  }
  await reader.cancel();
  left.resolve();
  const [{ code }, stderr] = await Promise.all([child.status, new Response(child.stderr).text()]);
  strictEqual(code, 141);
  strictEqual(stderr, "");
  const lines = jsonLines((await home.run(["sessions", "ls", "--json"])).stdout);
  deepStrictEqual(lines.map((line) => line.status), ["error", "completed"]);
});

Deno.test("an answer that cannot be written is a failure", {
  ignore: Deno.build.os !== "linux",
}, async () => {
  await using server = await startOpenAIServer({ replies: ["hi"] });
  await using home = await openHome(server.baseUrl);
  const { code, stderr } = await new Deno.Command("sh", {
    args: ["-c", '"$0" "$@" >/dev/full', Deno.execPath(), ...home.args(["say", "hi"])],
    clearEnv: true,
    env: home.env(),
    cwd: home.path,
    stderr: "piped",
  }).output();
  strictEqual(code, 1);
  match(new TextDecoder().decode(stderr), /agentloop: Cannot write to stdout: No space left/);
});
