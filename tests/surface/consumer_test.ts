import { deepEqual, equal, match } from "node:assert/strict";
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
        // One that hangs is ended, and has failed.
        signal: AbortSignal.timeout(60_000),
      }).output();
      const decoder = new TextDecoder();
      equal(code, 0, decoder.decode(stderr));
      return decoder.decode(stdout);
    },
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}

/** The README's program that has this in it, and the only one. */
function readmeProgram(sign: string): string {
  const text = Deno.readTextFileSync("README.md");
  const programs = [...text.matchAll(/^```ts\n([^]*?)^```$/gm)].map((found) => found[1] ?? "");
  const found = programs.filter((program) => program.includes(sign));
  equal(found.length, 1, `programs of the README with ${sign}`);
  return found[0] ?? "";
}

/** The one flag of the README's permission line that a program cannot guess: the names that are read. */
function readmeEnvironment(): string {
  const found = /--allow-env=\S+/.exec(Deno.readTextFileSync("README.md"));
  if (found === null) throw new Error("README.md names no environment variables to allow");
  return found[0];
}

const START_GUESTS = `--allow-run=${Deno.execPath()}`;

async function runProgram(
  source: string,
  reply: ServerStep,
  permissions: readonly string[] = [START_GUESTS],
): Promise<string> {
  await using server = await startOpenAIServer({ replies: [reply] });
  await using consumer = await openConsumer();
  return await consumer.run(
    source,
    ["--allow-net=127.0.0.1", readmeEnvironment(), ...permissions],
    {
      OPENAI_API_KEY: KEY,
      OPENAI_BASE_URL: server.baseUrl,
      OPENAI_CHAT_MODEL: "test-model",
    },
  );
}

const KEY = "sk-test-ABCDEFGH12345678";

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
  const program = readmeProgram("result.status");
  equal(program.trim().split("\n").filter((line) => line !== "").length <= 10, true);
  const printed = await runProgram(
    program,
    script("function run() { answer(String(12 * 7)); }"),
  );
  equal(printed, "completed 84\n");
});

Deno.test("consumer: the README's own function is called by a script", async () => {
  const printed = await runProgram(
    readmeProgram("inStock"),
    script('function run() { answer(`lamps: ${inStock("lamp")}`); }'),
  );
  equal(printed, "lamps: 7\n");
});

Deno.test("consumer: the README's tool is called by a script, and refuses what does not fit", async () => {
  const printed = await runProgram(
    readmeProgram("defineTool"),
    script(`function run() {
      try { get_weather({ city: 5 }); } catch (error) {
        answer(error.message + " " + get_weather({ city: "Oslo", days: 2 }).degrees);
      }
    }`),
  );
  equal(
    printed,
    "the arguments of get-weather do not fit: $.city: expected string, got 5 (number) 21,21\n",
  );
});

Deno.test("consumer: the README's gate refuses, asks, redacts and writes down", async () => {
  // The host is not 127.0.0.1:8080, the function does not ask a model, and nobody sits at the terminal.
  const source = `function run() {
    const errors = [];
    for (const url of ["http://127.0.0.1:1/", "https://example.net/"]) {
      try { fetch(url); } catch (error) { errors.push(error.message); }
    }
    answer([htmlToMarkdown("<h1>${KEY}</h1>").trim(), ...errors].join("\\n"));
  }`;
  const printed = await runProgram(readmeProgram("approve:"), script(source), [
    START_GUESTS,
    "--allow-read=.",
    "--allow-write=.",
  ]);
  const [heading, here, there, ...calls] = printed.trim().split("\n");
  equal(heading, "# [redacted]");
  match(here ?? "", /private network; allowPrivateHosts: \["127\.0\.0\.1:1"\] lets it pass/);
  match(there ?? "", /the user said no/);
  deepEqual(calls, [
    "fetch 127.0.0.1 refused",
    "fetch example.net refused",
    "htmlToMarkdown undefined ok",
  ]);
});

Deno.test("consumer: the README's inline program starts no process, and ends", async () => {
  const printed = await runProgram(
    readmeProgram("createInlineHost"),
    script("function run() { answer(12 * 7); }"),
    [],
  );
  equal(printed, "84\n");
});

for (const sign of ["result.status", "createInlineHost"]) {
  Deno.test(`consumer: a program that disposes nothing still ends (the README's with ${sign})`, async () => {
    const forgetful = readmeProgram(sign).replaceAll("await using", "const");
    const printed = await runProgram(forgetful, script("function run() { answer(12 * 7); }"));
    match(printed, /84\n$/);
  });
}

Deno.test("consumer: the example answers through its own function, when it is run as it stands", async () => {
  const program = Deno.readTextFileSync("examples/embed.ts");
  const printed = await runProgram(
    program,
    script('function run() { answer(listArticles().map(inStock).join(" ")); }'),
  );
  equal(printed, "7 12 3\n");
});
