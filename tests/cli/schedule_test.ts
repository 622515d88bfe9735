/** `schedule ls`, `rm` and `run-due`: tasks in real database files, done by real processes, one of them killed. */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { createHmac } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import type { NewTask } from "../../contracts/schedule.ts";
import { openSqliteStore } from "../../stores/sqlite/mod.ts";
import { startOpenAIServer } from "../fixtures/openai_server.ts";
import { type Home, jsonLines, onlyResult, openHome, script } from "./cli_process.ts";

const PAST = new Date("2026-01-01T09:00:00Z");

function database(home: Home): string {
  return `${home.path}/tasks.db`;
}

async function add(home: Home, ...tasks: readonly Partial<NewTask>[]): Promise<string[]> {
  await using store = openSqliteStore(database(home));
  const ids: string[] = [];
  for (const task of tasks) {
    const { id } = await store.schedule.add({
      sessionId: "s",
      kind: "once",
      rule: "",
      zone: "UTC",
      mode: "message",
      text: "the tea is ready",
      channel: "session",
      dueAt: PAST,
      ...task,
    });
    ids.push(id);
  }
  return ids;
}

function schedule(home: Home, ...words: readonly string[]) {
  return home.run(["schedule", ...words, "--db", database(home)]);
}

Deno.test("schedule: what waits is listed, cleaned of control characters, and cancelled by its id", async () => {
  await using home = await openHome();
  match((await schedule(home, "ls")).stderr, /Nothing is scheduled/);
  const [later, soon] = await add(
    home,
    { dueAt: new Date("2030-01-01T09:00:00Z"), title: "La\x1b[31mter\nx" },
    {
      dueAt: new Date("2029-01-01T09:00:00Z"),
      kind: "cron",
      rule: "0 9 * * *",
      zone: "Europe/Berlin",
      mode: "agent",
    },
  );
  const { stdout, code } = await schedule(home, "ls");
  strictEqual(code, 0);
  deepStrictEqual(stdout.trimEnd().split("\n").map((line) => line.split(/ {2,}/)), [
    ["ID", "DUE", "HOW OFTEN", "WHAT", "LAST", "SESSION", "TITLE"],
    [soon, "2029-01-01 09:00", "0 9 * * * Europe/Berlin", "agent", "s", "the tea is ready"],
    [later, "2030-01-01 09:00", "once", "message", "s", "La\\x1b[31mter x"],
  ]);
  const listed = jsonLines((await schedule(home, "ls", "--json")).stdout);
  deepStrictEqual(listed.map(({ type, id, due_at }) => [type, id, due_at]), [
    ["task", soon, "2029-01-01T09:00:00.000Z"],
    ["task", later, "2030-01-01T09:00:00.000Z"],
    ["result", undefined, undefined],
  ]);

  const removed = await schedule(home, "rm", soon!, "feedfeedfeed");
  strictEqual(removed.code, 1);
  match(removed.stderr, /Cancelled [0-9a-f]{12}\./);
  match(removed.stderr, /No task feedfeedfeed waits in .*schedule ls lists/s);
  strictEqual((await schedule(home, "rm", soon!)).code, 1, "it is over");
  strictEqual((await schedule(home, "rm")).code, 3);
  match((await schedule(home, "ls")).stdout, /cancelled/);
});

Deno.test("schedule run-due: messages reach their session and stdout, late ones as late, and nothing twice", async () => {
  await using home = await openHome();
  await add(
    home,
    { title: "Tea" },
    { channel: "stdout", text: "two\nlines \x1b[31m" },
    { dueAt: new Date("2999-01-01T00:00:00Z") },
  );
  const { stdout, stderr, code } = await schedule(home, "run-due");
  strictEqual(code, 0, stderr);
  match(
    stdout,
    /^\[[0-9a-f]{12}, due Thursday, 2026-01-01 09:00:00 \+0000, \d+ days[^\]]* late\] two lines \\x1b\[31m\n$/,
  );
  match(stderr, /Tea done\n/);
  match(stderr, /2 tasks done\./);
  const again = await schedule(home, "run-due");
  deepStrictEqual([again.code, again.stdout], [0, ""]);
  match(again.stderr, /Nothing is due/);
  await using store = openSqliteStore(database(home));
  deepStrictEqual((await store.lastN("s", 9)).map(({ stepType }) => stepType), [
    "user",
    "response",
  ]);
});

Deno.test("schedule run-due: an agent task is a run in its session, and its answer goes to its channel", async () => {
  await using server = await startOpenAIServer({ replies: ["The news are good."] });
  await using home = await openHome(server.baseUrl);
  await add(home, { mode: "agent", text: "Sum up the news.", channel: "stdout" });
  const { stdout, code } = await schedule(home, "run-due", "--json");
  strictEqual(code, 0, stdout);
  match(JSON.stringify(server.requests[0]?.body), /Scheduled task .*Sum up the news\./);
  const lines = jsonLines(stdout);
  const answer = lines.find(({ type }) => type === "schedule_answer");
  strictEqual(answer.text, "The news are good.");
  const occurrence = lines.find(({ type }) => type === "occurrence");
  deepStrictEqual([occurrence.outcome, occurrence.execution_mode], ["done", "agent"]);
  strictEqual(onlyResult(stdout).exit_code, 0);
});

