/** Runs that wait for a word on a call: how they end, what lists them, and how another process goes on. */
import { deepStrictEqual, doesNotMatch, match, strictEqual } from "node:assert/strict";
import { startOpenAIServer } from "../fixtures/openai_server.ts";
import { type Home, jsonLines, onlyResult, openHome, script } from "./cli_process.ts";
import { HAS_TERMINAL, openTerminal } from "./terminal.ts";

/** Reads a file, asks to write one, and tells what it read. */
const SOURCE = `function run() {
  const before = readFile("in.txt");
  writeFile("out.txt", before + "!");
  return { before };
}`;
const WRITE = script(SOURCE);
const PROTOCOLS = ["code", "code-tool", "auto"] as const;
const WAIT = ["--approve", "wait", "--session", "s", "go"];

async function homeWithFile(baseUrl: string): Promise<Home> {
  const home = await openHome(baseUrl);
  await Deno.writeTextFile(`${home.path}/in.txt`, "hello");
  return home;
}

async function written(home: Home): Promise<string | undefined> {
  return await Deno.readTextFile(`${home.path}/out.txt`).catch(() => undefined);
}

Deno.test("waiting: a run that would have to ask ends with 5, says how to go on, and another process does", async () => {
  await using server = await startOpenAIServer({ replies: [WRITE, "It is written."] });
  await using home = await homeWithFile(server.baseUrl);
  const { code, stdout, stderr } = await home.run(WAIT);
  deepStrictEqual([code, stdout], [5, ""]);
  match(
    stderr,
    /Stopped at a call that needs an approval: writeFile out\.txt \["out\.txt","hello!"\]\./,
  );
  match(stderr, /To go on: agentloop resume --approve wait --allow s; in place of --allow/);
  strictEqual(await written(home), undefined);

  const listed = await home.run(["sessions", "waiting"]);
  strictEqual(listed.code, 0);
  match(
    listed.stdout,
    /^ID +SINCE +WAITS AT +ARGUMENTS\ns +\S.* +writeFile out\.txt +\["out\.txt","hello!"\]\n$/,
  );
  match(
    (await home.run(["sessions", "ls"])).stderr,
    /1 session waits for a word on a call: agentloop sessions waiting/,
  );

  const resumed = await home.run(["resume", "--allow", "s"]);
  deepStrictEqual([resumed.code, resumed.stdout], [0, "It is written.\n"]);
  strictEqual(await written(home), "hello!");
  const calls = await home.run(["sessions", "calls", "s"]);
  strictEqual(calls.stdout.match(/readFile/g)?.length, 1);
  match(calls.stdout, /writeFile out\.txt: approved, ok/);
  match((await home.run(["sessions", "waiting"])).stderr, /No session in .* waits for a word/);
});

Deno.test("waiting: changed arguments and a refusal reach the script and the model; each protocol that hands over scripts can wait", async () => {
  for (const protocol of PROTOCOLS) {
    const call = { name: "run_javascript", arguments: JSON.stringify({ code: SOURCE }) };
    const reply = protocol === "code-tool"
      ? { toolCalls: [{ id: "c1", type: "function", function: call }] }
      : WRITE;
    await using server = await startOpenAIServer({
      replies: [reply, "changed", reply, "refused"],
    });
    await using home = await homeWithFile(server.baseUrl);
    const way = ["--protocol", protocol];
    strictEqual((await home.run([...way, ...WAIT])).code, 5);
    const changed = await home.run(["resume", ...way, "--args", '["other.txt", "bye"]', "s"]);
    deepStrictEqual([changed.code, changed.stdout], [0, "changed\n"]);
    strictEqual(await written(home), undefined);
    strictEqual(await Deno.readTextFile(`${home.path}/other.txt`), "bye");
    match(
      JSON.stringify(server.requests[1]?.body),
      /the user changed the arguments of writeFile to .*other\.txt/,
    );
    strictEqual((await home.run([...way, ...WAIT])).code, 5);
    const refused = await home.run(["resume", ...way, "--deny", "not there", "s"]);
    deepStrictEqual([refused.code, refused.stdout], [0, "refused\n"]);
    match(JSON.stringify(server.requests[3]?.body), /the user said no: not there/);
  }
});

