/** `sessions calls`: the log of calls of real runs in real database files, for people, for programs, and at a terminal. */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import type { CallStart } from "../../contracts/call_log.ts";
import { scriptedClient } from "../../llm/scripted.ts";
import { createLoop } from "../../loop/create_loop.ts";
import { openSqliteStore } from "../../stores/sqlite/mod.ts";
import { defineTool, ToolRegistry } from "../../tools/mod.ts";
import { startOpenAIServer } from "../fixtures/openai_server.ts";
import { type Home, jsonLines, onlyResult, openHome, script } from "./cli_process.ts";
import { screenRows } from "./screen.ts";
import { HAS_TERMINAL, openTerminal } from "./terminal.ts";

const SECRET = "sk-abcdefghij0123456789";

/** A server whose `/hang` never answers. Disposing stops it. */
function service() {
  const hung = Promise.withResolvers<void>();
  const stop = Promise.withResolvers<Response>();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    if (new URL(request.url).pathname !== "/hang") return new Response("hello");
    hung.resolve();
    return stop.promise;
  });
  return {
    host: `127.0.0.1:${server.addr.port}`,
    hung: hung.promise,
    async [Symbol.asyncDispose]() {
      stop.resolve(new Response());
      await server.shutdown();
    },
  };
}

/** Text in which what differs from run to run has a name. */
function steady(text: string): string {
  return text.replaceAll(/run [0-9a-f-]{36}/g, "run ID")
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, "MOMENT")
    .replaceAll(/, \d+(\.\d)? m?s\b/g, ", TIME")
    .replaceAll(/127\.0\.0\.1(:\d+)?/g, "HOST");
}

Deno.test("sessions calls: the calls of a script are listed with what was decided, changed, and came of them", async () => {
  await using site = service();
  const url = `http://${site.host}/`;
  const work = script(`function run() {
  for (const url of ["${url}", "https://a.invalid/x", "https://b.invalid/"]) {
    try { fetch(url); } catch (error) { log(error.message); }
  }
  htmlToMarkdown("<b>bold</b>");
}`);
  await using server = await startOpenAIServer({ replies: [work, "done", "nothing to do"] });
  await using home = await openHome(server.baseUrl);
  const answers = [
    { approval_id: 1, answer: "edit", args: [url] },
    { approval_id: 2, answer: "no" },
  ].map((answer) => JSON.stringify(answer)).join("\n");
  const run = await home.run(
    ["--json", "--session", "s", "--approve", "stdio", "--allow-private-net", site.host, "go"],
    { stdin: `${answers}\n` },
  );
  strictEqual(run.code, 0, run.stderr + run.stdout);
  await home.run(["--session", "idle", "go"]);

  const { stdout, stderr, code } = await home.run(["sessions", "calls", "s"]);
  strictEqual(code, 0, stderr);
  const lines = steady(stdout).split("\n");
  match(
    lines.join("\n"),
    /^run ID\n1 {2}MOMENT {2}turn 1 {2}fetch HOST: allowed, ok(, TIME)?, \d+ B\n {4}\["http:\/\/HOST\/"\]\n/,
  );
  // The target is that of what was reached, not of what was asked for.
  match(
    lines.join("\n"),
    /\n2 {2}MOMENT {2}turn 1 {2}fetch HOST: changed, ok.*\n {4}\["http:\/\/HOST\/"\]\n/,
  );
  match(
    lines.join("\n"),
    /\n3 {2}MOMENT {2}turn 1 {2}fetch b\.invalid: denied, refused.*the user said no.*\n {4}\["https:\/\/b\.invalid\/"\]\n/,
  );
  match(lines.join("\n"), /\n4 {2}MOMENT {2}turn 1 {2}htmlToMarkdown: allowed, ok/);
  doesNotMatch(stdout, /a\.invalid/);

  const json = jsonLines((await home.run(["sessions", "calls", "s", "--json"])).stdout);
  deepStrictEqual(
    json.map(({ type, number, name, target, decision, outcome }) => [
      type,
      number,
      name,
      target,
      decision,
      outcome,
    ]),
    [
      ["call", 1, "fetch", "127.0.0.1", "allowed", "ok"],
      ["call", 2, "fetch", "127.0.0.1", "changed", "ok"],
      ["call", 3, "fetch", "b.invalid", "denied", "refused"],
      ["call", 4, "htmlToMarkdown", null, "allowed", "ok"],
      ["result", undefined, undefined, undefined, undefined, undefined],
    ],
  );
  deepStrictEqual(json[1].args, [url]);
  const shown = jsonLines((await home.run(["sessions", "show", "s", "--json"])).stdout);
  deepStrictEqual(
    json.slice(0, -1).map(({ number: _, ...call }) => call),
    shown.filter(({ type }) => type === "call"),
  );

  const idle = await home.run(["sessions", "calls", "idle"]);
  deepStrictEqual([idle.code, idle.stdout], [0, ""]);
  strictEqual(idle.stderr, "There are no calls in the log of session idle.\n");
});

