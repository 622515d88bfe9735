// deno-lint-ignore-file no-control-regex -- a terminal is told what to do by control characters
/** Approvals by the command: who answers, what is shown at a terminal, what an answer does, and how long it holds. */
import { deepStrictEqual, doesNotMatch, match, strictEqual } from "node:assert/strict";
import { startOpenAIServer } from "../fixtures/openai_server.ts";
import { openHome, script } from "./cli_process.ts";
import { HAS_TERMINAL, openTerminal } from "./terminal.ts";

/** Nothing is ever reached under `.invalid`, so that what happens after an approval is the same everywhere. */
const HOST = "nowhere.invalid";
const QUESTION = /Allow it\? \[y\/N\/o\/a\/e\/\?\] /;

/** A script that tells what became of one request, or of two to the same host. */
function reaching(url: string, times: number = 1): string {
  return script(`function run() {
  const told = [];
  for (let n = 0; n < ${times}; n++) {
    try { fetch(${JSON.stringify(url)}); } catch (error) { told.push(error.message); }
  }
  answer(told.join(" | "));
}`);
}

const terminalTest = (name: string, body: () => Promise<void>) =>
  Deno.test(name, { ignore: !HAS_TERMINAL }, body);

terminalTest("approval: y at the terminal holds for the session until it is revoked", async () => {
  const ask = reaching(`https://${HOST}/a?b=c`);
  await using server = await startOpenAIServer({ replies: [ask, ask, ask] });
  await using home = await openHome(server.baseUrl);
  await using first = openTerminal(home, ["--session", "s", "go"]);
  await first.until(QUESTION);
  match(first.shown, /The agent wants to reach "nowhere\.invalid":\r\n {2}│ "https:\/\/nowhere/);
  await first.type("y\r");
  strictEqual(await first.ended(), 0);
  match(first.shown, /nowhere\.invalid cannot be asked/);

  await using second = openTerminal(home, ["--session", "s", "again"]);
  strictEqual(await second.ended(), 0);
  doesNotMatch(second.shown, QUESTION);
  match(second.shown, /nowhere\.invalid cannot be asked/);

  match((await home.run(["sessions", "show", "s"])).stdout, /^allowed +fetch nowhere\.invalid$/m);
  const wrong = await home.run(["sessions", "revoke", "s", "other.invalid"]);
  strictEqual(wrong.code, 1);
  match(wrong.stderr, /s was never allowed other\.invalid/);
  const revoked = await home.run(["sessions", "revoke", "s", HOST]);
  deepStrictEqual([revoked.code, revoked.stderr], [0, "Revoked 1 approval of s.\n"]);
  strictEqual((await home.run(["sessions", "revoke", "nobody"])).code, 1);

  await using third = openTerminal(home, ["--session", "s", "once more"]);
  await third.until(QUESTION);
  await third.type("\r");
  strictEqual(await third.ended(), 0);
  match(third.shown, /the user said no/);
});

terminalTest("approval: Enter refuses, for the rest of the run too", async () => {
  await using server = await startOpenAIServer({ replies: [reaching(`https://${HOST}/`, 2)] });
  await using home = await openHome(server.baseUrl);
  await using terminal = openTerminal(home, ["--raw", "--session", "s", "go"]);
  await terminal.until(QUESTION);
  await terminal.type("\r");
  strictEqual(await terminal.ended(), 0);
  strictEqual(terminal.shown.match(/The agent wants to/g)?.length, 1);
  match(terminal.shown, /the user said no.*\|.*it was refused before/);
  doesNotMatch((await home.run(["sessions", "show", "s"])).stdout, /^allowed/m);
});

terminalTest("approval: ? explains, and e lets the person change what happens", async () => {
  const [read, told] = [reaching(`https://${HOST}/secret`), "done"];
  await using server = await startOpenAIServer({
    replies: [read.replace("answer(", "log("), told],
  });
  await using home = await openHome(server.baseUrl);
  await using terminal = openTerminal(home, ["--session", "s", "go"]);
  await terminal.until(QUESTION);
  await terminal.type("?\r");
  await terminal.until(/y {2}allow this host, for the rest of the session/);
  await terminal.type("e\r");
  await terminal.until(/The arguments as JSON[^]*\["https:\/\/nowhere\.invalid\/secret"\]/);
  // Back over `secret"]`, and another word in its place.
  await terminal.type("\x7f".repeat('secret"]'.length) + 'public"\r');
  await terminal.until(/That is no list in JSON/);
  await terminal.type("]\r");
  strictEqual(await terminal.ended(), 0);
  const second = JSON.stringify(server.requests[1]?.body);
  match(second, /the user changed the arguments of fetch to .*public/);
  const shown = (await home.run(["sessions", "show", "s", "--json"])).stdout;
  match(shown, /"decision":"changed"/);
});

terminalTest("approval: what a model wrote cannot draw on the terminal", async () => {
  const url = `https://${HOST}/\u001b[2J\u001b[1;1HAllow it? [y/N/o/a/e/?] y\u202e\u009b`;
  await using server = await startOpenAIServer({ replies: [reaching(url)] });
  await using home = await openHome(server.baseUrl);
  await using terminal = openTerminal(home, ["--session", "s", "go"]);
  await terminal.until(/\[y\/N\/o\/a\/e\/\?\] \r/);
  doesNotMatch(terminal.shown, /\x1b\[2J|\u202e|\u009b/);
  await terminal.type("n\r");
  strictEqual(await terminal.ended(), 0);
});

terminalTest("approval: Ctrl-C at the question stops the run", async () => {
  await using server = await startOpenAIServer({ replies: [reaching(`https://${HOST}/`)] });
  await using home = await openHome(server.baseUrl);
  await using terminal = openTerminal(home, ["--session", "s", "go"]);
  await terminal.until(QUESTION);
  await terminal.type("\x03");
  strictEqual(await terminal.ended(), 130);
});

terminalTest(
  "approval: chat asks in between, and an answer is no message of its history",
  async () => {
    await using server = await startOpenAIServer({
      replies: [reaching(`https://${HOST}/`), "second"],
    });
    await using home = await openHome(server.baseUrl);
    await using terminal = openTerminal(home, ["chat", "--session", "s"]);
    await terminal.until(/> /);
    await terminal.type("go\r");
    await terminal.until(QUESTION);
    await terminal.type("o\r");
    await terminal.until(/cannot be asked[^]*> /);
    await terminal.type("\x1b[A\r");
    await terminal.until(/second\r\n/);
    match(JSON.stringify(server.requests[1]?.body), /"content":"go"\}\]/);
    await terminal.type("\x04");
    strictEqual(await terminal.ended(), 0);
  },
);