Deno.test("waiting: JSON mode carries the call, and what lists it shows no control characters and no secret", async () => {
  const ask = script(
    `function run() { writeFile("out.txt", "\\u001b[31mred sk-abcdefgh12345678\\u0007"); }`,
  );
  await using server = await startOpenAIServer({ replies: [ask, "done"] });
  await using home = await homeWithFile(server.baseUrl);
  const env = { OPENAI_API_KEY: "sk-abcdefgh12345678" };
  const run = await home.run(["--json", ...WAIT], { env });
  strictEqual(run.code, 5);
  const result = onlyResult(run.stdout);
  deepStrictEqual([result.status, result.exit_code, result.error.type], ["waiting", 5, "waiting"]);
  const { call_id: id, name, target, args, reason } = result.pending;
  deepStrictEqual([name, target, args[0]], ["writeFile", "out.txt", "out.txt"]);
  match(id, /^js_\d+_0$/);
  match(reason, /./);
  const event = jsonLines(run.stdout).find(({ type }) => type === "approval_pending");
  strictEqual(event.approval.call_id, id);
  const listed = await home.run(["--json", "sessions", "waiting"], { env });
  const [line, last] = jsonLines(listed.stdout);
  deepStrictEqual([line.type, line.session_id, line.call_id], ["waiting", "s", id]);
  deepStrictEqual([last.type, last.pending], ["result", null]);
  const plain = await home.run(["sessions", "waiting"], { env });
  for (const text of [run.stdout, listed.stdout, plain.stdout]) {
    doesNotMatch(text, /abcdefgh12345678/);
    // deno-lint-ignore no-control-regex -- that is what must not be there
    doesNotMatch(text, /[\u0007\u001b]/);
  }
  const resumed = await home.run(["--json", "resume", "--allow", "--call", id, "s"], { env });
  const end = onlyResult(resumed.stdout);
  deepStrictEqual([resumed.code, end.status, end.text, end.pending], [
    0,
    "completed",
    "done",
    null,
  ]);
  match(await written(home) ?? "", /red sk-abcdefgh12345678/);
});

Deno.test("waiting: a second question waits again; without --approve wait it is refused where nobody is", async () => {
  const two = script(`function run() {
    writeFile("a.txt", "1");
    try { writeFile("b.txt", "2"); } catch (error) { return error.message; }
  }`);
  await using server = await startOpenAIServer({ replies: [two, "over"] });
  await using home = await homeWithFile(server.baseUrl);
  strictEqual((await home.run(WAIT)).code, 5);
  const second = await home.run(["resume", "--approve", "wait", "--allow", "s"]);
  strictEqual(second.code, 5);
  match(second.stderr, /needs an approval: writeFile b\.txt/);
  const third = await home.run(["resume", "--allow", "s"]);
  deepStrictEqual([third.code, third.stdout], [0, "over\n"]);
  strictEqual(await Deno.readTextFile(`${home.path}/b.txt`), "2");
});

Deno.test("waiting: what was allowed for the session does not wait, and a word by --approve counts", async () => {
  await using server = await startOpenAIServer({ replies: [WRITE, "over"] });
  await using home = await homeWithFile(server.baseUrl);
  strictEqual((await home.run(WAIT)).code, 5);
  const resumed = await home.run(["resume", "--approve", "auto", "s"]);
  deepStrictEqual([resumed.code, resumed.stdout], [0, "over\n"]);
  strictEqual(await written(home), "hello!");
});

Deno.test("waiting: wrong use is told with the way out, and nothing is done", async () => {
  await using server = await startOpenAIServer({ replies: [WRITE] });
  await using home = await homeWithFile(server.baseUrl);
  strictEqual((await home.run(WAIT)).code, 5);
  const cases: [string[], number, RegExp][] = [
    [["resume"], 3, /resume needs the id of a session/],
    [["resume", "--allow", "s", "t"], 3, /one session at a time/],
    [["resume", "s"], 3, /needs the word on the call: --allow, --deny REASON or --args JSON/],
    [["resume", "--approve", "wait", "s"], 3, /needs the word on the call/],
    [["resume", "--allow", "--deny", "no", "s"], 3, /--allow and --deny exclude each other/],
    [["resume", "--args", '{"a":1}', "s"], 3, /--args takes a list in JSON/],
    [["resume", "--allow", "nobody"], 1, /There is no session nobody/],
    [["resume", "--allow", "--call", "js_9_9", "s"], 1, /waits at the call js_1_1, not at js_9_9/],
    [["--ephemeral", "--approve", "wait", "go"], 3, /leave --ephemeral out/],
    [["--allow", "go"], 3, /--allow/],
  ];
  for (const [args, code, told] of cases) {
    const ended = await home.run(args);
    deepStrictEqual([args, ended.code], [args, code]);
    match(ended.stderr, told);
  }
  strictEqual(await written(home), undefined);
  match((await home.run(["sessions", "waiting"])).stdout, /writeFile out\.txt/);
});

Deno.test("waiting: a session that waits for nothing says so", async () => {
  await using server = await startOpenAIServer({ replies: ["hi"] });
  await using home = await homeWithFile(server.baseUrl);
  await home.run(["--session", "s", "hello"]);
  const { code, stderr } = await home.run(["resume", "--allow", "s"]);
  strictEqual(code, 1);
  match(stderr, /The session s waits for no word\.\n.*agentloop sessions waiting/);
});

