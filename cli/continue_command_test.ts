import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { parseCommandLine } from "./arguments.ts";
import { continueCommand, resumeCommand } from "./continue_command.ts";

Deno.test("the way to go on repeats where the session is and what answers it", () => {
  strictEqual(continueCommand({}, { sessionId: "s" }), 'agentloop --session s "go on"');
  strictEqual(
    continueCommand({ db: "my own.db", model: "m", baseUrl: "http://127.0.0.1:1/v1" }, {
      sessionId: "it's",
      chat: true,
    }),
    `agentloop chat --db 'my own.db' --model m --base-url http://127.0.0.1:1/v1 --session 'it'\\''s'`,
  );
  strictEqual(
    continueCommand({ baseUrl: "http://me:secret@127.0.0.1/v1" }, { sessionId: "s" }),
    'agentloop --base-url … --session s "go on"',
  );
  strictEqual(
    continueCommand({ db: "-x.db" }, { sessionId: "s" }),
    'agentloop --db=-x.db --session s "go on"',
  );
  strictEqual(
    continueCommand({ noConfig: true }, { sessionId: "s" }),
    'agentloop --no-config --session s "go on"',
  );
});

Deno.test("the way to give a word names the session as the command reads it", () => {
  strictEqual(
    resumeCommand({ db: "my own.db", noConfig: true, approve: "wait" }, { sessionId: "it's" }),
    `agentloop resume --db 'my own.db' --no-config --approve wait --allow 'it'\\''s'`,
  );
  const dashed = resumeCommand({ approve: "auto" }, { sessionId: "-x" });
  strictEqual(dashed, "agentloop resume --allow -- -x");
  const { command, words, options } = parseCommandLine(dashed.split(" ").slice(1));
  deepStrictEqual([command.name, words, options.allow], ["resume", ["-x"], true]);
});
