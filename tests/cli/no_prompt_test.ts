import { deepStrictEqual, doesNotMatch, match, strictEqual } from "node:assert/strict";
import { startOpenAIServer } from "../fixtures/openai_server.ts";
import { onlyResult, openHome, script } from "./cli_process.ts";
import { HAS_TERMINAL, openTerminal } from "./terminal.ts";

Deno.test(
  "DEN-02: at a terminal no permission prompt appears, and a script that is stopped on time takes nothing with it",
  {
    ignore: !HAS_TERMINAL,
  },
  async () => {
    await using server = await startOpenAIServer({
      replies: [
        script(
          'function run() { try { log(Deno.env.get("HOME")); } catch (e) { log(e.message); } }',
        ),
        script("function run() { for (;;); }"),
      ],
    });
    await using home = await openHome(server.baseUrl);
    await using terminal = openTerminal(home, ["--timeout", "3s", "look around"]);
    await terminal.until(/turn 1 {2}script of 1 line: ok,.*'?Deno'? is not defined/);
    strictEqual(await terminal.ended(), 1);
    match(terminal.shown, /No answer within 3\.0 s \(--timeout\)/);
    doesNotMatch(terminal.shown, /Allow\?|permission|panic/i);
  },
);

Deno.test("without permissions the command says how to start it, with every key of a result where that was asked for", async () => {
  await using home = await openHome();
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-lock", "--no-prompt", ...home.args(["--json", "hi"]).slice(3)],
    clearEnv: true,
    env: home.env({ OPENAI_API_KEY: "k" }),
    cwd: home.path,
  }).output();
  strictEqual(code, 1);
  match(new TextDecoder().decode(stderr), /Start the command with: deno run -A/);
  const result = onlyResult(new TextDecoder().decode(stdout));
  strictEqual(result.error.type, "permission");
  const usual = onlyResult((await home.run(["--json", "--nonsense"])).stdout);
  deepStrictEqual(Object.keys(result), Object.keys(usual));
});
