import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { startOpenAIServer } from "../fixtures/openai_server.ts";
import { CLI, jsonLines, openHome, script } from "./cli_process.ts";

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

for (const words of [["say", "hi"], ["--version"], ["help"]]) {
  Deno.test(`what cannot be written is a failure: ${words.join(" ")}`, {
    ignore: Deno.build.os !== "linux",
  }, async () => {
    await using server = await startOpenAIServer({ otherwise: "hi" });
    await using home = await openHome(server.baseUrl);
    const { code, stderr } = await new Deno.Command("sh", {
      args: ["-c", '"$0" "$@" >/dev/full', Deno.execPath(), ...home.args(words)],
      clearEnv: true,
      env: home.env(),
      cwd: home.path,
      stderr: "piped",
    }).output();
    strictEqual(code, 1);
    match(
      new TextDecoder().decode(stderr),
      /(^|\n)agentloop: Cannot write to stdout: No space left on device \(os error 28\)\n$/,
    );
  });
}

Deno.test("a command that cannot be loaded shows no trace where its result cannot be written", {
  ignore: Deno.build.os !== "linux",
}, async () => {
  await using home = await openHome();
  const { code, stderr } = await new Deno.Command("sh", {
    args: ["-c", '"$0" run --no-prompt "$1" --json hi >/dev/full', Deno.execPath(), CLI],
    clearEnv: true,
    env: home.env(),
    cwd: home.path,
    stderr: "piped",
  }).output();
  strictEqual(code, 1);
  const lines = new TextDecoder().decode(stderr).trimEnd().split("\n");
  match(lines[0] ?? "", /^agentloop: The command cannot be loaded: /);
  strictEqual(
    lines.at(-1),
    "agentloop: Cannot write to stdout: No space left on device (os error 28)",
  );
});
