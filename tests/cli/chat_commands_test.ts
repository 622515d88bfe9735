// deno-lint-ignore-file no-control-regex -- a terminal is told what to do by control characters
/** The commands of a chat, at a terminal of 80 and of 40 columns and in a pipe: what they do, and what is on the screen. */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { displayWidth } from "../../cli/terminal_text.ts";
import { openSqliteStore } from "../../stores/sqlite/mod.ts";
import { type OpenAIServer, startOpenAIServer } from "../fixtures/openai_server.ts";
import { type Home, openHome, script } from "./cli_process.ts";
import { screenRows } from "./screen.ts";
import { HAS_TERMINAL, openTerminal, type Terminal } from "./terminal.ts";

const atTerminal = (name: string, body: () => Promise<void>) =>
  Deno.test(`chat: ${name}`, { ignore: !HAS_TERMINAL }, body);

/** A chat at a terminal that knows what was shown since the last line was sent. */
interface Desk extends AsyncDisposable {
  readonly terminal: Terminal;
  /** Sends a line, and waits for what follows until the next prompt; gives the rows between them. */
  send(line: string): Promise<string[]>;
  /** Waits for the prompt behind the last one. */
  prompted(): Promise<void>;
  /** Ends the chat. */
  end(): Promise<void>;
}

async function openDesk(
  home: Home,
  args: readonly string[] = [],
  { columns = 80 }: { readonly columns?: number } = {},
): Promise<Desk> {
  const terminal = openTerminal(home, ["chat", ...args], {}, { columns });
  let prompts = 0;
  /** The line editor draws a prompt with nothing behind it once for each message. */
  const prompt = async () => {
    prompts++;
    await terminal.until(new RegExp(`(?:\\r\\x1b\\[J> \\r\\x1b\\[2C[^]*?){${prompts}}$`));
  };
  await prompt();
  return {
    terminal,
    prompted: prompt,
    async send(line) {
      await terminal.type(`${line}\r`);
      await prompt();
      const rows = screenRows(terminal.shown, columns);
      const at = rows.findLastIndex((row) => row.startsWith(`> ${line.split("\r")[0]}`));
      return rows.slice(at + 1, -1);
    },
    async end() {
      await terminal.type("\x04");
      strictEqual(await terminal.ended(), 0);
    },
    [Symbol.asyncDispose]: () => terminal[Symbol.asyncDispose](),
  };
}

function modelsAsked(server: OpenAIServer): string[] {
  return server.requests.map(({ body }) => body.model);
}

for (const columns of [40, 80]) {
  atTerminal(`/help lists every command on ${columns} columns`, async () => {
    await using home = await openHome("http://127.0.0.1:9/v1");
    await using desk = await openDesk(home, ["--ephemeral"], { columns });
    const rows = await desk.send("/help");
    deepStrictEqual(
      rows.map((row) => /^ {2}(\/\w+)/.exec(row)?.[1]).filter((name) => name !== undefined),
      ["/new", "/sessions", "/model", "/compact", "/approve", "/exit", "/help"],
    );
    for (const row of rows) ok(displayWidth(row) < columns, row);
    match(rows.join(" ").replaceAll(/ +/g, " "), /forget \[WHAT\].*a blank in front, anything is/);
    await desk.end();
  });

  atTerminal(`/new begins a session and /sessions goes back, on ${columns} columns`, async () => {
    await using server = await startOpenAIServer({ replies: ["Noted.", "Who?", "Teal."] });
    await using home = await openHome(server.baseUrl);
    await using desk = await openDesk(home, ["--session", "colors"], { columns });
    await desk.send("I like teal, as you know.");
    const [begun = ""] = await desk.send("/new");
    const id = /^New session (\d{8}-\d{4}-\w{5})\./.exec(begun)?.[1] ?? "";
    ok(id !== "", begun);
    await desk.send("What do I like?");
    doesNotMatch(JSON.stringify(server.requests[1]?.body), /teal/);

    const rows = await desk.send("/sessions");
    for (const row of rows) ok(displayWidth(row) < columns, row);
    const shown = rows.map((row) => row.trim().split(/ {2,}/));
    deepStrictEqual(shown.map(([number, name]) => [number, name]).slice(1), [["*", id], [
      "2",
      "colors",
    ]]);
    match(rows[2] ?? "", /I like te/);

    match(
      (await desk.send("/sessions 2")).join(" "),
      /^Going on with session colors: 1 run, I like teal/,
    );
    await desk.send("Again: what do I like?");
    match(JSON.stringify(server.requests[2]?.body), /I like teal.*Again: what do I like/);
    match(
      (await desk.send("/sessions color")).join(" "),
      /^There is no session color; did you mean\s+colors\?$/,
    );
    match((await desk.send("/sessions 9")).join(" "), /^There is no session 9; /);
    match((await desk.send("/new now")).join(" "), /^\/new takes nothing behind it$/);
    await desk.end();
    match(desk.terminal.shown, /To go on: agentloop chat --session colors\r\n$/);
  });
}

