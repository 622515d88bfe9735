/** `serve`: a message over HTTP, its events and its result; what is there to read; the ways to stop it. */
import { deepStrictEqual, doesNotMatch, match, strictEqual } from "node:assert/strict";
import { startOpenAIServer } from "../fixtures/openai_server.ts";
import { jsonLines, onlyResult, openHome, script } from "./cli_process.ts";
import { allEvents, startServe, statusOf } from "./serve_process.ts";

Deno.test("serve: a message is answered by the events that run --json writes, the result last", async () => {
  const source = script("function run() { log('at it'); answer(6 * 7); }");
  await using model = await startOpenAIServer({ replies: [source, source] });
  await using home = await openHome(model.baseUrl);
  await using server = await startServe(home);
  const response = await server.send("first", "what is 6 * 7?");
  strictEqual(response.status, 200);
  match(response.headers.get("content-type") ?? "", /^text\/event-stream/);
  const events = await allEvents(response);
  for (const { event, data } of events) strictEqual(event, data.type);
  const lines = jsonLines((await home.run(["--json", "what is 6 * 7?"])).stdout);
  deepStrictEqual(
    events.map(({ data }) => Object.keys(data)),
    lines.map((line) => Object.keys(line)),
  );
  deepStrictEqual(events.map(({ event }) => event), lines.map(({ type }) => type));
  const result = events.at(-1)?.data;
  strictEqual(result.text, "42");
  strictEqual(result.session_id, "first");
  strictEqual(result.exit_code, 0);
});

Deno.test("serve: a session goes on, and what happened in it can be read", async () => {
  await using model = await startOpenAIServer({ replies: ["Hello Ada.", "You are Ada."] });
  await using home = await openHome(model.baseUrl);
  await using server = await startServe(home, ["--system", "You are brief."]);
  await allEvents(await server.send("a b/ü", "I am Ada"));
  const again = await allEvents(await server.send("a b/ü", "who am I?"));
  strictEqual(again.at(-1)?.data.text, "You are Ada.");
  match(JSON.stringify(model.requests[1]?.body.messages), /I am Ada.*Hello Ada\./);
  match(JSON.stringify(model.requests[0]?.body.messages), /You are brief\./);

  const { sessions } = await (await server.request("/sessions")).json();
  deepStrictEqual(sessions.map((one: Record<string, unknown>) => [one.session_id, one.busy]), [
    ["a b/ü", false],
  ]);
  strictEqual(sessions[0].runs, 2);
  const path = `/sessions/${encodeURIComponent("a b/ü")}`;
  const { session, trace } = await (await server.request(path)).json();
  strictEqual(session.system_prompt, "You are brief.");
  const shown = jsonLines((await home.run(["sessions", "show", "--json", "a b/ü"])).stdout);
  deepStrictEqual([session, ...trace], shown.slice(0, -1));
  const last = await (await server.request(`${path}?steps=1`)).json();
  deepStrictEqual(last.trace, trace.slice(-1));
});

Deno.test("serve: no database is touched with --ephemeral, and the token is told", async () => {
  await using model = await startOpenAIServer({ replies: ["fine"] });
  await using home = await openHome(model.baseUrl);
  const token = "0123456789abcdef";
  await using server = await startServe(home, ["--ephemeral"], { AGENTLOOP_TOKEN: token });
  strictEqual((await allEvents(await server.send("s", "go"))).at(-1)?.data.text, "fine");
  const { sessions } = await (await server.request("/sessions")).json();
  strictEqual(sessions.length, 1);
  deepStrictEqual([...Deno.readDirSync(home.path)], []);
});

Deno.test("serve: what the policy asks about is refused, unless everything is approved", async () => {
  const source = script(
    'function run() { try { writeFile("made.txt", "x"); answer("made"); } catch (e) { answer(e.message); } }',
  );
  await using model = await startOpenAIServer({ replies: [source, source] });
  await using home = await openHome(model.baseUrl);
  {
    await using server = await startServe(home);
    const result = (await allEvents(await server.send("s", "go"))).at(-1)?.data;
    match(result.text, /writeFile/);
    match(result.text, /refused|denied|not allowed/);
  }
  await using server = await startServe(home, ["--approve", "auto"]);
  const result = (await allEvents(await server.send("s", "go"))).at(-1)?.data;
  strictEqual(result.text, "made");
});

