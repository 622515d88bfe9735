/** Tools of a module of the user's own, and the memory beyond sessions: in scripts and by name. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { startOpenAIServer, wireCall } from "../fixtures/openai_server.ts";
import { type Home, onlyResult, openHome } from "./cli_process.ts";

/** Tools as people write them: nothing is imported. */
const MODULE = `export default [
  {
    name: "find-lamp",
    description: "Looks a lamp up",
    parameters: { type: "object", properties: { colour: { type: "string" } }, required: ["colour"] },
    execute: ({ colour }) => ({ id: "lamp-" + colour, price: 12 }),
  },
  {
    name: "sell",
    description: "Sells one",
    parameters: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
    sideEffect: true,
    target: ({ id }) => id,
    execute: ({ id }) => {
      Deno.writeTextFileSync("sold.txt", id);
      return "sold";
    },
  },
];
`;

async function writeModule(home: Home, source: string, name = "tools.js"): Promise<string> {
  const path = join(home.path, name);
  await Deno.writeTextFile(path, source);
  return path;
}

function block(body: string): string {
  return "```javascript\nfunction run() { " + body + " }\n```";
}

function called(id: string, name: string, args: object) {
  return { toolCalls: [wireCall({ id, name, args: JSON.stringify(args) })] };
}

function bodyOf(request: { readonly body: unknown } | undefined) {
  return request?.body as {
    tools?: { function: { name: string } }[];
    messages: { role: string; content: string }[];
  };
}