atTerminal("earlier messages of a session can be called up again, from the database", async () => {
  await using server = await startOpenAIServer({ otherwise: "Yes." });
  await using home = await openHome(server.baseUrl);
  strictEqual((await home.run(["--session", "s", "first of all"])).code, 0);
  await using desk = await openDesk(home, ["--session", "s"]);
  await desk.terminal.type("\x1b[A");
  await desk.terminal.until(/> first of all/);
  await desk.send(", again");
  match(JSON.stringify(server.requests[1]?.body.messages.at(-1)), /first of all, again/);
  await desk.end();
});

atTerminal(
  "/model shows the model, changes it, and warns of one that the endpoint does not list",
  async () => {
    await using server = await startOpenAIServer({
      otherwise: "Here.",
      models: ["test-model", "other-model", "evil\x1b[2J"],
    });
    await using home = await openHome(server.baseUrl);
    await using desk = await openDesk(home, ["--session", "s"]);
    deepStrictEqual(await desk.send("/model"), [
      "Model: test-model",
      "The endpoint has: test-model, other-model, evil\\x1b[2J",
    ]);
    await desk.send("one");
    deepStrictEqual(await desk.send("/model other-model"), ["From now on other-model is asked."]);
    await desk.send("two");
    deepStrictEqual(await desk.send("/model othr-model"), [
      "From now on othr-model is asked.",
      "warning: the endpoint's list has no othr-model; did you mean other-model?",
    ]);
    await desk.send("three");
    deepStrictEqual(await desk.send("/model a b"), ["/model takes one name"]);
    deepStrictEqual(modelsAsked(server), ["test-model", "other-model", "othr-model"]);
    await desk.end();
    match(desk.terminal.shown, /chat --model othr-model --session s\r\n$/);
  },
);

atTerminal("/model works where the endpoint gives no list", async () => {
  await using server = await startOpenAIServer({
    replies: ["Here."],
    models: { status: 404, body: "no" },
  });
  await using home = await openHome(server.baseUrl);
  await using desk = await openDesk(home, ["--ephemeral"]);
  deepStrictEqual(await desk.send("/model"), ["Model: test-model"]);
  deepStrictEqual(await desk.send("/model mine"), ["From now on mine is asked."]);
  await desk.send("one");
  deepStrictEqual(modelsAsked(server), ["mine"]);
  await desk.end();
});

atTerminal("a script's ai() and a summary ask the model that was chosen last", async () => {
  await using server = await startOpenAIServer({
    replies: [
      script('function run() { answer(ai("think")); }'),
      "thought",
      "word ".repeat(2000),
      "A summary.",
    ],
  });
  await using home = await openHome(server.baseUrl);
  await using desk = await openDesk(home, ["--session", "s"]);
  await desk.send("/model mine");
  await desk.send("ask yourself");
  await desk.send("and now at length");
  await desk.send("/compact");
  deepStrictEqual(modelsAsked(server), ["mine", "mine", "mine", "mine"]);
  await desk.end();
});

