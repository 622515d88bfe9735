import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { startOpenAIServer } from "../fixtures/openai_server.ts";
import { jsonLines, onlyResult, openHome, script } from "./cli_process.ts";

// deno-lint-ignore no-explicit-any -- the body as it was sent
function contents(body: any): string {
  return body.messages.map((message: { content: string }) => message.content).join("\n");
}

Deno.test("a session goes on over separate invocations, with its data and its persona", async () => {
  await using server = await startOpenAIServer({
    replies: [
      script('function run() { answer("noted"); return { color: "teal" }; }'),
      script("function run(args) { answer(args.color); }"),
    ],
  });
  await using home = await openHome(server.baseUrl);
  const first = await home.run([
    "--session",
    "colors",
    "--system",
    "You speak of colors only.",
    "I like teal",
  ]);
  strictEqual(first.stdout, "noted\n");
  const second = await home.run(["--continue", "which one?"]);
  strictEqual(second.stdout, "teal\n");
  const body = contents(server.requests[1]?.body);
  match(body, /I like teal/);
  match(body, /You speak of colors only\./);
});

Deno.test("--context belongs to one run and is read from a file where it begins with @", async () => {
  await using server = await startOpenAIServer({ replies: ["a", "b", "c"] });
  await using home = await openHome(server.baseUrl);
  await Deno.writeTextFile(`${home.path}/rules.md`, "Never use the word banana.");
  await home.run(["--session", "s", "--context", "@rules.md", "one"]);
  await home.run(["--session", "s", "--context", "@@home is a handle", "two"]);
  await home.run(["--session", "s", "three"]);
  const [one, two, three] = server.requests.map((request) => contents(request.body));
  match(one ?? "", /Never use the word banana\./);
  match(two ?? "", /\n@home is a handle/);
  ok(!two?.includes("banana"));
  ok(!three?.includes("handle"));
});

Deno.test("--ephemeral writes nothing", async () => {
  await using server = await startOpenAIServer({ replies: ["hi"] });
  await using home = await openHome(server.baseUrl);
  const { code, stderr } = await home.run(["--ephemeral", "say hi"]);
  strictEqual(code, 0);
  match(stderr, /^completed in [^,]*, 10 \+ 5 tokens$/m);
  deepStrictEqual([...Deno.readDirSync(home.path)].map((entry) => entry.name), []);
});

Deno.test("the database is where --db, AGENTLOOP_DB, XDG_DATA_HOME or the platform say", async () => {
  await using server = await startOpenAIServer({ otherwise: "hi" });
  await using home = await openHome(server.baseUrl);
  const env = { AGENTLOOP_DB: `${home.path}/env.db`, XDG_DATA_HOME: `${home.path}/xdg` };
  await home.run(["--db", "mine.db", "hi"], { env });
  await home.run(["hi"], { env });
  await home.run(["hi"], { env: { XDG_DATA_HOME: env.XDG_DATA_HOME } });
  await home.run(["hi"]);
  for (
    const path of [
      "mine.db",
      "env.db",
      "xdg/agentloop/agentloop.db",
      ".local/share/agentloop/agentloop.db",
    ]
  ) {
    strictEqual(Deno.statSync(`${home.path}/${path}`).isFile, true, path);
  }
});

Deno.test("sessions are listed, shown and removed", async () => {
  await using server = await startOpenAIServer({
    replies: [script("function run() { answer(42); return [1, 2]; }"), "hello"],
  });
  await using home = await openHome(server.baseUrl);
  strictEqual(
    (await home.run(["sessions", "ls"])).stderr,
    `There are no sessions in ${home.path}/.local/share/agentloop/agentloop.db.\n`,
  );
  await home.run(["--session", "first", "count\nto two"]);
  await home.run(["--session", "second", "greet"]);

  const moment = /\d{4}-\d\d-\d\d \d\d:\d\d/g;
  const listed = await home.run(["sessions", "ls"]);
  strictEqual(
    listed.stdout.replaceAll(moment, "YYYY-MM-DD HH:MM"),
    "ID      LAST USED         RUNS  TOKENS  TITLE\n" +
      "second  YYYY-MM-DD HH:MM     1      15  greet\n" +
      "first   YYYY-MM-DD HH:MM     1      15  count\n",
  );
  const rows = jsonLines((await home.run(["sessions", "ls", "--json"])).stdout);
  deepStrictEqual(rows.map((row) => [row.type, row.session_id]), [
    ["session", "second"],
    ["session", "first"],
    ["result", null],
  ]);

  const shown = (await home.run(["sessions", "show", "first"])).stdout;
  match(shown, /^session {4}first\ntitle {6}count\n/);
  match(shown, /\ncarries {4}5 B: \[1,2\]\n/);
  match(shown, /\n0 {2}user\n {3}count\n {3}to two\n/);
  match(shown, /\n {3}function run\(\) \{ answer\(42\); return \[1, 2\]; \}\n/);
  const steps = jsonLines((await home.run(["sessions", "show", "first", "--json"])).stdout);
  deepStrictEqual(steps[0].data, [1, 2]);
  deepStrictEqual(
    steps.filter((line) => line.type === "step").map((line) => line.step_type),
    ["user", "execute_js", "execute_js_result", "response"],
  );

  const removed = await home.run(["sessions", "rm", "first", "nope"]);
  strictEqual(removed.code, 1);
  match(removed.stderr, /^Removed first\.\nagentloop: There is no session nope in /);
  const again = onlyResult((await home.run(["sessions", "show", "first", "--json"])).stdout);
  strictEqual(again.error.type, "session_missing");
});

Deno.test("what a session holds is shown with its control characters escaped", async () => {
  await using server = await startOpenAIServer({ replies: ["\x1b[2Jgone"] });
  await using home = await openHome(server.baseUrl);
  await home.run(["--session", "s", "a\x1b[31mb"]);
  for (const args of [["sessions", "ls"], ["sessions", "show", "s"]]) {
    const { stdout } = await home.run(args);
    strictEqual(stdout.includes("\x1b"), false);
    match(stdout, /a\\x1b\[31mb/);
  }
});