Deno.test("sessions calls: tools called by name stand in the same log, and the filters choose among all", async () => {
  await using home = await openHome();
  const db = `${home.path}/agent.db`;
  const sell = defineTool({
    name: "sell",
    description: "Sells one",
    parameters: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
    sideEffect: true,
    target: ({ id }) => String(id),
    execute: ({ id }) => {
      if (id === "lamp") throw new Error("no lamps left");
      return "sold";
    },
  });
  {
    await using store = openSqliteStore(db);
    const times = [new Date("2026-03-01T08:00:00Z"), new Date("2026-03-02T08:00:00Z")];
    for (const [index, now] of times.entries()) {
      const ids = ["lamp", "chair"].map((id) => ({
        id: `${index}-${id}`,
        name: "sell",
        arguments: { id },
      }));
      const loop = createLoop({
        protocol: "tools",
        tools: new ToolRegistry([sell]),
        llm: scriptedClient([{ toolCalls: ids }, "Done."]),
        sessions: store,
        steps: store,
        calls: store,
        approve: () => ({ decision: "approve" }),
        now: () => now,
      });
      const result = await loop.run({ sessionId: "s", message: "Sell." });
      strictEqual(result.error, undefined);
    }
    await store.startCall(row({ name: "fetch", startedAt: new Date("2026-03-02T09:00:00Z") }));
  }
  async function numbers(...args: string[]): Promise<number[]> {
    const { stdout } = await home.run(["sessions", "calls", "s", "--db", db, "--json", ...args]);
    strictEqual(onlyResult(stdout).exit_code, 0);
    return jsonLines(stdout).slice(0, -1).map(({ number }) => number);
  }
  deepStrictEqual(await numbers(), [1, 2, 3, 4, 5]);
  deepStrictEqual(await numbers("--name", "sell", "--outcome", "error"), [1, 3]);
  deepStrictEqual(await numbers("--outcome", "ok", "--outcome", "never-ended"), [2, 4, 5]);
  deepStrictEqual(await numbers("--name=fetch,sell", "--until", "2026-03-01"), [1, 2]);
  deepStrictEqual(await numbers("--since", "2026-03-02T10:00+02:00"), [3, 4, 5]);
  deepStrictEqual(await numbers("--since", "2026-03-02", "--until", "2026-03-02T08:30Z"), [3, 4]);
  deepStrictEqual(await numbers("--since", "1h"), []);
  // The zone of the machine counts where none is named: the day is another one there.
  const { stdout } = await home.run(
    ["sessions", "calls", "s", "--db", db, "--until", "2026-03-01"],
    { env: { TZ: "Pacific/Kiritimati" } },
  );
  match(stdout, /^run .*\n1 {2}2026-03-01 22:00:00 {2}turn 1 {2}sell lamp: \w+, error, no lamps/);
  const none = await home.run(["sessions", "calls", "s", "--db", db, "--name", "nope"]);
  deepStrictEqual([none.code, none.stdout], [0, ""]);
  strictEqual(none.stderr, "None of the 5 calls of session s is such a one.\n");
});