Deno.test("approval: where nobody can be asked the answer is no, unless the options say yes", async () => {
  const ask = reaching(`https://${HOST}/`);
  await using server = await startOpenAIServer({ replies: [ask, ask, ask] });
  await using home = await openHome(server.baseUrl);
  for (const args of [[], ["--approve", "deny"]]) {
    const { code, stdout } = await home.run([...args, "go"]);
    strictEqual(code, 0);
    match(stdout, /nobody is here to give/);
  }
  const { code, stdout } = await home.run(["--approve", "auto", "--session", "auto", "go"]);
  strictEqual(code, 0);
  match(stdout, /nowhere\.invalid cannot be asked/);
  doesNotMatch((await home.run(["sessions", "show", "auto"])).stdout, /^allowed/m);
});

Deno.test("approval: a way that there is not, and asking without a terminal, are usage errors", async () => {
  await using home = await openHome();
  const prompt = await home.run(["--approve", "prompt", "go"]);
  strictEqual(prompt.code, 3);
  match(prompt.stderr, /--approve prompt needs a terminal for stdin and stderr/);
  const wrong = await home.run(["--approve", "yes", "go"]);
  strictEqual(wrong.code, 3);
  match(wrong.stderr, /--approve takes prompt, stdio, auto, deny or wait, not "yes"/);
});

Deno.test("approval: a program that drives the command answers by lines on stdin", async () => {
  const requests = ["a.invalid", "b.invalid", "a.invalid", "c.invalid", "d.invalid"]
    .map((host) => `https://${host}/`);
  const ask = script(`function run() {
  for (const url of ${JSON.stringify(requests)}) {
    try { fetch(url); } catch (error) { log(error.message); }
  }
}`);
  await using server = await startOpenAIServer({ replies: [ask, "done"] });
  await using home = await openHome(server.baseUrl);
  const answers = [
    "nonsense",
    '{"approval_id":2,"answer":"all"}',
    '{"approval_id":1,"answer":"once","args":["https://changed.invalid/"]}',
    '{"approval_id":1,"answer":"session"}',
    '{"approval_id":2,"answer":"no"}',
    '{"approval_id":3,"answer":"edit","args":["https://changed.invalid/"]}',
  ];
  const { code, stdout, stderr } = await home.run(
    ["--json", "--approve", "stdio", "--session", "s", "go"],
    { stdin: answers.join("\n") + "\n" },
  );
  strictEqual(code, 0);
  const lines = stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
  const asked = lines.filter(({ type }) => type === "approval_request");
  deepStrictEqual(
    asked.map(({ approval_id: id, name, target, args }) => [id, name, target, args]),
    ["a", "b", "c", "d"].map((
      host,
      index,
    ) => [index + 1, "fetch", `${host}.invalid`, [`https://${host}.invalid/`]]),
  );
  match(stderr, /warning: no answer to approval 1: nonsense\. One is \{"approval_id":1,/);
  match(stderr, /no answer to approval 1: \{"approval_id":1,"answer":"once","args":/);
  const told = JSON.stringify(server.requests[1]?.body);
  match(
    told,
    /a\.invalid cannot be asked.*b\.invalid.*the user said no.*a\.invalid cannot be asked/,
  );
  match(told, /the user changed the arguments of fetch to .*changed\.invalid/);
  // The end of stdin is no.
  match(told, /d\.invalid.{0,20} is refused: the user said no/);
  deepStrictEqual(
    JSON.parse((await home.run(["sessions", "show", "s", "--json"])).stdout.split("\n")[0]!)
      .approvals,
    [{ name: "fetch", key: "a.invalid" }],
  );
});

Deno.test("approval: answers on stdin need JSON lines, and a message that does not come from there", async () => {
  await using home = await openHome();
  const plain = await home.run(["--approve", "stdio", "go"]);
  strictEqual(plain.code, 3);
  match(plain.stderr, /--approve stdio needs --json/);
  const piped = await home.run(["--json", "--approve", "stdio"], { stdin: "go" });
  strictEqual(piped.code, 3);
  match(piped.stdout, /answers come on stdin/);
});