Deno.test("waiting: a message that ends the waiting says which call is not made, once", async () => {
  await using server = await startOpenAIServer({ replies: [WRITE, "never mind", "as you like"] });
  await using home = await homeWithFile(server.baseUrl);
  strictEqual((await home.run(WAIT)).code, 5);
  const first = await home.run(["--session", "s", "forget it"]);
  strictEqual(first.code, 0, first.stderr);
  match(
    first.stderr,
    /^warning: The session waited for a word on writeFile out\.txt: this message ends that, and the call is not made\.$/m,
  );
  doesNotMatch((await home.run(["--session", "s", "thanks"])).stderr, /waited/);
});

Deno.test("waiting: a chat says where the word is given, and goes on by its next message", async () => {
  await using server = await startOpenAIServer({ replies: [WRITE, "never mind"] });
  await using home = await homeWithFile(server.baseUrl);
  const { code, stdout, stderr } = await home.run(
    ["chat", "--approve", "wait", "--session", "s"],
    { stdin: "write it\nforget it\n" },
  );
  deepStrictEqual([code, stdout], [0, "never mind\n"]);
  match(stderr, /To go on: agentloop resume --approve wait --allow s/);
  strictEqual((await home.run(["resume", "--allow", "s"])).code, 1);
  strictEqual(await written(home), undefined);
});

Deno.test("waiting: a run that is killed after the word can be taken up, and what it had done is not done again", async () => {
  const slow = script(`function run() {
    const before = readFile("in.txt");
    writeFile("out.txt", before + "!");
    readFile("in.txt");
    sleep(600000);
  }`);
  await using server = await startOpenAIServer({ replies: [slow], otherwise: "I see" });
  await using home = await homeWithFile(server.baseUrl);
  strictEqual((await home.run(WAIT)).code, 5);
  {
    await using child = home.start(["--json", "resume", "--allow", "s"]);
    let seen = "";
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
      seen += text;
      if (/"name":"readFile"/.test(seen)) child.kill("SIGKILL");
    }
    await child.stderr.cancel();
    await child.status;
  }
  strictEqual(await written(home), "hello!");
  await Deno.remove(`${home.path}/out.txt`);
  match((await home.run(["sessions", "waiting"])).stdout, /writeFile out\.txt/);
  // Either the script is at its sleep again, and the wall ends it; or the end of the last call was not kept, and the model is told.
  const { code, stderr } = await home.run(["resume", "--timeout", "2s", "--deny", "too late", "s"]);
  if (code === 0) match(JSON.stringify(server.requests[1]?.body), /readFile was under way/);
  else match(stderr, /No answer within 2/);
  strictEqual(await written(home), undefined);
});

Deno.test({
  name: "waiting: at a terminal resume asks, and shows what is asked without control characters",
  ignore: !HAS_TERMINAL,
  fn: async () => {
    await using server = await startOpenAIServer({ replies: [WRITE, "It is written."] });
    await using home = await homeWithFile(server.baseUrl);
    strictEqual((await home.run(WAIT)).code, 5);
    await using terminal = openTerminal(home, ["resume", "s"]);
    await terminal.until(/Allow it\? /);
    match(terminal.shown, /out\.txt/);
    await terminal.type("o\r");
    strictEqual(await terminal.ended(), 0);
    match(terminal.shown, /It is written\./);
    strictEqual(await written(home), "hello!");
  },
});

Deno.test("waiting: where a limit leaves nothing for the call, going on is to resume: a message would end the waiting", async () => {
  await using server = await startOpenAIServer({ replies: [WRITE, "It is written."] });
  await using home = await homeWithFile(server.baseUrl);
  strictEqual((await home.run(WAIT)).code, 5);
  const { code, stderr } = await home.run(["resume", "--allow", "--max-tokens", "5", "s"]);
  strictEqual(code, 4, stderr);
  match(
    stderr,
    /\(--max-tokens\)[^\n]*\nTo go on: agentloop resume --allow s; in place of --allow/,
  );
  const resumed = await home.run(["resume", "--allow", "s"]);
  deepStrictEqual([resumed.code, resumed.stdout], [0, "It is written.\n"]);
});

Deno.test("waiting: who stops resume at its question is told to resume", {
  ignore: !HAS_TERMINAL,
}, async () => {
  await using server = await startOpenAIServer({ replies: [WRITE] });
  await using home = await homeWithFile(server.baseUrl);
  strictEqual((await home.run(WAIT)).code, 5);
  await using terminal = openTerminal(home, ["resume", "s"]);
  await terminal.until(/Allow it\? /);
  await terminal.type("\x03");
  strictEqual(await terminal.ended(), 130);
  match(terminal.shown, /Stopped by SIGINT\.\r\nTo go on: agentloop resume --allow s; in place of/);
});
