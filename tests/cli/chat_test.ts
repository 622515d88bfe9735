// deno-lint-ignore-file no-control-regex -- a terminal is told what to do by control characters
import { deepStrictEqual, doesNotMatch, match, strictEqual } from "node:assert/strict";
import { type OpenAIServer, startOpenAIServer } from "../fixtures/openai_server.ts";
import { openHome, script } from "./cli_process.ts";
import { HAS_TERMINAL, openTerminal } from "./terminal.ts";

Deno.test("chat answers each line of a pipe in one session and ends as the last run did", async () => {
  await using server = await startOpenAIServer({
    replies: [
      script('function run() { answer("noted"); return "teal"; }'),
      script("function run(color) { answer(color); }"),
      { status: 400, json: { error: { message: "no more" } } },
    ],
  });
  await using home = await openHome(server.baseUrl);
  const { code, stdout, stderr } = await home.run(["chat", "--quiet", "--session", "s"], {
    stdin: "I like \\\nteal\n\nWhich one?\nAnd now?\n",
  });
  strictEqual(stdout, "noted\nteal\n");
  strictEqual(code, 1);
  match(stderr, /^agentloop: .*no more/);
  strictEqual(stderr.trimEnd().split("\n").length, 1);
  match(JSON.stringify(server.requests[0]?.body), /I like \\nteal/);
});

Deno.test("chat takes no message", async () => {
  await using home = await openHome();
  const { code, stderr } = await home.run(["chat", "hello"]);
  strictEqual(code, 3);
  match(stderr, /^agentloop: chat takes no message; send the first one with: agentloop run "…"\n/);
});

Deno.test(
  "CLI-05: Ctrl-C stops the answer and keeps the conversation, pressed twice at the prompt it ends the command",
  {
    ignore: !HAS_TERMINAL,
  },
  async () => {
    const asked = Promise.withResolvers<void>();
    await using server = await startOpenAIServer({
      replies: [
        () => {
          asked.resolve();
          return { pieces: [], end: "stall" };
        },
        "Still here.",
      ],
    });
    await using home = await openHome(server.baseUrl);
    await using terminal = openTerminal(home, ["chat", "--session", "s"]);
    await terminal.until(/Session s\. \/exit or Ctrl-D ends\.[^]*> /);
    await terminal.type("think long\r");
    await asked.promise;
    await terminal.type("\x03");
    await terminal.until(/agentloop: Stopped by SIGINT\.[^]*> /);
    await terminal.type("are you there?\r");
    await terminal.until(/\x1b\[2KStill here\.\r\n[^]*> /);
    await terminal.type("\x03");
    await terminal.until(/Ctrl-C once more ends the chat; so do Ctrl-D and \/exit\.[^]*> /);
    await terminal.type("\x03");
    strictEqual(await terminal.ended(), 130);
    match(terminal.shown, /To go on: agentloop chat --session s\r\n$/);
  },
);

Deno.test("/exit and Ctrl-D end a chat well and say how to go on", {
  ignore: !HAS_TERMINAL,
}, async () => {
  await using home = await openHome("http://127.0.0.1:9/v1");
  for (const end of ["/exit\r", "\x04"]) {
    await using terminal = openTerminal(home, ["chat", "--session", "s"]);
    await terminal.until(/> /);
    await terminal.type("/help\r");
    await terminal.until(/everything else is a message[^]*> /);
    await terminal.type(end);
    strictEqual(await terminal.ended(), 0);
    match(terminal.shown, /To go on: agentloop chat --session s\r\n$/);
    doesNotMatch(terminal.shown, /Stopped/);
  }
});

/** What the model was asked last in each request. */
function questions(server: OpenAIServer): string[] {
  return server.requests.map((request) => {
    const { messages } = request.body as { messages: { content: string }[] };
    return messages.at(-1)?.content ?? "";
  });
}

Deno.test("chat: lines that are pasted at once are one message, marked as a paste or not", {
  ignore: !HAS_TERMINAL,
}, async () => {
  await using server = await startOpenAIServer({ otherwise: "Seen." });
  await using home = await openHome(server.baseUrl);
  await using terminal = openTerminal(home, ["chat", "--ephemeral"]);
  await terminal.until(/> /);
  await terminal.type("line one\nline two\nline three");
  await terminal.until(/line three/);
  await terminal.type("\r");
  await terminal.until(/Seen\.[^]*> /);
  await terminal.type("\x1b[200~Error: no\r    at f (a.js:1)\r\x1b[201~");
  await terminal.until(/a\.js/);
  await terminal.type("why?\r");
  await terminal.until(/Seen\.[^]*Seen\.[^]*> /);
  await terminal.type("\x04");
  strictEqual(await terminal.ended(), 0);
  deepStrictEqual(questions(server), [
    "line one\nline two\nline three",
    "Error: no\n    at f (a.js:1)\nwhy?",
  ]);
});

Deno.test("chat: a long line that is pasted is taken in one step and sent whole", {
  ignore: !HAS_TERMINAL,
}, async () => {
  await using server = await startOpenAIServer({ otherwise: "Seen." });
  await using home = await openHome(server.baseUrl);
  await using terminal = openTerminal(home, ["chat", "--ephemeral"]);
  await terminal.until(/> /);
  const text = "0123456789".repeat(2000);
  await terminal.type(`${text}\r`);
  await terminal.until(/Seen\.[^]*> /);
  await terminal.type("\x04");
  strictEqual(await terminal.ended(), 0);
  deepStrictEqual(questions(server), [text]);
  // The screen holds 30 rows of it; a redrawing for each key would show it thousands of times over.
  strictEqual(terminal.shown.length < 100_000, true, `${terminal.shown.length} characters`);
});

Deno.test("chat: what is typed while an answer is made waits for the prompt and is not lost", {
  ignore: !HAS_TERMINAL,
}, async () => {
  const asked = Promise.withResolvers<void>();
  const typed = Promise.withResolvers<void>();
  await using server = await startOpenAIServer({
    replies: [
      () => {
        asked.resolve();
        return { until: typed.promise, json: { error: { message: "later" } }, status: 400 };
      },
    ],
    otherwise: "Seen.",
  });
  await using home = await openHome(server.baseUrl);
  await using terminal = openTerminal(home, ["chat", "--ephemeral"]);
  await terminal.until(/> /);
  await terminal.type("first\r");
  await asked.promise;
  await terminal.type("second\r");
  typed.resolve();
  await terminal.until(/> second[^]*Seen\.[^]*> /);
  await terminal.type("\x04");
  strictEqual(await terminal.ended(), 0);
  match(questions(server)[1] ?? "", /\nsecond$/);
});
