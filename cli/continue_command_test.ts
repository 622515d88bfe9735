import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { parseCommandLine } from "./arguments.ts";
import { COMMANDS } from "./command_table.ts";
import { continueCommand, resumeCommand } from "./continue_command.ts";
import { needOf } from "./needed_options.ts";
import { OPTIONS } from "./option_table.ts";

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

Deno.test("the way to give a word repeats whatever the run could call and was told", () => {
  const line =
    "agentloop resume --model m --approve wait --timeout 90000ms --max-cost 0.5 --assistant " +
    "--tools my.js --memory --protocol tools --allow-net a.example,b.example --secret X --allow s";
  const { options } = parseCommandLine(line.split(" ").slice(1));
  const again = resumeCommand(options, { sessionId: "s" });
  const words = (text: string) => text.split(/ (?=--)/).sort();
  deepStrictEqual(words(again), words(line));
  deepStrictEqual(parseCommandLine(again.split(" ").slice(1)).options, options);
});

Deno.test("the way to give a word knows every option that a run may have had", () => {
  const resume = COMMANDS.find(({ name }) => name === "resume");
  const ofRuns = COMMANDS.filter(({ name }) => ["run", "chat", "resume"].includes(name))
    .flatMap(({ options }) => options);
  for (const { field, name, kind } of OPTIONS.filter(({ field }) => ofRuns.includes(field))) {
    const value = kind === "flag" ? true : kind === "list" ? ["x"] : kind === "text" ? "x" : 1;
    const needed = needOf(field)?.needs;
    const given = { [field]: value, ...(needed === undefined ? {} : { [needed]: true }) };
    const repeats = resumeCommand(given, { sessionId: "s" }).includes(`--${name}`);
    const own = ["allow", "approve", "args", "deny", "call"].includes(field);
    const shown = ["json", "quiet", "verbose", "raw", "noColor"].includes(field);
    if (own) continue;
    strictEqual(repeats, resume?.options.includes(field) === true && !shown, name);
  }
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

Deno.test("the way to give a word leaves out what a config file has for other times", () => {
  const named = { sessionId: "s" };
  strictEqual(resumeCommand({ timezone: "UTC" }, named), "agentloop resume --allow s");
  strictEqual(
    resumeCommand({ timezone: "UTC", assistant: true }, named),
    "agentloop resume --assistant --timezone UTC --allow s",
  );
});