Deno.test("schedule run-due: a run for a session that waits for a word is put off, however often; the question stays", async () => {
  const source = 'function run() { writeFile("out.txt", "hello"); return "written"; }';
  await using server = await startOpenAIServer({ replies: [script(source), "It is written."] });
  await using home = await openHome(server.baseUrl);
  const words = ["--db", database(home)];
  const asked = await home.run(["run", "go", "--session", "s", "--approve", "wait", ...words]);
  strictEqual(asked.code, 5, asked.stderr);
  const [id] = await add(home, { mode: "agent" });
  using raw = new DatabaseSync(database(home));
  for (let attempt = 0; attempt < 7; attempt++) {
    const { code, stdout } = await schedule(home, "run-due", "--json");
    strictEqual(code, 1);
    const put = jsonLines(stdout).find(({ type }) => type === "occurrence");
    deepStrictEqual([put.task_id, put.outcome], [id, "retrying"]);
    match(put.detail, /session s waits for a word on writeFile/);
    raw.exec("UPDATE occurrences SET wake_at = 1 WHERE state = 'retrying'");
  }
  const resumed = await home.run(["resume", "s", "--allow", ...words]);
  strictEqual(resumed.code, 0, resumed.stderr);
  strictEqual(await Deno.readTextFile(`${home.path}/out.txt`), "hello");
});

Deno.test("schedule run-due: a web hook gets a signed post; one in a private network only where it is named", async () => {
  const received: { body: string; signature: string | null }[] = [];
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    async (request) => {
      const signature = request.headers.get("x-agentloop-signature");
      received.push({ body: await request.text(), signature });
      return new Response();
    },
  );
  const host = `127.0.0.1:${server.addr.port}`;
  const hook = ["--webhook", `http://${host}/hooks/secret-path`];
  const env = { AGENTLOOP_WEBHOOK_SECRET: "0123456789abcdef" };
  await using home = await openHome();
  const run = (...words: readonly string[]) =>
    home.run(["schedule", "run-due", "--db", database(home), ...words], { env });
  await add(home, { channel: "webhook" });
  const closed = await run(...hook);
  strictEqual(closed.code, 1);
  match(closed.stderr, /127\.0\.0\.1:\d+ may not be reached: .*--allow-private-net/);
  doesNotMatch(closed.stderr, /secret-path/);
  strictEqual(received.length, 0);

  await add(home, { channel: "webhook" });
  const open = await run(...hook, "--allow-private-net", host);
  strictEqual(open.code, 0, open.stderr);
  strictEqual(JSON.parse(received[0]?.body ?? "").text, "the tea is ready");
  const [, seconds, mac] = /^t=(\d+),v1=(.*)$/.exec(received[0]?.signature ?? "") ?? [];
  const signed = createHmac("sha256", env.AGENTLOOP_WEBHOOK_SECRET);
  strictEqual(mac, signed.update(`${seconds}.${received[0]?.body}`).digest("hex"));

  strictEqual((await run("--webhook", "nonsense")).code, 3);
  const keyless = await home.run(["schedule", "run-due", "--db", database(home), ...hook]);
  strictEqual(keyless.code, 1);
  match(keyless.stderr, /Set AGENTLOOP_WEBHOOK_SECRET/);
});

Deno.test("schedule run-due: a wrong option is told, whatever is due, and no task is touched", async () => {
  await using home = await openHome("http://127.0.0.1:1/v1");
  const wrong = [["--protocol", "ways"], ["--search", "nowhere"], ["--tools", "none.js"]];
  for (const words of wrong) strictEqual((await schedule(home, "run-due", ...words)).code, 3);
  await add(home, {}, { mode: "agent" });
  for (const words of wrong) {
    const { code, stderr } = await schedule(home, "run-due", ...words);
    match(stderr, new RegExp(`^agentloop: ${words[0]}`));
    strictEqual(code, 3);
  }
  const listed = jsonLines((await schedule(home, "ls", "--json")).stdout).slice(0, -1);
  deepStrictEqual(listed.map(({ state, attempts }) => [state, attempts]), [
    ["waiting", 0],
    ["waiting", 0],
  ]);
});

Deno.test("schedule run-due: what belongs to a tenant is left to the program that serves it", async () => {
  await using server = await startOpenAIServer({ replies: [] });
  await using home = await openHome(server.baseUrl);
  await add(home, { mode: "agent", scope: { workspaceId: "w" } });
  const { code, stderr } = await schedule(home, "run-due");
  strictEqual(code, 1);
  match(stderr, /put off: it belongs to a tenant/);
});