atTerminal("/compact folds the history, heeds what is asked, and says what it saved", async () => {
  await using server = await startOpenAIServer({
    replies: ["one ".repeat(2000), "two ".repeat(2000), "They said numbers.", "Yes."],
  });
  await using home = await openHome(server.baseUrl);
  await using desk = await openDesk(home, ["--session", "s", "--raw"]);
  deepStrictEqual(await desk.send("/compact"), [
    "Nothing was folded: of 0 messages none can be spared.",
  ]);
  await desk.send("first");
  await desk.send("second");
  match(
    (await desk.send("/compact keep the numbers")).join(" "),
    /^\d+ messages became \d+, the steps before \d+ stay/,
  );
  match(JSON.stringify(server.requests[2]?.body), /keep the numbers/);
  await desk.send("and now?");
  match(JSON.stringify(server.requests[3]?.body), /They said numbers/);
  doesNotMatch(JSON.stringify(server.requests[3]?.body), /one one one/);
  await desk.end();
});

atTerminal("Ctrl-C stops a command, and the chat goes on", async () => {
  const asked = Promise.withResolvers<void>();
  await using server = await startOpenAIServer({
    replies: ["word ".repeat(4000), () => {
      asked.resolve();
      return { pieces: [], end: "stall" };
    }, "Still here."],
  });
  await using home = await openHome(server.baseUrl);
  await using desk = await openDesk(home, ["--session", "s", "--raw"]);
  await desk.send("first");
  await desk.terminal.type("/compact\r");
  await asked.promise;
  await desk.terminal.type("\x03");
  await desk.prompted();
  match(desk.terminal.shown, /Stopped\.\r\n[^]*> /);
  match((await desk.send("there?")).join(" "), /Still here\./);
  await desk.end();
});

atTerminal("/approve shows, changes and forgets, as sessions revoke does", async () => {
  const ask = script(`function run() {
  try { fetch("https://nowhere.invalid/"); } catch (error) { answer(error.message); }
}`);
  await using server = await startOpenAIServer({ replies: [ask, ask, ask, ask] });
  await using home = await openHome(server.baseUrl);
  await using desk = await openDesk(home, ["--session", "s"]);
  deepStrictEqual(await desk.send("/approve"), [
    "Approval: prompt. You are asked at the terminal.",
    "This session was allowed nothing for good.",
  ]);
  await desk.terminal.type("go\r");
  await desk.terminal.until(/\[y\/N\/o\/a\/e\/\?\] /);
  match((await desk.send("y")).join(" "), /cannot be asked/);
  deepStrictEqual((await desk.send("/approve")).slice(1), [
    "This session was allowed:",
    "  fetch nowhere.invalid",
  ]);
  deepStrictEqual(await desk.send("/approve forget other.invalid"), [
    "The session s was never allowed other.invalid.",
  ]);
  deepStrictEqual(await desk.send("/approve forget nowhere.invalid"), ["Forgot 1 approval."]);
  deepStrictEqual(await desk.send("/approve deny"), [
    "Approval from now on: deny. Whatever would be asked is refused.",
  ]);
  match((await desk.send("go")).join(" "), /nobody is here to give/);
  match(
    (await desk.send("/approve auto")).join(" "),
    /Approval from now on: auto\. Whatever would be asked happens unasked/,
  );
  match((await desk.send("go")).join(" "), /cannot be asked/);
  await desk.send("/approve prompt");
  await desk.terminal.type("go\r");
  const questions = /(?:Allow it\?[^]*){3}/;
  await desk.terminal.until(questions);
  match((await desk.send("n")).join(" "), /the user said no/);
  deepStrictEqual(await desk.send("/approve forget"), [
    "Forgot 0 approvals, and what was refused.",
  ]);
  deepStrictEqual(await desk.send("/approve allways"), [
    "/approve takes prompt, auto, deny or forget, not allways",
  ]);
  await desk.end();
});