Deno.test("sessions calls: a call whose program was killed never ended, and is found as such", async () => {
  await using site = service();
  await using server = await startOpenAIServer({
    replies: [
      script(
        `function run() { fetch("http://${site.host}/"); fetch("http://${site.host}/hang"); }`,
      ),
    ],
  });
  await using home = await openHome(server.baseUrl);
  {
    await using child = home.start(["--session", "s", "--allow-private-net", site.host, "go"]);
    await site.hung;
    child.kill("SIGKILL");
    await Promise.all([child.stdout.cancel(), child.stderr.cancel()]);
    strictEqual((await child.status).signal, "SIGKILL");
  }
  const all = steady((await home.run(["sessions", "calls", "s"])).stdout);
  match(all, /\n2 {2}MOMENT {2}turn 1 {2}fetch HOST: allowed, never ended\n {4}.*\/hang"\]\n$/);
  const found = await home.run(["sessions", "calls", "s", "--outcome", "never-ended"]);
  match(steady(found.stdout), /^run ID\n2 {2}MOMENT .* never ended\n.*\n$/);
});

Deno.test("sessions calls: wrong use and an unknown session are said so", async () => {
  await using home = await openHome();
  await using store = openSqliteStore(`${home.path}/s.db`);
  await store.startCall(row());
  const cases: [string[], number, RegExp][] = [
    [[], 3, /needs the id of a session/],
    [["s", "t"], 3, /takes one session at a time/],
    [["s", "--outcome", "fine"], 3, /takes ok, error, .*never-ended, not fine/],
    [["s", "--since", "yesterday"], 3, /--since takes a date like .* not yesterday/],
    [["s", "--until=-2h"], 3, /--until takes a date like /],
    [["s", "--since", "1h", "--until", "2h"], 3, /nothing lies between/],
    [["s", "--name="], 3, /--name holds an empty entry/],
    [["nope"], 1, /There is no session nope in .*s\.db/],
  ];
  for (const [args, exit, problem] of cases) {
    const { code, stdout, stderr } = await home.run(["sessions", "calls", "--db", "s.db", ...args]);
    strictEqual(code, exit, stderr);
    strictEqual(stdout, "");
    match(stderr, problem);
  }
  const json = await home.run(["sessions", "calls", "nope", "--json"]);
  strictEqual(onlyResult(json.stdout).error.type, "session_missing");
  match((await home.run(["sessions", "ls", "--since", "1h"])).stderr, /does not take --since/);
});

Deno.test("sessions calls: the key of the endpoint is in no form of it, cut or whole", async () => {
  await using home = await openHome();
  await using store = openSqliteStore(`${home.path}/s.db`);
  // The key stands where each text is cut.
  const long = (width: number) => "x".repeat(width - 10) + SECRET;
  const id = await store.startCall(row({
    name: long(100),
    target: long(100),
    argsJson: JSON.stringify([long(200), { [SECRET]: SECRET }]),
  }));
  await store.endCall(id, {
    outcome: "error",
    durationMs: 1,
    resultBytes: 0,
    error: long(200),
  });
  await store.append({
    sessionId: "s",
    runId: "r",
    stepType: "user",
    content: "go",
    durationMs: 0,
    promptTokens: 0,
    completionTokens: 0,
    createdAt: new Date(0),
  });
  for (const verb of ["calls", "show"]) {
    for (const json of [[], ["--json"]]) {
      const { code, stdout } = await home.run(["sessions", verb, "s", "--db", "s.db", ...json], {
        env: { OPENAI_API_KEY: SECRET },
      });
      strictEqual(code, 0);
      match(stdout, /xxx/);
      doesNotMatch(stdout, /sk-/);
    }
  }
});

Deno.test("sessions calls: a log that is larger than the memory is listed whole", async () => {
  await using home = await openHome();
  const count = 400;
  {
    await using store = openSqliteStore(`${home.path}/s.db`);
    const argsJson = JSON.stringify(["y".repeat(500_000)]);
    for (let sequence = 0; sequence < count; sequence++) {
      await store.startCall(row({ sequence, argsJson }));
    }
  }
  const { code, stdout, stderr } = await home.run(["sessions", "calls", "s", "--db", "s.db"], {
    env: { DENO_V8_FLAGS: "--max-old-space-size=120" },
  });
  strictEqual(code, 0, stderr);
  strictEqual(stdout.match(/^\d+ {2}.*never ended$/gm)?.length, count);
  ok(stdout.includes(`\n${count}  `));
});

// deno-lint-ignore no-control-regex -- what a terminal would obey, or hide
const UNSEEN = /[\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\u3164]|\p{Cf}/u;
const HOSTILE =
  "\x1b[2J\x1b]0;title\x07\x9b31m\b\u202e\u2066\u200b\u200e\ufeff\u{e0041}\u2028\u3164\0";

async function hostileHome(): Promise<Home> {
  const home = await openHome();
  await using store = openSqliteStore(`${home.path}/s.db`);
  for (const [name, target] of [["fetch", "日本語.example"], [`f${HOSTILE}`, `t${HOSTILE}`]]) {
    const id = await store.startCall(row({
      name: name!,
      target: target!,
      runId: `r${HOSTILE}`,
      argsJson: JSON.stringify([`${target} ${"日本 a e\u0301 ".repeat(30)}`, HOSTILE]),
    }));
    await store.endCall(id, {
      outcome: "error",
      durationMs: 5,
      resultBytes: 3,
      error: `${HOSTILE} one\r\ntwo`,
    });
  }
  return home;
}

for (const columns of [80, 40]) {
  Deno.test(
    `sessions calls: at a terminal of ${columns} columns nothing hidden gets through, and no line is broken by it`,
    {
      ignore: !HAS_TERMINAL,
    },
    async () => {
      await using home = await hostileHome();
      const args = ["sessions", "calls", "s", "--db", "s.db"];
      await using terminal = openTerminal(home, args, { NO_COLOR: "" }, { columns });
      strictEqual(await terminal.ended(), 0);
      doesNotMatch(terminal.shown.replaceAll("\r\n", "\n"), UNSEEN);
      match(terminal.shown, /\\u202e/);
      match(terminal.shown, /\\x1b/);
      // As many rows as lines: the terminal wrapped none of them.
      const rows = screenRows(terminal.shown, columns);
      deepStrictEqual(rows, terminal.shown.trimEnd().split("\r\n"));
      strictEqual(rows.filter((line) => /^[12] {2}\d{4}-/.test(line)).length, 2);
      strictEqual(rows.filter((line) => /^ {4}\["/.test(line)).length, 2);

      await using json = openTerminal(home, [...args, "--json"], {}, { columns });
      strictEqual(await json.ended(), 0);
      doesNotMatch(json.shown.replaceAll("\r\n", "\n"), UNSEEN);
      const lines = jsonLines(json.shown.replaceAll("\r\n", "\n"));
      strictEqual(lines[1].name, `f${HOSTILE}`);
      strictEqual(lines[1].args[1], HOSTILE);
      strictEqual(lines.length, 3);
    },
  );
}

/** A call that begins. */
function row(fields: Partial<CallStart> = {}): CallStart {
  return {
    sessionId: "s",
    runId: "r",
    turn: 1,
    sequence: 0,
    name: "f",
    argsJson: "[]",
    decision: "allowed",
    startedAt: new Date("2026-03-01T08:00:00Z"),
    ...fields,
  };
}
