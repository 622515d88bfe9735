/** `serve`: what scripts schedule is done when it is due, once, by one of the servers that share a database. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { createHmac } from "node:crypto";
import type { NewTask } from "../../contracts/schedule.ts";
import { openSqliteStore } from "../../stores/sqlite/mod.ts";
import { startSite } from "../fixtures/http/site.ts";
import { startOpenAIServer } from "../fixtures/openai_server.ts";
import { type Home, jsonLines, openHome, script } from "./cli_process.ts";
import { allEvents, type ServeProcess, startServe } from "./serve_process.ts";

/** Adds tasks that were due a moment ago, and gives their ids. */
async function addDue(home: Home, tasks: readonly Partial<NewTask>[]): Promise<string[]> {
  await using store = openSqliteStore(`${home.path}/a.db`);
  const ids: string[] = [];
  for (const task of tasks) {
    const { id } = await store.schedule.add({
      sessionId: "s",
      kind: "once",
      rule: "",
      zone: "UTC",
      mode: "message",
      text: "The tea is ready.",
      channel: "session",
      dueAt: new Date(Date.now() - 1000),
      ...task,
    });
    ids.push(id);
  }
  return ids;
}

interface Traced {
  readonly step_type: string;
  readonly content: string;
}

/** Waits until the trace of a session fits, and gives it. */
async function untilTrace(
  server: ServeProcess,
  sessionId: string,
  fits: (trace: readonly Traced[]) => boolean,
): Promise<readonly Traced[]> {
  for (;;) {
    const response = await server.request(`/sessions/${sessionId}`);
    const { trace = [] } = await response.json();
    if (fits(trace)) return trace;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Waits until every task of a session is over. */
async function untilEnded(home: Home, sessionId: string): Promise<void> {
  await using store = openSqliteStore(`${home.path}/a.db`, { readOnly: true });
  for (;;) {
    const tasks = await store.schedule.list({ sessionId });
    if (tasks.every(({ state }) => state === "ended")) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function contents(trace: readonly Traced[]): readonly string[] {
  return trace.map(({ content }) => content);
}

Deno.test("serve: a message that a script schedules for its session stands there when it is due", async () => {
  const schedule = script(`function run() {
    answer(proactive_create({ text: "Take the tea out.", delay_ms: 1, execution_mode: "message" }).id);
  }`);
  await using model = await startOpenAIServer({ replies: [schedule, "I told you about the tea."] });
  await using home = await openHome(model.baseUrl);
  await using server = await startServe(home);
  match((await allEvents(await server.send("s", "go"))).at(-1)?.data.text, /^[0-9a-f]{12}$/);
  const trace = await untilTrace(
    server,
    "s",
    (trace) => contents(trace).includes("Take the tea out."),
  );
  match(contents(trace).at(-2) ?? "", /^\[Scheduled /);
  // The next run sees it.
  await allEvents(await server.send("s", "what was it?"));
  match(JSON.stringify(model.requests[1]?.body.messages), /Take the tea out\./);
});

Deno.test("serve: a run that was scheduled is made, and waits for the session to be free", async () => {
  const held = Promise.withResolvers<void>();
  await using model = await startOpenAIServer({
    replies: [{ text: "the first", until: held.promise }, "the briefing"],
  });
  await using home = await openHome(model.baseUrl);
  await using server = await startServe(home, ["--db", `${home.path}/a.db`]);
  const first = allEvents(await server.send("s", "go"));
  await addDue(home, [{ mode: "agent", text: "Make the briefing." }]);
  await addDue(home, [{ text: "A word." }]);
  // Another session is done meanwhile: the scheduler has looked.
  await addDue(home, [{ sessionId: "other" }]);
  await untilTrace(server, "other", (trace) => trace.length === 2);
  strictEqual(model.requests.length, 1);
  held.resolve();
  strictEqual((await first).at(-1)?.data.text, "the first");
  const trace = await untilTrace(
    server,
    "s",
    (trace) => contents(trace).includes("the briefing") && contents(trace).includes("A word."),
  );
  strictEqual(contents(trace).indexOf("the first"), 1);
  match(JSON.stringify(model.requests[1]?.body.messages), /Make the briefing\./);
});

Deno.test("serve: a run for a session that waits for a word is put off, and made once the word is given; the question stays", async () => {
  const write = script('function run() { writeFile("out.txt", "hello"); return "written"; }');
  await using model = await startOpenAIServer({
    replies: [write, "It is written.", "the briefing"],
  });
  await using home = await openHome(model.baseUrl);
  await using server = await startServe(home, ["--db", `${home.path}/a.db`, "--approve", "wait"]);
  const asked = (await allEvents(await server.send("s", "go"))).at(-1)!.data;
  strictEqual(asked.status, "waiting");
  const [id] = await addDue(home, [{ mode: "agent", text: "Make the briefing." }]);
  await using store = openSqliteStore(`${home.path}/a.db`, { readOnly: true });
  for (;;) {
    const task = await store.schedule.get(id!);
    if (task?.retryAt !== undefined) break;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const [occurrence] = await store.schedule.occurrences(id!);
  match(occurrence?.detail ?? "", /waits for a word on writeFile/);
  strictEqual(occurrence?.attempts, 0, "it was no attempt");
  strictEqual(model.requests.length, 1);
  const { call_id } = asked.pending;
  const went = await server.request("/sessions/s/decisions", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ call_id, decision: "approve" }),
  });
  strictEqual((await allEvents(went)).at(-1)?.data.text, "It is written.");
  strictEqual(await Deno.readTextFile(`${home.path}/out.txt`), "hello");
  await untilTrace(server, "s", (trace) => contents(trace).includes("the briefing"));
  match(JSON.stringify(model.requests[2]?.body.messages), /Make the briefing\./);
});

Deno.test("serve: a session that is answered for long keeps no task of another one from being done", async () => {
  const held = Promise.withResolvers<void>();
  await using model = await startOpenAIServer({
    replies: [{ text: "the first", until: held.promise }],
  });
  await using home = await openHome(model.baseUrl);
  await using server = await startServe(home, ["--db", `${home.path}/a.db`]);
  const first = allEvents(await server.send("s", "go"));
  await addDue(home, Array.from({ length: 9 }, (_, at) => ({ text: `word ${at}` })));
  await addDue(home, [{ sessionId: "other" }]);
  await untilTrace(server, "other", (trace) => trace.length === 2);
  const busy = await (await server.request("/sessions/s")).json();
  strictEqual(busy.busy, true);
  held.resolve();
  await first;
  const words = Array.from({ length: 9 }, (_, at) => `word ${at}`);
  await untilTrace(server, "s", (trace) => words.every((word) => contents(trace).includes(word)));
});

Deno.test("serve: runs that schedule each other do not go on without end", async () => {
  const again = script(`function run() {
    answer(proactive_create({ text: "Once more.", delay_ms: 1, execution_mode: "agent" }).id);
  }`);
  await using model = await startOpenAIServer({ replies: Array(11).fill(again) });
  await using home = await openHome(model.baseUrl);
  const words = ["--db", `${home.path}/a.db`, "--allow-tools", "proactive_create"];
  await using server = await startServe(home, words);
  await allEvents(await server.send("s", "go"));
  await using store = openSqliteStore(`${home.path}/a.db`, { readOnly: true });
  for (;;) {
    const [next] = await store.schedule.list({ sessionId: "s" });
    ok(next?.lastOutcome?.state !== "failed", "it went on");
    if (next?.retryAt !== undefined) {
      const [occurrence] = await store.schedule.occurrences(next.id);
      match(occurrence?.detail ?? "", /10 scheduled runs of session s within 15 min/);
      break;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  strictEqual(model.requests.length, 11);
});

Deno.test("serve: with two servers each task is done once; what one was killed at is told as unknown, and not done again", async () => {
  // Nothing is answered before the end of the test.
  const end = Promise.withResolvers<void>();
  await using model = await startOpenAIServer({
    replies: [{ text: "too late", until: end.promise }],
  });
  await using home = await openHome(model.baseUrl);
  const words = ["--db", `${home.path}/a.db`];
  await addDue(home, [
    { sessionId: "agent", mode: "agent", text: "Do it." },
    ...Array.from({ length: 6 }, (_, at) => ({ channel: "stdout", text: `number ${at}` })),
  ]);
  await using first = await startServe(home, words);
  await using second = await startServe(home, words);
  while (model.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  const isBusy = async (server: ServeProcess) => {
    const { sessions } = await (await server.request("/sessions")).json();
    return sessions.some((one: Record<string, unknown>) => one.session_id === "agent" && one.busy);
  };
  const [killed, left] = await isBusy(first) ? [first, second] : [second, first];
  strictEqual(await isBusy(killed), true);
  strictEqual(await isBusy(left), false);
  await untilEnded(home, "s");
  killed.child.kill("SIGKILL");
  const before = (await killed.ended()).stdout;
  const trace = await untilTrace(
    left,
    "agent",
    (trace) => contents(trace).some((text) => /^\[About/.test(text)),
  );
  match(contents(trace).at(-1) ?? "", /not known|unknown/);
  left.child.kill("SIGTERM");
  const after = (await left.ended()).stdout;
  strictEqual(model.requests.length, 1);
  const told = [...jsonLines(before), ...jsonLines(after)]
    .filter(({ type }) => type === "schedule_message").map(({ text }) => text).sort();
  deepStrictEqual(told, Array.from({ length: 6 }, (_, at) => `number ${at}`));
  end.resolve();
});

Deno.test("serve: a server that is to stop gives its scheduled run up after the time that it gets", async () => {
  await using model = await startOpenAIServer({
    replies: [script("function run() { sleep(60000); }")],
  });
  await using home = await openHome(model.baseUrl);
  await addDue(home, [{ mode: "agent" }]);
  await using server = await startServe(home, ["--db", `${home.path}/a.db`, "--grace", "100ms"]);
  await untilTrace(
    server,
    "s",
    (trace) => trace.some(({ step_type }) => step_type === "execute_js"),
  );
  server.child.kill("SIGTERM");
  strictEqual((await server.ended()).code, 143);
  await using store = openSqliteStore(`${home.path}/a.db`);
  const [task] = await store.schedule.list({ sessionId: "s" });
  ok(task?.lastOutcome?.state === "failed" || task?.state === "waiting", JSON.stringify(task));
});

Deno.test("serve: a web hook that is named gets what is delivered to it, signed", async () => {
  const secret = "a-secret-of-the-tests";
  await using hook = startSite(() => new Response());
  await using model = await startOpenAIServer();
  await using home = await openHome(model.baseUrl);
  await addDue(home, [{ channel: "webhook" }]);
  const words = [
    "--db",
    `${home.path}/a.db`,
    "--webhook",
    `http://127.0.0.1:${hook.port}/T0KEN`,
    "--allow-private-net",
    `127.0.0.1:${hook.port}`,
  ];
  await using server = await startServe(home, words, { AGENTLOOP_WEBHOOK_SECRET: secret });
  while (hook.hits.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  const { headers, body, path } = hook.hits[0]!;
  strictEqual(path, "/T0KEN");
  strictEqual(JSON.parse(body).text, "The tea is ready.");
  const [, seconds, signature] =
    /^t=(\d+),v1=(\w+)$/.exec(headers["x-agentloop-signature"] ?? "") ?? [];
  strictEqual(signature, createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex"));
  server.child.kill("SIGTERM");
  const { stdout, stderr } = await server.ended();
  strictEqual((stdout + stderr).includes("T0KEN"), false);
});

Deno.test("serve: a web hook that cannot work is said before anything is made", async () => {
  await using home = await openHome("http://127.0.0.1:1/v1");
  const serve = (url: string, env: Record<string, string> = {}) =>
    home.run(["serve", "--port", "0", "--webhook", url], { env });
  const none = await serve("http://127.0.0.1:9");
  match(none.stderr, /A web hook needs a key .*\n.*AGENTLOOP_WEBHOOK_SECRET/);
  strictEqual(none.code, 1);
  const wrong = await serve("mailto:a@example.org", { AGENTLOOP_WEBHOOK_SECRET: "x".repeat(16) });
  match(wrong.stderr, /--webhook takes an address/);
  strictEqual(wrong.code, 3);
  deepStrictEqual([...Deno.readDirSync(home.path)], []);
});