atTerminal(
  "what is no command is one line, and what only looks like one is a message",
  async () => {
    await using server = await startOpenAIServer({ otherwise: "/exit\n\n/approve auto" });
    await using home = await openHome(server.baseUrl);
    await using desk = await openDesk(home, ["--ephemeral"]);
    deepStrictEqual(await desk.send("/modle gpt"), [
      "There is no /modle; did you mean /model? /help lists the commands; a blank in",
      "front sends it as a message.",
    ]);
    strictEqual(server.requests.length, 0);
    const messages = ["/etc/hosts is what?", " /help me"];
    for (const message of messages) {
      const rows = await desk.send(message);
      // What a model wrote is shown and never looked at.
      deepStrictEqual(rows.slice(-3), ["/exit", "", "/approve auto"]);
    }
    await desk.terminal.type("/exit \\\r");
    await desk.terminal.until(/\r\x1b\[J… \r\x1b\[2C$/);
    await desk.send("now");
    deepStrictEqual(
      server.requests.map(({ body }) => body.messages.at(-1).content.split("\n\n").at(-1)),
      ["/etc/hosts is what?", "/help me", "/exit \nnow"],
    );
    match((await desk.send("/approve")).join(" "), /Approval: prompt/);
    await desk.end();
  },
);

Deno.test("chat: commands work in a pipe, and none of them lets anything pass unasked", async () => {
  await using server = await startOpenAIServer({ otherwise: "Seen." });
  await using home = await openHome(server.baseUrl);
  const { code, stdout, stderr } = await home.run(["chat", "-q", "--session", "s"], {
    stdin:
      "one\n/new\ntwo\n/sessions s\n/model mine\nthree\n/approve auto\n/approve prompt\n/approve\n/nwe\n/exit\nfour\n",
  });
  strictEqual(code, 0);
  strictEqual(stdout, "Seen.\nSeen.\nSeen.\n");
  const lines = stderr.trimEnd().split("\n");
  match(lines[0] ?? "", /^New session .*\. Back to the old one: \/sessions s$/);
  deepStrictEqual(lines.slice(1), [
    "Going on with session s: 1 run, one",
    "From now on mine is asked.",
    "warning: the endpoint's list has no mine",
    "/approve auto has to be typed at a terminal; for a pipe there is --approve auto",
    "/approve prompt needs a terminal for stdin and stderr",
    "Approval: deny. Whatever would be asked is refused.",
    "This session was allowed nothing for good.",
    "There is no /nwe; did you mean /new? /help lists the commands; a blank in front sends it as a message.",
  ]);
  deepStrictEqual(modelsAsked(server), ["test-model", "test-model", "mine"]);
});

atTerminal(
  "a new session has the persona of the options, a session of before keeps its own",
  async () => {
    await using server = await startOpenAIServer({ otherwise: "Ay." });
    await using home = await openHome(server.baseUrl);
    const path = `${home.path}/a.db`;
    strictEqual(
      (await home.run(["--db", path, "--session", "old", "--system", "A monk.", "hi"])).code,
      0,
    );
    await using desk = await openDesk(home, ["--db", path, "--system", "A pirate."]);
    await desk.send("/new");
    await desk.send("hi");
    match(JSON.stringify(server.requests[1]?.body), /A pirate\./);
    await desk.send("/sessions old");
    await desk.send("hi");
    match(JSON.stringify(server.requests[2]?.body), /A monk\./);
    await desk.end();
    await using store = openSqliteStore(path, { readOnly: true });
    strictEqual((await store.get("old")).systemPrompt, "A monk.");
  },
);
