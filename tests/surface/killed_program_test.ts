/** A program that is killed in the middle of a call out of a script, and another process that goes on with its session. */
import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import type { CompletionRequest } from "../../contracts/model.ts";
import { scriptedClient } from "../../llm/scripted.ts";
import { createLoop } from "../../loop/create_loop.ts";
import { DefaultSandboxBuilder } from "../../sandbox/default_builder.ts";
import { openSqliteStore } from "../../stores/sqlite/mod.ts";
import { StoreFolder } from "../fixtures/store_folder.ts";

function script(source: string): string {
  return `\`\`\`javascript\n${source}\n\`\`\``;
}

/** Pays once and never hears whether it was paid: the function prints a line and does not return. */
function payingProgram(path: string): string {
  const replies = [
    script('function run() { log("looked up"); return { owed: 7 }; }'),
    script("function run(args) { pay(args.owed); answer('paid'); }"),
  ];
  const at = (file: string) => JSON.stringify(import.meta.resolve(`../../${file}`));
  return `
    import { createLoop, DefaultPolicy, DefaultSandboxBuilder } from ${at("mod.ts")};
    import { openSqliteStore } from ${at("stores/sqlite/mod.ts")};
    import { scriptedClient } from ${at("testing.ts")};
    const store = openSqliteStore(${JSON.stringify(path)});
    const pay = {
      name: "pay",
      description: "Pays",
      build: () => [{
        name: "pay",
        prompt: "declare function pay(amount: number): void;",
        functions: [{ name: "pay", execute: () => {
          console.log("paying");
          return new Promise(() => setInterval(() => {}, 1000));
        } }],
      }],
    };
    const loop = createLoop({
      llm: scriptedClient(${JSON.stringify(replies)}),
      sessions: store,
      steps: store,
      calls: store,
      sandboxBuilder: new DefaultSandboxBuilder({ capabilities: [pay] }),
      policy: new DefaultPolicy(),
    });
    await loop.run({ sessionId: "s", message: "Pay what is owed." });
  `;
}

async function killWhilePaying(folder: StoreFolder, path: string): Promise<void> {
  const main = `${folder.path}/main.ts`;
  await Deno.writeTextFile(main, payingProgram(path));
  await using child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-prompt",
      "--no-lock",
      `--allow-read=${folder.path}`,
      `--allow-write=${folder.path}`,
      `--allow-run=${Deno.execPath()}`,
      "--allow-env=DENO_DIR,HOME,XDG_CACHE_HOME",
      main,
    ],
    env: { NO_COLOR: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    if (text.includes("paying")) child.kill("SIGKILL");
  }
  strictEqual((await child.status).signal, "SIGKILL");
}

Deno.test("a program that is killed during a call of a script leaves its trace, and another process goes on with the session", async () => {
  using folder = new StoreFolder();
  const path = `${folder.path}/store.db`;
  await killWhilePaying(folder, path);
  await using store = openSqliteStore(path);

  const steps = await store.lastN("s", Infinity);
  deepStrictEqual(
    steps.map((step) => step.stepType),
    ["user", "execute_js", "execute_js_result", "execute_js"],
  );
  strictEqual((await store.get("s")).data, '{"owed":7}');
  const calls = await store.calls("s");
  deepStrictEqual(
    calls.map(({ name, argsJson, decision, outcome }) => ({ name, argsJson, decision, outcome })),
    [{ name: "pay", argsJson: "[7]", decision: "allowed", outcome: undefined }],
  );

  let asked: CompletionRequest | undefined;
  using llm = scriptedClient([
    (request) => {
      asked = request;
      return script("function run(args) { answer(`still owed: ${args.owed}`); }");
    },
  ]);
  await using sandboxBuilder = new DefaultSandboxBuilder();
  const loop = createLoop({ llm, sessions: store, steps: store, calls: store, sandboxBuilder });
  const result = await loop.run({ sessionId: "s", message: "Was it paid?" });
  strictEqual(result.status, "completed", result.error?.message);
  strictEqual(result.finalText, "still owed: 7");
  const told = JSON.stringify(asked?.messages);
  match(told, /pay\(args\.owed\)/);
  match(told, /The run ended before this script's result was kept/);
});
