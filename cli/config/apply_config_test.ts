import { deepEqual, equal, rejects } from "node:assert/strict";
import { parseCommandLine } from "../arguments.ts";
import { OPTIONS } from "../option_table.ts";
import { OPTION_USES } from "../option_use.ts";
import { applyConfig, needsTrust } from "./apply_config.ts";
import { readConfig } from "./read_config.ts";

function fileOf(content: string) {
  const bytes = new TextEncoder().encode(content);
  return { path: "/p/.agentloop/config.json", project: "/p", root: "/p", bytes };
}

/** What an invocation with this file gets, flags that are not set left out. */
async function applied(content: string, ...args: string[]) {
  const { options } = await applyConfig(parseCommandLine(args), fileOf(content));
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== false));
}

Deno.test("config: the command line beats the file", async () => {
  const file = '{ "maxSteps": 3, "noNetwork": true, "maxTokens": 9 }';
  deepEqual(await applied(file, "hi"), { maxSteps: 3, noNetwork: true, maxTokens: 9 });
  deepEqual(await applied(file, "hi", "--max-steps", "50"), {
    maxSteps: 50,
    noNetwork: true,
    maxTokens: 9,
  });
});

Deno.test("config: what the command line excludes is dropped from the file, and nothing clashes", async () => {
  deepEqual(await applied('{ "allowExec": ["git"], "maxSteps": 2 }', "hi", "--no-exec"), {
    noExec: true,
    maxSteps: 2,
  });
  deepEqual(await applied('{ "noNetwork": true }', "hi", "--allow-net", "a.example"), {
    allowNet: ["a.example"],
  });
  deepEqual(await applied('{ "verbose": true }', "hi", "--quiet"), { quiet: true });
  deepEqual(await applied('{ "ephemeral": true }', "hi", "--continue"), { continue: true });
});

Deno.test("config: a command takes from the file what it takes from the line", async () => {
  const file = '{ "maxSteps": 3, "approve": "auto", "quiet": true, "contextWindow": 8192 }';
  deepEqual(await applied(file, "sessions", "ls"), { quiet: true });
  deepEqual(await applied(file, "sessions", "compact", "x"), { quiet: true, contextWindow: 8192 });
});

Deno.test("config: what widens needs trust, what narrows does not", async () => {
  const asked = async (content: string) =>
    (await readConfig(fileOf(content))).filter(needsTrust).map(({ key }) => key);
  deepEqual(
    await asked(`{
      "maxSteps": 20, "timeout": "5m", "historyWindow": 80, "maxTokens": 1, "maxCost": 9,
      "contextWindow": 8192, "noExec": true, "noNetwork": true, "noCompact": true, "quiet": true,
      "approve": "deny", "allowExec": [], "dangerouslyAllowShell": false, "ephemeral": false
    }`),
    [],
  );
  const widening = {
    maxSteps: 21,
    timeout: "301s",
    historyWindow: 81,
    approve: "auto",
    allowExec: ["git"],
    allowNet: ["a.example"],
    allowPrivateNet: ["127.0.0.1:1"],
    dangerouslyAllowShell: true,
    secret: ["OPENAI_API_KEY"],
    baseUrl: "http://127.0.0.1:1/v1",
    model: "m",
    pricePrompt: 0,
    priceCompletion: 0,
    db: "x.db",
    system: "s",
    context: "@c",
    cwd: "..",
  };
  deepEqual(await asked(JSON.stringify(widening)), Object.keys(widening));
  deepEqual(await asked('{ "ephemeral": true }'), ["ephemeral"]);
  await rejects(
    applyConfig(parseCommandLine(["hi"]), fileOf('{ "model": "m", "db": "x" }')),
    {
      message: "/p/.agentloop/config.json is not trusted, and sets what needs trust: model, db",
      hint: "agentloop trust shows what it says and asks; --no-config leaves the file out.",
    },
  );
});

Deno.test("config: a file that wants questions asked changes nothing, and fails nowhere", async () => {
  deepEqual(await applied('{ "approve": "prompt" }', "hi"), {});
  deepEqual(await applied('{ "approve": "deny" }', "hi"), { approve: "deny" });
});

Deno.test("config: every option of the table is decided on", () => {
  deepEqual(OPTIONS.map(({ field }) => field).sort(), Object.keys(OPTION_USES).sort());
  // A file that answers for the person, or chooses what one line is about, would be a surprise whatever else it says.
  const refused = Object.entries(OPTION_USES).filter(([, { inFile }]) => inFile === "refused");
  for (const field of ["yes", "noConfig", "session", "continue", "json", "help", "version"]) {
    equal(refused.some(([name]) => name === field), true, field);
  }
});