Deno.test("serve: a run that fails ends in a result that says so, without a stack", async () => {
  await using home = await openHome("http://127.0.0.1:1/v1");
  await using server = await startServe(home);
  const events = await allEvents(await server.send("s", "go"));
  const { data } = events.at(-1)!;
  strictEqual(data.type, "result");
  strictEqual(data.error.type, "model_connection");
  strictEqual(data.exit_code, 1);
  doesNotMatch(JSON.stringify(events), /\.ts:\d+/);
});

Deno.test("serve: a client's own bounds narrow those of the server, and never widen them", async () => {
  const source = script("function run() { return 1; }");
  await using model = await startOpenAIServer({ replies: [source, source, source] });
  await using home = await openHome(model.baseUrl);
  await using server = await startServe(home, ["--max-steps", "2"]);
  const ask = async (id: string, max_steps: number) => {
    const body = JSON.stringify({ message: "go", max_steps, timeout_ms: 2 ** 40 });
    return (await allEvents(await server.send(id, "", { body }))).at(-1)?.data;
  };
  const narrow = await ask("one", 1);
  strictEqual(narrow.status, "max_iterations");
  match(narrow.error.message, /within 1 model call/);
  match((await ask("two", 50)).error.message, /within 2 model calls/);
});

Deno.test("serve: every option that it cannot use is wrong use, said before anything is made", async () => {
  await using home = await openHome("http://127.0.0.1:1/v1");
  const wrong: readonly [readonly string[], RegExp][] = [
    [["hello"], /serve takes no message/],
    [["--approve", "prompt"], /serve has nobody to ask/],
    [["--approve", "stdio", "--json"], /serve has nobody to ask/],
    [["--port", "65536"], /--port takes a number up to 65535/],
    [["--host", "http://127.0.0.1"], /--host takes an address/],
    [["--max-runs", "0"], /--max-runs must be a whole number/],
    [["--session", "s"], /--session/],
  ];
  for (const [words, message] of wrong) {
    const { code, stderr } = await home.run(["serve", ...words]);
    match(stderr, message);
    strictEqual(code, 3, words.join(" "));
  }
  deepStrictEqual([...Deno.readDirSync(home.path)], []);
});

for (const [signal, code] of [["SIGTERM", 143], ["SIGINT", 130]] as const) {
  Deno.test(`serve: ${signal} ends a server that has nothing to do, with one result line`, async () => {
    await using model = await startOpenAIServer();
    await using home = await openHome(model.baseUrl);
    await using server = await startServe(home);
    strictEqual(await (await fetch(`${server.url}/health`)).text(), "ok\n");
    server.child.kill(signal);
    const ended = await server.ended();
    strictEqual(ended.code, code);
    strictEqual(onlyResult(ended.stdout).exit_code, code);
    strictEqual(ended.stderr, "");
  });
}

Deno.test("serve: a client that does not wait is answered at once, and reads later what came of it", async () => {
  const held = Promise.withResolvers<void>();
  await using model = await startOpenAIServer({ replies: [{ text: "done", until: held.promise }] });
  await using home = await openHome(model.baseUrl);
  await using server = await startServe(home);
  const prefer = { headers: { prefer: "wait=1, respond-async" } };
  const response = await server.send("a/b", "go", prefer);
  strictEqual(response.status, 202);
  strictEqual(response.headers.get("preference-applied"), "respond-async");
  deepStrictEqual(await response.json(), { session_id: "a/b" });
  const path = response.headers.get("location") ?? "";
  strictEqual(await statusOf(server.send("a/b", "go", prefer)), 409);
  held.resolve();
  let read = { busy: true, session: { status: "" }, trace: [{ content: "" }] };
  while (read.busy) {
    const later = await server.request(path);
    // The session is made by its run.
    if (later.status === 200) read = await later.json();
    else await later.body?.cancel();
  }
  strictEqual(read.session.status, "completed");
  strictEqual(read.trace.at(-1)?.content, "done");
});
