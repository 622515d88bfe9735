/** The command as `deno install --global` sets it up: with a configuration of its own, and not the checkout's. */
import { match, strictEqual } from "node:assert/strict";
import { dirname, join } from "node:path";
import { startOpenAIServer } from "../fixtures/openai_server.ts";

async function run(
  path: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { code, stdout, stderr } = await new Deno.Command(path, {
    args: [...args],
    env: { NO_COLOR: "1", ...env },
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  strictEqual(code, 0, decoder.decode(stderr));
  return decoder.decode(stdout);
}

Deno.test("installed: the command answers a message with a script of the model, as README says", async () => {
  await using server = await startOpenAIServer({
    replies: ["```javascript\nfunction run() { answer(6 * 7); }\n```"],
  });
  const root = await Deno.makeTempDir({ prefix: "installed_" });
  try {
    const [, line = ""] = /`deno (install --global [^`]*)`/.exec(
      Deno.readTextFileSync("README.md"),
    ) ?? [];
    match(line, /cli\.ts/);
    await run(Deno.execPath(), [...line.split(" "), "--root", root]);
    // What is installed calls the runtime by its name.
    const printed = await run("sh", [join(root, "bin", "agentloop"), "what is 6 * 7?"], {
      PATH: `${dirname(Deno.execPath())}:${Deno.env.get("PATH") ?? ""}`,
      XDG_DATA_HOME: root,
      OPENAI_BASE_URL: server.baseUrl,
      OPENAI_CHAT_MODEL: "test-model",
    });
    strictEqual(printed, "42\n");
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});
