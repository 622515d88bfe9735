import { deepStrictEqual, doesNotMatch, match, strictEqual } from "node:assert/strict";
import { type OpenAIServer, startOpenAIServer } from "../fixtures/openai_server.ts";
import { jsonLines, openHome, script } from "./cli_process.ts";

/** A site on loopback. Disposing stops it. */
function startSite(): AsyncDisposable & { readonly host: string } {
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    () => Response.json({ stock: 12 }),
  );
  return {
    host: `127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** The messages of a request as one text. */
function sent(server: OpenAIServer, request: number): string {
  const { messages } = server.requests[request]?.body as { messages: { content: string }[] };
  return messages.map(({ content }) => content).join("\n\n");
}

Deno.test("scripts reach the hosts that were named and no other, the model is told why, and every call is written down", async () => {
  await using site = startSite();
  await using server = await startOpenAIServer({
    replies: [
      script(`function run() {
  const { stock } = fetch("http://${site.host}/stock").json();
  try { fetch("https://other.example/"); } catch (error) { log(error.message); }
  return stock;
}`),
      script("function run(stock) { answer(stock); }"),
    ],
  });
  await using home = await openHome(server.baseUrl);
  const { code, stdout, stderr } = await home.run([
    "--allow-private-net",
    site.host,
    "--session",
    "s",
    "how many?",
  ]);
  strictEqual(stdout, "12\n");
  strictEqual(code, 0);
  match(sent(server, 0), /declare function fetch\(/);
  match(sent(server, 1), /other\.example.*--allow-net other\.example lets it pass/);
  match(stderr, /^turn 1 {2}fetch 127\.0\.0\.1, ok, /m);
  match(
    stderr,
    /^turn 1 {2}fetch other\.example, refused, .*; --allow-net other\.example lets it pass$/m,
  );

  const { stdout: shown } = await home.run(["sessions", "show", "s"]);
  match(shown, /\n {3}call {2}fetch 127\.0\.0\.1: allowed, ok, .*\n {3}call {2}fetch other/);
  match(shown, /\n {3}call {2}fetch other\.example: denied, refused, /);
  const calls = jsonLines((await home.run(["sessions", "show", "s", "--json"])).stdout)
    .filter((line) => line.type === "call");
  deepStrictEqual(
    calls.map((call) => [call.turn, call.name, call.target, call.decision, call.outcome]),
    [
      [1, "fetch", "127.0.0.1", "allowed", "ok"],
      [1, "fetch", "other.example", "denied", "refused"],
    ],
  );
});

Deno.test("CLI-03: what needs an approval is refused at once, whatever stdin is, and nothing is read from it", async () => {
  const attempt = script(
    'function run() { try { fetch("https://a.example/"); } catch (error) { answer(error.message); } }',
  );
  await using server = await startOpenAIServer({ otherwise: attempt });
  await using home = await openHome(server.baseUrl);
  for (const stdin of ["open", "null", "y\n"]) {
    const { code, stdout, stderr } = await home.run(["go"], { stdin });
    strictEqual(code, 0);
    match(stdout, /^fetch \(a\.example\) is refused: .*--allow-net a\.example lets it pass/);
    match(stderr, /fetch a\.example, refused, /);
  }
});

Deno.test("--no-network takes the network out of what is declared, and out of what there is", async () => {
  await using server = await startOpenAIServer({
    replies: [script('function run() { answer([typeof fetch, typeof require("markdown")]); }')],
  });
  await using home = await openHome(server.baseUrl);
  const { stdout } = await home.run(["--no-network", "go"]);
  deepStrictEqual(JSON.parse(stdout), ["undefined", "object"]);
  doesNotMatch(sent(server, 0), /function fetch|"http"/);
  match(sent(server, 0), /function htmlToMarkdown/);
});

Deno.test("a script asks the model of the run, and what that costs counts", async () => {
  await using server = await startOpenAIServer({
    replies: [
      script('function run() { answer(ai("Name a color")); }'),
      "teal",
    ],
  });
  await using home = await openHome(server.baseUrl);
  const { stdout, stderr } = await home.run(["--model", "mine", "--session", "s", "go"]);
  strictEqual(stdout, "teal\n");
  match(stderr, /^completed in .*, 20 \+ 10 tokens, session s$/m);
  deepStrictEqual(server.requests.map(({ body }) => (body as { model: string }).model), [
    "mine",
    "mine",
  ]);
});

Deno.test("a host that is none is wrong use, and no database is made", async () => {
  await using home = await openHome("http://127.0.0.1:9/v1");
  const { code, stderr } = await home.run(["--allow-net", "https://example.com/", "go"]);
  strictEqual(code, 3);
  match(stderr, /^agentloop: --allow-net: expected hosts such as "example\.com"/);
  deepStrictEqual([...Deno.readDirSync(home.path)], []);
});