Deno.test("--tools FILE: its tools are typed functions of scripts, checked, and asked about where they have consequences", async () => {
  const script = `log(find_lamp({ colour: "red" }));
    try { find_lamp({ colour: 5 }) } catch (error) { log(error.message) }
    try { sell({ id: "lamp-red" }) } catch (error) { answer(error.message) }`;
  for (const protocol of ["code", "code-tool"]) {
    const reply = protocol === "code"
      ? block(script)
      : called("c", "run_javascript", { code: `function run() { ${script} }` });
    await using server = await startOpenAIServer({ replies: [reply] });
    await using home = await openHome(server.baseUrl);
    await writeModule(home, MODULE);
    const args = ["--tools", "tools.js", "--protocol", protocol, "--session", "s", "go"];
    const { code, stdout, stderr } = await home.run(args);
    strictEqual(code, 0, stderr);
    match(stdout, /sell \(lamp-red\) is refused: .*it has consequences outside; --approve auto/);
    match(
      bodyOf(server.requests[0]).messages[0]!.content,
      /declare function find_lamp\(args: \{ colour: string/,
    );
    const shown = await home.run(["sessions", "show", "s"]);
    match(shown.stdout, /lamp-red.*12/);
    match(shown.stdout, /\$\.colour: expected string, got 5 \(number\)/);
    const calls = await home.run(["sessions", "calls", "s"]);
    match(calls.stdout, /find_lamp[^]*find_lamp[^]*sell/);
  }
});

Deno.test("--protocol tools: the model calls the tools of FILE by name, and gets nothing else", async () => {
  await using server = await startOpenAIServer({
    replies: [
      called("a", "find-lamp", { colour: "red" }),
      called("b", "sell", { id: "lamp-red" }),
      "Sold.",
    ],
  });
  await using home = await openHome(server.baseUrl);
  await writeModule(home, MODULE.replace("export default", "export const tools ="), "my tools.ts");
  const args = ["--tools=my tools.ts", "--protocol", "tools", "--approve", "auto", "--json", "go"];
  const { code, stdout, stderr } = await home.run(args);
  strictEqual(code, 0, stderr);
  strictEqual(onlyResult(stdout).text, "Sold.");
  const [first, second] = server.requests.map(bodyOf);
  deepStrictEqual(first!.tools!.map((tool) => tool.function.name), ["find-lamp", "sell"]);
  strictEqual(second!.messages.at(-1)!.content, '{"id":"lamp-red","price":12}');
  strictEqual(await Deno.readTextFile(join(home.path, "sold.txt")), "lamp-red");
});

Deno.test("--tools: a tool that defineTool made is taken as it is, with its own check", async () => {
  await using server = await startOpenAIServer({
    replies: [called("a", "twice", { n: "4" }), "8."],
  });
  await using home = await openHome(server.baseUrl);
  const api = new URL("../../tools/mod.ts", import.meta.url).href;
  await writeModule(
    home,
    `import { defineTool } from ${JSON.stringify(api)};
const numbers = { "~standard": { version: 1, vendor: "x", validate: ({ n }) => ({ value: { n: Number(n) } }),
  jsonSchema: { input: () => ({ type: "object", properties: { n: {} } }), output: () => ({ type: "object" }) } } };
export default [defineTool({ name: "twice", description: "d", parameters: numbers,
  jsonSchema: { type: "object", properties: { n: { format: "of-its-own", "x-kind": 1 } } }, execute: ({ n }) => n * 2 })];`,
  );
  const { code, stderr } = await home.run(["--tools", "tools.js", "--protocol", "tools", "go"]);
  strictEqual(code, 0, stderr);
  strictEqual(bodyOf(server.requests[1]).messages.at(-1)!.content, "8");
});

Deno.test("--tools: what cannot be used is wrong use, told with its reason, before anything is asked or stored", async () => {
  await using home = await openHome("http://127.0.0.1:1/v1");
  const tool = (name: string, more = "") =>
    `{ name: "${name}", description: "d", parameters: { type: "object" }, execute() {}, ${more} }`;
  const wrong: readonly [string, RegExp][] = [
    ["export const lamp = 1;", /it has no list of tools; export one as default, or as tools/],
    ["export default [];", /it has no list of tools/],
    ["export default [", /it cannot be loaded: /],
    ['throw new Error("no\\u001b[31m luck");', /it cannot be loaded: no\S* luck/],
    ['import "nowhere";', /it cannot be loaded: .*nowhere" not a dependency[^\n]*tools\.js"\n/],
    ["export default [5];", /entry 0 of its list is no tool/],
    [`export default [${tool("a b")}];`, /"a b" is no name of a tool/],
    [`export default [${tool("a")}, ${tool("a")}];`, /there are two tools named "a"/],
    [`export default [${tool("a-b")}, ${tool("a_b")}];`, /are both a_b in scripts/],
    [`export default [${tool("delete")}];`, /scripts need the word delete/],
    [
      `export default [{ name: "a", description: "d", parameters: { type: "text" }, execute() {} }];`,
      /parameters of a/,
    ],
  ];
  for (const [source, reason] of wrong) {
    await writeModule(home, source);
    const { code, stdout, stderr } = await home.run(["--tools", "tools.js", "go"]);
    strictEqual(code, 3, `${source}: ${stderr}`);
    strictEqual(stdout, "");
    match(stderr, /^agentloop: --tools tools\.js: /);
    match(stderr, reason);
    ok(!stderr.includes("\x1b"), stderr);
    ok(!/\n\s+at /.test(stderr), stderr);
  }
  for (
    const [file, reason] of [["none.js", /there is no such file/], [".", /it is no file/]] as const
  ) {
    const { code, stderr } = await home.run(["--tools", file, "go"]);
    strictEqual(code, 3);
    match(stderr, reason);
  }
  ok(
    ![...Deno.readDirSync(home.path)].some(({ name }) => name === ".local"),
    "a database was made",
  );
});

Deno.test("--tools: a tool that is named like a function of scripts ends the run with a word on both", async () => {
  await using server = await startOpenAIServer({ otherwise: "never asked" });
  await using home = await openHome(server.baseUrl);
  await writeModule(home, MODULE.replace("find-lamp", "glob"));
  const { code, stderr } = await home.run(["--tools", "tools.js", "go"]);
  strictEqual(code, 1);
  match(
    stderr,
    /Two packs claim the function "glob": "workspace" and "own-tools"\. Give one of them another name\./,
  );
  strictEqual(server.requests.length, 0);
});

Deno.test("--protocol tools without tools is wrong use, and names the way out", async () => {
  await using home = await openHome("http://127.0.0.1:1/v1");
  const { code, stderr } = await home.run(["--protocol", "tools", "go"]);
  strictEqual(code, 3);
  match(stderr, /--protocol tools needs tools: --tools FILE .* --memory/);
  const unkept = await home.run(["--protocol", "tools", "--assistant", "--ephemeral", "go"]);
  strictEqual(unkept.code, 3);
  match(unkept.stderr, /where the session is kept, --assistant bring their own/);
});

Deno.test("a config file cannot name a module, and has to be trusted to switch the memory on", async () => {
  await using home = await openHome("http://127.0.0.1:1/v1");
  await writeModule(home, 'Deno.writeTextFileSync("ran.txt", "");');
  await Deno.mkdir(join(home.path, ".agentloop"));
  const config = join(home.path, ".agentloop", "config.json");
  await Deno.writeTextFile(config, '{ "tools": "tools.js" }');
  const first = await home.run(["go"]);
  strictEqual(first.code, 3);
  match(first.stderr, /"tools".*what it names is run with all that the command may do/);
  await Deno.writeTextFile(config, '{ "memory": true }');
  const second = await home.run(["go"]);
  strictEqual(second.code, 3);
  match(second.stderr, /is not trusted, and sets what needs trust: memory/);
  ok(![...Deno.readDirSync(home.path)].some(({ name }) => name === "ran.txt"));
});

Deno.test("--memory: a fact of one session is found in another, in scripts and by name, and forgotten", async () => {
  await using server = await startOpenAIServer({
    replies: [
      block('answer(remember("Ada drinks tea"))'),
      "NONE",
      called("r", "recall", { query: "tea" }),
      "She drinks tea.",
      "- Ada lives in Oslo",
      block('answer(recall("").map(({ text }) => text))'),
      "NONE",
      block("answer(typeof recall)"),
    ],
  });
  await using home = await openHome(server.baseUrl);
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await home.run(args);
    strictEqual(code, 0, stderr);
    return stdout;
  };
  await run("--memory", "--approve", "auto", "I am Ada, and I drink tea");
  strictEqual(
    await run("--memory", "--protocol", "tools", "What do I drink?"),
    "She drinks tea.\n",
  );
  const told = bodyOf(server.requests[3]).messages.at(-1)!.content;
  match(told, /"text":"Ada drinks tea"/);
  deepStrictEqual(JSON.parse(await run("--memory", "What do you know?")), [
    "Ada lives in Oslo",
    "Ada drinks tea",
  ]);
  strictEqual(await run("And without?"), "undefined\n");
});

Deno.test("--memory: nobody is there to be asked, so that nothing is remembered by a script", async () => {
  await using server = await startOpenAIServer({
    replies: [
      block('try { remember("x") } catch (error) { answer(error.message) }'),
      "NONE",
    ],
  });
  await using home = await openHome(server.baseUrl);
  const { code, stdout } = await home.run(["--memory", "go"]);
  strictEqual(code, 0);
  match(stdout, /remember is refused/);
  const none = await home.run(["--memory", "--ephemeral", "go"]);
  strictEqual(none.code, 3);
  match(none.stderr, /--ephemeral and --memory exclude each other/);
});
