/** `--assistant`: the time, the guidelines, five steps, and answers that are checked before they are shown. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { startOpenAIServer } from "../fixtures/openai_server.ts";
import { jsonLines, onlyResult, openHome, script } from "./cli_process.ts";

interface Body {
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}

const messagesOf = (request: { readonly body: unknown } | undefined) =>
  (request?.body as Body).messages;

Deno.test("--assistant: the model is told the time in the zone, the gap, and the guidelines; without it nothing", async () => {
  await using server = await startOpenAIServer({ replies: ["Hi.", "Hi again.", "Plain."] });
  await using home = await openHome(server.baseUrl);
  const args = ["--assistant", "--timezone", "Asia/Kathmandu", "--session", "s"];
  for (const message of ["Hello.", "Hello again."]) {
    const { code, stderr } = await home.run([...args, "--system", "You are Ada.", message]);
    strictEqual(code, 0, stderr);
  }
  const [first, second] = server.requests.map(messagesOf);
  const system = first![0]!.content;
  match(system, /You are Ada\./);
  match(system, /<tool_execution_guidelines>[\s\S]*Honesty:[\s\S]*<\/tool_execution_guidelines>/);
  match(system, /artifact_save[\s\S]*proactive_create/);
  strictEqual(second![0]!.content, system);
  const said = first!.at(-1)!.content;
  match(
    said,
    /^Hello\.\n\n<temporal_context>\nCurrent date and time: \w+day, \d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+0545\nTime zone: Asia\/Kathmandu\n<\/temporal_context>$/,
  );
  match(second!.at(-1)!.content, /Idle gap: .* since last message/);
  strictEqual(second![1]!.content, "Hello.");
  const plain = await home.run(["--session", "t", "Hello."]);
  strictEqual(plain.code, 0, plain.stderr);
  ok(!plain.stderr.includes("agentloop serve"), plain.stderr);
  ok(!JSON.stringify(server.requests[2]!.body).includes("temporal"));
});

Deno.test("--assistant: what it saves and schedules is there afterwards, without a question, and may be spoken of", async () => {
  const work = script(`function run() {
    const page = artifact_save({ filename: "news.html", title: "News", content: "<h1>News</h1>" });
    const task = proactive_create({ text: "Read the news.", execution_mode: "message", delay: "2h" });
    answer("I've saved the page at " + page.address + " and scheduled a reminder (" + task.id + ").");
  }`);
  await using server = await startOpenAIServer({ replies: [work] });
  await using home = await openHome(server.baseUrl);
  const { code, stdout, stderr } = await home.run(["--assistant", "--session", "s", "The news."]);
  strictEqual(code, 0, stderr);
  const [, address = "", id] = /\/artifacts\/([\w-]+)\/news\.html and .* \((\S+)\)/.exec(stdout) ??
    [];
  ok(!stdout.includes("Warning"), stdout);
  match(stderr, /agentloop serve opens artifacts at their addresses; agentloop artifacts show/);
  match(stderr, /1 scheduled task of this session: agentloop serve, or agentloop schedule run-due/);
  strictEqual((await home.run(["artifacts", "show", address])).stdout, "<h1>News</h1>");
  const tasks = await home.run(["schedule", "ls", "--json"]);
  deepStrictEqual(
    jsonLines(tasks.stdout).filter(({ type }) => type === "task").map((task) => task.id),
    [id],
  );
});

Deno.test("chat --assistant: what opens pages and does tasks is said once, and not after every answer", async () => {
  const work = script(`function run() {
    const page = artifact_save({ filename: "news.html", content: "<h1>News</h1>" });
    proactive_create({ text: "Read the news.", execution_mode: "message", delay: "2h" });
    answer("I've saved the page at " + page.address + " and scheduled a reminder.");
    return page.address;
  }`);
  const again = script('function run(address) { answer("It is at " + address + "."); }');
  await using server = await startOpenAIServer({ replies: [work, again] });
  await using home = await openHome(server.baseUrl);
  const { code, stderr } = await home.run(["chat", "--assistant", "--session", "s"], {
    stdin: "The news.\nWhere?\n",
  });
  strictEqual(code, 0, stderr);
  strictEqual(stderr.match(/agentloop serve opens artifacts/g)?.length, 1, stderr);
  strictEqual(stderr.match(/1 scheduled task of this session/g)?.length, 1, stderr);
});

Deno.test("resume --assistant: what does a task that was allowed is said there", async () => {
  const work = script(`function run() {
    proactive_create({ text: "Read the news.", execution_mode: "agent", delay: "2h" });
    answer("I've scheduled it.");
  }`);
  await using server = await startOpenAIServer({ replies: [work] });
  await using home = await openHome(server.baseUrl);
  const asked = await home.run(["--assistant", "--approve", "wait", "--session", "s", "The news."]);
  strictEqual(asked.code, 5, asked.stderr);
  const { code, stderr } = await home.run(["resume", "--assistant", "--allow", "s"]);
  strictEqual(code, 0, stderr);
  match(stderr, /1 scheduled task of this session: agentloop serve, or agentloop schedule run-due/);
});

Deno.test("--assistant: an address that no call gave is held back, also of an artifact that is not there any more", async () => {
  const lie = "Here it is: /artifacts/AAAAAAAAAAAAAAAAAAAAAAAAAA/news.html";
  await using server = await startOpenAIServer({ replies: [lie, "I have no page for you."] });
  await using home = await openHome(server.baseUrl);
  const { code, stdout, stderr } = await home.run(["--assistant", "--session", "s", "The page?"]);
  strictEqual(code, 0, stderr);
  strictEqual(stdout, "I have no page for you.\n");
});

Deno.test("--assistant --ephemeral: what would end with the command is not offered", async () => {
  await using server = await startOpenAIServer({ replies: ["Hi."] });
  await using home = await openHome(server.baseUrl);
  const { code, stderr } = await home.run(["--assistant", "--ephemeral", "Hello."]);
  strictEqual(code, 0, stderr);
  ok(!/artifact_save|proactive_create/.test(messagesOf(server.requests[0])[0]!.content));
});

Deno.test("--assistant: what only pretends is held back, told once, and shown with a warning", async () => {
  const lie = "I've saved the report as report.html.";
  await using server = await startOpenAIServer({ replies: [lie, lie] });
  await using home = await openHome(server.baseUrl);
  const { code, stdout, stderr } = await home.run(["--assistant", "--session", "s", "Save it."]);
  strictEqual(code, 0, stderr);
  strictEqual(
    stdout,
    `${lie}\n\n[Warning: this answer says that something was saved, but no call in this session did that.]\n`,
  );
  match(stderr, /answer held back, nothing shows: saved/);
  match(messagesOf(server.requests[1]).at(-1)!.content, /Your answer was not shown to the user/);
  const trace = await home.run(["sessions", "show", "s"]);
  match(trace.stdout, /Your answer was not shown to the user/);
});

Deno.test("--assistant --json: no event holds the answer before it was checked, and the result says that it is flagged", async () => {
  const lie = "I've sent the email to Ana.";
  await using server = await startOpenAIServer({ replies: [lie, lie] });
  await using home = await openHome(server.baseUrl);
  const { stdout } = await home.run(["--assistant", "--json", "Send it."]);
  const lines = jsonLines(stdout);
  const types = lines.map(({ type }) => type);
  const told = types.filter((type) => /^(?:answer|response)/.test(type));
  deepStrictEqual(told, ["answer_held_back", "response", "answer_flagged"]);
  const held = lines[types.indexOf("answer_held_back")];
  deepStrictEqual(held.claims, ["sent"]);
  ok(!JSON.stringify(lines.slice(0, types.indexOf("response"))).includes("to Ana"));
  const result = onlyResult(stdout);
  deepStrictEqual([result.status, result.flagged, result.forced], ["completed", true, false]);
});

Deno.test("--assistant: a file that was written may be spoken of, and the fifth step is for an answer", async () => {
  const write = script('function run() { writeFile("notes.md", "tea"); return "written"; }');
  const look = script('function run() { return glob("*.md"); }');
  await using server = await startOpenAIServer({
    replies: [write, look, look, look, "I've saved your notes in notes.md."],
  });
  await using home = await openHome(server.baseUrl);
  const { code, stdout, stderr } = await home.run([
    "--assistant",
    "--approve",
    "auto",
    "--json",
    "Note: tea.",
  ]);
  strictEqual(code, 0, stderr);
  const result = onlyResult(stdout);
  deepStrictEqual([result.text, result.forced, result.flagged], [
    "I've saved your notes in notes.md.",
    true,
    false,
  ]);
  match(messagesOf(server.requests[4]).at(-1)!.content, /This is the last turn/);
});

Deno.test("--assistant: a config file that is trusted may say so, and any may name the zone", async () => {
  await using server = await startOpenAIServer({ replies: ["Hi.", "Hi.", "Hi.", "Hi."] });
  await using home = await openHome(server.baseUrl);
  const cwd = `${home.path}/project`;
  await Deno.mkdir(`${cwd}/.agentloop`, { recursive: true });
  const file = `${cwd}/.agentloop/config.json`;
  await Deno.writeTextFile(file, '{ "timezone": "America/St_Johns" }');
  const named = await home.run(["--assistant", "Hello."], { cwd });
  strictEqual(named.code, 0, named.stderr);
  match(messagesOf(server.requests[0]).at(-1)!.content, /Time zone: America\/St_Johns/);
  const plain = await home.run(["Hello."], { cwd });
  strictEqual(plain.code, 0, plain.stderr);
  strictEqual(messagesOf(server.requests[1]).at(-1)!.content.includes("St_Johns"), false);
  await Deno.writeTextFile(file, '{ "timezone": "Mars/Olympus" }');
  const refused = await home.run(["Hello."], { cwd });
  strictEqual(refused.code, 3);
  match(refused.stderr, /"timezone" takes the name of a time zone, such as America\/Sao_Paulo/);
  await Deno.writeTextFile(file, '{ "assistant": true, "timezone": "America/St_Johns" }');
  const untrusted = await home.run(["Hello."], { cwd });
  strictEqual(untrusted.code, 3, untrusted.stderr);
  strictEqual((await home.run(["trust", "--yes"], { cwd })).code, 0);
  const { code, stderr } = await home.run(["Hello."], { cwd });
  strictEqual(code, 0, stderr);
  match(messagesOf(server.requests[2]).at(-1)!.content, /Time zone: America\/St_Johns/);
  const other = await home.run(["--timezone", "Asia/Kathmandu", "Hello."], { cwd });
  strictEqual(other.code, 0, other.stderr);
  match(messagesOf(server.requests[3]).at(-1)!.content, /Time zone: Asia\/Kathmandu/);
});

Deno.test("--timezone without --assistant is told, but in serve, where it is the zone of tasks", async () => {
  await using home = await openHome();
  for (const words of [["hi"], ["chat"], ["resume", "s"], ["schedule", "run-due"]]) {
    const { code, stderr } = await home.run([...words, "--timezone", "America/Sao_Paulo"]);
    strictEqual(code, 3, `${words}: ${stderr}`);
    match(
      stderr,
      /^agentloop: --timezone needs --assistant: it says where the user of an assistant is\nTry: /,
    );
  }
  const served = await home.run(["serve", "--timezone", "America/Sao_Paulo"]);
  match(served.stderr, /^agentloop: No API key for /);
  for (const word of ["--help", "--version"]) {
    strictEqual((await home.run(["--timezone", "America/Sao_Paulo", word])).code, 0);
  }
  deepStrictEqual([...Deno.readDirSync(home.path)].map(({ name }) => name), [".local"]);
});

Deno.test("--timezone takes names of zones, and nothing that could be read as more", async () => {
  await using home = await openHome("http://127.0.0.1:1/v1");
  for (const zone of ["Mars/Olympus", "+03:00", "UTC\u001b[31m", ""]) {
    const { code, stderr } = await home.run(["--assistant", "--timezone", zone, "go"]);
    strictEqual(code, 3);
    match(stderr, /--timezone/);
    ok(!stderr.includes("\u001b[31m"));
  }
});

Deno.test("--assistant: a command killed while its answer is held back leaves it in the trace, and the next run does not speak of it", async () => {
  const lie = "I've scheduled the reminder for 9.";
  const asked = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  await using server = await startOpenAIServer({
    replies: [
      lie,
      () => {
        asked.resolve();
        return { text: "Later.", until: ended.promise };
      },
      "Nothing is scheduled.",
    ],
  });
  await using home = await openHome(server.baseUrl);
  const child = home.start(["--assistant", "--session", "s", "Remind me at 9."]);
  await asked.promise;
  child.kill("SIGKILL");
  const { stdout } = await child.output();
  ended.resolve();
  strictEqual(new TextDecoder().decode(stdout), "");
  const { code, stderr } = await home.run(["--assistant", "--session", "s", "Is it?"]);
  strictEqual(code, 0, stderr);
  const sent = JSON.stringify(server.requests.at(-1)!.body);
  ok(!sent.includes("scheduled the reminder"));
  match(sent, /The run ended without an answer/);
  const trace = await home.run(["sessions", "show", "s", "--json"]);
  match(trace.stdout, /held_back/);
});

Deno.test("--assistant: a run that goes on after a wait has the guidelines and the time too", async () => {
  const work = script(`function run() { writeFile("out.txt", "x"); }`);
  await using server = await startOpenAIServer({ replies: [work, "Over."] });
  await using home = await openHome(server.baseUrl);
  const waited = await home.run(["--assistant", "--approve", "wait", "--session", "s", "Go."]);
  strictEqual(waited.code, 5, waited.stderr);
  const resumed = await home.run(["resume", "--assistant", "--allow", "s"]);
  deepStrictEqual([resumed.code, resumed.stdout], [0, "Over.\n"]);
  const [first, second] = server.requests.map(messagesOf);
  strictEqual(second![0]!.content, first![0]!.content);
  match(second![1]!.content, /^Go\.\n\n<temporal_context>/);
});
