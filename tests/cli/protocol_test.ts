/** How scripts come to the command: as blocks, or as calls of one tool. */
import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { startOpenAIServer } from "../fixtures/openai_server.ts";
import { openHome } from "./cli_process.ts";

const CODE = 'function run() { log(glob("*.txt")); answer("one file"); }';
const CALL = {
  toolCalls: [{
    id: "c1",
    type: "function",
    function: { name: "run_javascript", arguments: JSON.stringify({ code: CODE }) },
  }],
};

Deno.test("--protocol code-tool: the script of a call runs, and the answer is printed", async () => {
  await using server = await startOpenAIServer({ replies: [CALL] });
  await using home = await openHome(server.baseUrl);
  const { code, stdout, stderr } = await home.run([
    "--protocol",
    "code-tool",
    "--session",
    "s",
    "go",
  ]);
  strictEqual(code, 0, stderr);
  strictEqual(stdout, "one file\n");
  const body = server.requests[0]?.body as { tools: { function: { name: string } }[] };
  deepStrictEqual(body.tools.map((tool) => tool.function.name), ["run_javascript"]);
  const trace = await home.run(["sessions", "show", "s"]);
  match(trace.stdout, /execute_js[^]*glob/);
});

Deno.test("--protocol auto: changes when the model does not keep the form, and says so", async () => {
  const wrong = "```python\nanswer(1)\n```";
  await using server = await startOpenAIServer({ replies: [wrong, wrong, CALL] });
  await using home = await openHome(server.baseUrl);
  const { code, stdout, stderr } = await home.run(["--protocol", "auto", "go"]);
  strictEqual(code, 0, stderr);
  strictEqual(stdout, "one file\n");
  match(stderr, /does not keep the form of scripts after a reminder/);
});

Deno.test("--protocol takes no other word", async () => {
  await using home = await openHome("http://127.0.0.1:1/v1");
  const { code, stderr } = await home.run(["--protocol", "python", "go"]);
  strictEqual(code, 3);
  match(stderr, /--protocol takes code, code-tool, auto or tools, not "python"/);
});
