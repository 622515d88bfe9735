import { match, strictEqual } from "node:assert/strict";
import { startOpenAIServer } from "../fixtures/openai_server.ts";
import { onlyResult, openHome, script } from "./cli_process.ts";

Deno.test("the key is in nothing that is shown or stored, however it comes in", async () => {
  const key = "sk-test-ABCDEFGH12345678";
  const half = key.slice(0, 11);
  await using server = await startOpenAIServer({
    replies: [
      script(
        `function run() { log("key:", "${half}" + "${key.slice(11)}"); return { key: "${key}" }; }`,
      ),
      script("function run(args) { answer(`It is ${args.key}.`); }"),
      { status: 400, json: { error: { message: `bad key ${key}` } } },
    ],
  });
  await using home = await openHome(server.baseUrl);
  const env = { OPENAI_API_KEY: key };
  const first = await home.run(["--json", "--session", "s", `my key is ${key}`], { env });
  strictEqual(first.code, 0);
  strictEqual(onlyResult(first.stdout).text, "It is [redacted].");
  const outputs = [
    first,
    await home.run(["-v", "--session", "s", "again"], { env }),
    await home.run(["sessions", "show", "s"], { env }),
    await home.run(["sessions", "show", "s", "--json"], { env }),
    await home.run(["sessions", "ls"], { env }),
    await home.run(["doctor", "--offline"], { env }),
  ];
  for (const { stdout, stderr } of outputs) {
    strictEqual(`${stdout}${stderr}`.includes(key), false, stdout);
  }
  // What scripts hand on stays whole, and so it is in the database; the trace is not.
  const trace = await home.run(["sessions", "show", "s"], { env: { OPENAI_API_KEY: "" } });
  strictEqual(trace.stdout.split(key).length - 1, 1);
  match(trace.stdout, /carries .*sk-test-ABCDEFGH12345678/);
});

Deno.test("RED-03: a key in the address is in no message, no cause and no stack, and in no way to go on", async () => {
  await using home = await openHome();
  const baseUrl = "http://me:pass-word-1@127.0.0.1:1/v1?key=AIzaTEST123456789";
  const env = { AGENTLOOP_DEBUG: "1", OPENAI_API_KEY: "sk-test-ABCDEFGH12345678" };
  for (
    const args of [
      ["-v", "--base-url", baseUrl, "--model", "m", "go"],
      ["--json", "--base-url", baseUrl, "--session", "s", "go"],
      ["sessions", "compact", "s", "--base-url", baseUrl],
      ["doctor", "--base-url", baseUrl],
    ]
  ) {
    const { code, stdout, stderr } = await home.run(args, { env });
    strictEqual(code, 1);
    match(`${stdout}${stderr}`, /127\.0\.0\.1:1/);
    for (const secret of ["pass-word-1", "AIzaTEST123456789", "sk-test-ABCDEFGH12345678"]) {
      strictEqual(`${stdout}${stderr}`.includes(secret), false, `${args}: ${stdout}${stderr}`);
    }
  }
});
