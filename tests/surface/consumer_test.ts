import { equal, match } from "node:assert/strict";
import { join } from "node:path";
import { type ServerStep, startOpenAIServer } from "../fixtures/openai_server.ts";

/** A program that uses the package as if it came from the registry. Disposing removes it. */
interface Consumer extends AsyncDisposable {
  run(
    source: string,
    permissions?: readonly string[],
    env?: Record<string, string>,
  ): Promise<string>;
}

async function openConsumer(): Promise<Consumer> {
  const folder = await Deno.makeTempDir({ prefix: "consumer_" });
  const config = {
    links: [Deno.cwd()],
    imports: { "@agentloop/core": "jsr:@agentloop/core@^0.1.0" },
  };
  await Deno.writeTextFile(join(folder, "deno.json"), JSON.stringify(config));
  return {
    async run(source, permissions = [], env = {}) {
      await Deno.writeTextFile(join(folder, "main.ts"), source);
      const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
        args: ["run", "--no-prompt", ...permissions, "main.ts"],
        cwd: folder,
        env: { NO_COLOR: "1", ...env },
        stdin: "null",
      }).output();
      const decoder = new TextDecoder();
      equal(code, 0, decoder.decode(stderr));
      return decoder.decode(stdout);
    },
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}

/** The programs in the README, in their order. */
function readmePrograms(): string[] {
  const text = Deno.readTextFileSync("README.md");
  return [...text.matchAll(/^```ts\n([^]*?)^```$/gm)].map((found) => found[1] ?? "");
}

/** The one flag of the README's permission line that a program cannot guess: the names that are read. */
function readmeEnvironment(): string {
  const found = /--allow-env=\S+/.exec(Deno.readTextFileSync("README.md"));
  if (found === null) throw new Error("README.md names no environment variables to allow");
  return found[0];
}

async function runProgram(source: string, reply: ServerStep): Promise<string> {
  await using server = await startOpenAIServer({ replies: [reply] });
  await using consumer = await openConsumer();
  return await consumer.run(source, [
    "--allow-net=127.0.0.1",
    readmeEnvironment(),
    `--allow-run=${Deno.execPath()}`,
  ], { OPENAI_BASE_URL: server.baseUrl, OPENAI_CHAT_MODEL: "test-model" });
}

function script(source: string): string {
  return `\`\`\`javascript\n${source}\n\`\`\``;
}

Deno.test("consumer: imports the package under no permission", async () => {
  await using consumer = await openConsumer();
  const printed = await consumer.run(
    'import { createLoop } from "@agentloop/core"; console.log(typeof createLoop);',
    // Type-checked too, as the consumer's editor would.
    ["--check"],
  );
  equal(printed, "function\n");
});

Deno.test("consumer: the README's ten lines run a script of the model and print its answer", async () => {
  const [program = ""] = readmePrograms();
  match(program, /createLoop/);
  equal(program.trim().split("\n").filter((line) => line !== "").length <= 10, true);
  const printed = await runProgram(
    program,
    script("function run() { answer(String(12 * 7)); }"),
  );
  equal(printed, "completed 84\n");
});

Deno.test("consumer: the README's own function is called by a script", async () => {
  const [, program = ""] = readmePrograms();
  const printed = await runProgram(
    program,
    script('function run() { answer(`lamps: ${inStock("lamp")}`); }'),
  );
  equal(printed, "lamps: 7\n");
});

Deno.test("consumer: the example answers through its own function, when it is run as it stands", async () => {
  const program = Deno.readTextFileSync("examples/embed.ts");
  const printed = await runProgram(
    program,
    script('function run() { answer(listArticles().map(inStock).join(" ")); }'),
  );
  equal(printed, "7 12 3\n");
});
