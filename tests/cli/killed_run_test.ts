import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { startOpenAIServer } from "../fixtures/openai_server.ts";
import { jsonLines, openHome, script } from "./cli_process.ts";

Deno.test("a run that is killed in the middle of a script leaves a readable trace, and another process goes on with the session", async () => {
  await using server = await startOpenAIServer({
    replies: [
      script('function run() { log("first step"); return { kept: 7 }; }'),
      script("function run() { for (;;); }"),
      script("function run(args) { answer(args.kept); }"),
    ],
  });
  await using home = await openHome(server.baseUrl);
  {
    await using child = home.start(["--json", "--session", "s", "a long job"]);
    let seen = "";
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
      seen += text;
      if (seen.split('"type":"execute_js"').length === 3) child.kill("SIGKILL");
    }
    await child.stderr.cancel();
    strictEqual((await child.status).signal, "SIGKILL");
  }
  const shown = jsonLines((await home.run(["sessions", "show", "s", "--json"])).stdout);
  strictEqual(shown[0].status, null);
  deepStrictEqual(shown[0].data, { kept: 7 });
  deepStrictEqual(
    shown.filter((line) => line.type === "step").map((line) => line.step_type),
    ["user", "execute_js", "execute_js_result", "execute_js"],
  );
  match((await home.run(["sessions", "show", "s"])).stdout, /\nlast run {3}has not ended\n/);

  const { code, stdout } = await home.run(["--session", "s", "go on"]);
  strictEqual(code, 0);
  strictEqual(stdout, "7\n");
  match(
    JSON.stringify(server.requests[2]?.body),
    /The run ended before this script's result was kept/,
  );
});
