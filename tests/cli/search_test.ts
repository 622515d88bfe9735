/** `--search`: an engine that the command line, or a trusted file, names. */
import { match, strictEqual } from "node:assert/strict";
import { startSite } from "../fixtures/http/site.ts";
import { startOpenAIServer, wireCall } from "../fixtures/openai_server.ts";
import { CLI, openHome, script } from "./cli_process.ts";
import { allEvents, startServe } from "./serve_process.ts";

const SEARCH = script('function run() { answer(web_search("tea")[0].title); }');

function startEngine() {
  const answer = {
    results: [{ url: "https://example.org/", title: "Tea &amp; more", content: "" }],
  };
  return startSite(() => Response.json(answer));
}

Deno.test("--search: scripts of run, chat and serve search the engine that was named", async () => {
  await using engine = startEngine();
  await using model = await startOpenAIServer({ replies: [SEARCH, SEARCH, SEARCH] });
  await using home = await openHome(model.baseUrl);
  const words = ["--search", `http://127.0.0.1:${engine.port}`];
  strictEqual((await home.run([...words, "go"])).stdout, "Tea & more\n");
  strictEqual((await home.run(["chat", ...words], { stdin: "go\n" })).stdout, "Tea & more\n");
  await using server = await startServe(home, words);
  strictEqual((await allEvents(await server.send("s", "go"))).at(-1)?.data.text, "Tea & more");
  strictEqual(engine.hits.length, 3);
});

Deno.test("--search: a model that calls by name has it too, without a module of tools", async () => {
  await using engine = startEngine();
  const call = wireCall({ id: "a", name: "web_search", args: { query: "tea" } });
  await using model = await startOpenAIServer({ replies: [{ toolCalls: [call] }, "Tea it is."] });
  await using home = await openHome(model.baseUrl);
  const words = ["--protocol", "tools", "--search", `http://127.0.0.1:${engine.port}`, "go"];
  strictEqual((await home.run(words)).stdout, "Tea it is.\n");
  match(JSON.stringify(model.requests[1]?.body.messages), /Tea & more/);
});

Deno.test("--search: without it nothing is declared", async () => {
  await using model = await startOpenAIServer({
    replies: [script("function run() { answer(typeof web_search); }")],
  });
  await using home = await openHome(model.baseUrl);
  strictEqual((await home.run(["go"])).stdout, "undefined\n");
  strictEqual(JSON.stringify(model.requests[0]?.body).includes("web_search"), false);
});

Deno.test("--search: a project's file may name an engine only when it is trusted", async () => {
  await using engine = startEngine();
  await using model = await startOpenAIServer({ replies: [SEARCH] });
  await using home = await openHome(model.baseUrl);
  const cwd = `${home.path}/project`;
  await Deno.mkdir(`${cwd}/.agentloop`, { recursive: true });
  const search = `http://127.0.0.1:${engine.port}`;
  await Deno.writeTextFile(`${cwd}/.agentloop/config.json`, JSON.stringify({ search }));
  const refused = await home.run(["go"], { cwd });
  match(refused.stderr, /is not trusted, and sets what needs trust: search/);
  strictEqual(refused.code, 3);
  strictEqual((await home.run(["trust", "--yes"], { cwd })).code, 0);
  strictEqual((await home.run(["go"], { cwd })).stdout, "Tea & more\n");
});

Deno.test("--search: what cannot work is said before anything is made", async () => {
  await using home = await openHome("http://127.0.0.1:1/v1");
  const wrong: readonly [readonly string[], RegExp][] = [
    [["--search", "example.org", "go"], /--search: it must be the address of a search engine/],
    [["--search", "http://u:secret@127.0.0.1", "go"], /--search: it must hold no user name/],
    [["--search", "http://127.0.0.1", "--no-network", "go"], /--search/],
  ];
  for (const [words, message] of wrong) {
    const { code, stderr } = await home.run(words);
    match(stderr, message);
    strictEqual(code, 3);
  }
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...[
        "run",
        "--no-lock",
        "--no-prompt",
        "--allow-read",
        "--allow-env",
        "--allow-net=127.0.0.1:1",
      ],
      ...[`--allow-write=${home.path}`, CLI, "--search", "http://127.0.0.1:8888", "go"],
    ],
    clearEnv: true,
    env: home.env(),
    cwd: home.path,
    stdin: "null",
  }).output();
  match(
    new TextDecoder().decode(stderr),
    /The search engine at 127\.0\.0\.1:8888 cannot be asked: .*\n.*--allow-net=127\.0\.0\.1:8888/,
  );
  strictEqual(code, 1);
});