Deno.test("schedule run-due: without a model messages are delivered, agent tasks wait, and what is missing is said", async () => {
  await using home = await openHome();
  await add(home, { mode: "agent" }, { channel: "stdout" });
  const { stdout, stderr, code } = await schedule(home, "run-due");
  strictEqual(code, 1);
  match(stdout, /the tea is ready/);
  match(stderr, /OPENAI_/);
  doesNotMatch(stderr, /^ {4}at /m);
  const listed = jsonLines((await schedule(home, "ls", "--json")).stdout);
  deepStrictEqual(listed.map(({ state, attempts }) => [state, attempts]).slice(0, 2), [
    ["waiting", 0],
    ["ended", 0],
  ]);
});

Deno.test("schedule run-due: a model that cannot be reached puts the task off; one that refuses fails it, which is told in the session", async () => {
  await using server = await startOpenAIServer({
    replies: [{ status: 503, json: { error: { message: "busy" } } }, {
      status: 401,
      json: { error: { message: "who are you?" } },
    }],
  });
  await using home = await openHome(server.baseUrl);
  await add(home, { mode: "agent", sessionId: "busy" });
  const busy = await schedule(home, "run-due", "--json");
  strictEqual(busy.code, 1);
  const put = jsonLines(busy.stdout).find(({ type }) => type === "occurrence");
  strictEqual(put.outcome, "retrying");
  ok(put.retry_at);
  await add(home, { mode: "agent", sessionId: "refused" });
  const refused = await schedule(home, "run-due", "--json");
  strictEqual(refused.code, 1);
  const failed = jsonLines(refused.stdout).find(({ type }) => type === "occurrence");
  strictEqual(failed.outcome, "failed");
  const shown = await home.run(["sessions", "show", "refused", "--db", database(home)]);
  match(shown.stdout, /This could not be done: task/);
});

Deno.test("schedule run-due: stopped by SIGTERM before a run did anything, the task is put off and done the next time", async () => {
  const asked = Promise.withResolvers<void>();
  const until: PromiseLike<void> = {
    then: () => {
      asked.resolve();
      return new Promise<never>(() => {});
    },
  };
  await using server = await startOpenAIServer({ replies: [{ text: "late", until }, "done now"] });
  await using home = await openHome(server.baseUrl);
  await add(home, { mode: "agent", channel: "stdout" });
  const child = home.start(["schedule", "run-due", "--json", "--db", database(home)]);
  const output = child.output();
  await asked.promise;
  child.kill("SIGTERM");
  const { code, stdout } = await output;
  strictEqual(code, 143);
  const put = jsonLines(new TextDecoder().decode(stdout)).find(({ type }) => type === "occurrence");
  strictEqual(put.outcome, "retrying");
  using raw = new DatabaseSync(database(home));
  raw.exec("UPDATE occurrences SET wake_at = 1 WHERE state = 'retrying'");
  raw.close();
  const again = await schedule(home, "run-due");
  strictEqual(again.code, 0, again.stderr);
  match(again.stdout, /done now\n$/);
});

Deno.test("schedule run-due: killed in the middle of a run, the task is told as unknown and never run again", async () => {
  const asked = Promise.withResolvers<void>();
  const stuck = Promise.withResolvers<void>();
  const until: PromiseLike<void> = {
    then: (...callbacks) => {
      asked.resolve();
      return stuck.promise.then(...callbacks);
    },
  };
  await using server = await startOpenAIServer({ replies: [{ text: "late", until }] });
  await using home = await openHome(server.baseUrl);
  const [id] = await add(home, { mode: "agent", title: "News" });
  {
    await using child = home.start(["schedule", "run-due", "--json", "--db", database(home)]);
    const output = child.output();
    await asked.promise;
    child.kill("SIGKILL");
    strictEqual((await output).signal, "SIGKILL");
  }
  stuck.resolve();
  const held = await schedule(home, "run-due");
  match(held.stderr, /Nothing is due/);
  // A minute goes by.
  using raw = new DatabaseSync(database(home));
  raw.exec("UPDATE occurrences SET wake_at = 1 WHERE state = 'started'");
  raw.close();
  const later = await schedule(home, "run-due", "--json");
  strictEqual(later.code, 1);
  const told = jsonLines(later.stdout).find(({ type }) => type === "occurrence");
  deepStrictEqual([told.task_id, told.outcome], [id, "unknown"]);
  ok(server.requests.length <= 1, "no second run");
  match(
    (await schedule(home, "ls")).stdout,
    /over +once +message|over +once +agent +unknown +s +News/,
  );
  const shown = await home.run(["sessions", "show", "s", "--db", database(home)]);
  match(shown.stdout, /It is not known what became of task/);
  match((await schedule(home, "run-due")).stderr, /Nothing is due/);
});
