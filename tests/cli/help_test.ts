import { match, strictEqual } from "node:assert/strict";
import { COMMANDS } from "../../cli/command_table.ts";
import { openHome } from "./cli_process.ts";

Deno.test("help fits a terminal of 100 columns and names every command", async () => {
  await using home = await openHome();
  const { code, stdout, stderr } = await home.run(["help"]);
  strictEqual(code, 0);
  strictEqual(stderr, "");
  for (const { name } of COMMANDS) match(stdout, new RegExp(`^  ${name}\\b`, "m"));
  const long = stdout.split("\n").filter((line) => line.length > 100);
  strictEqual(long.join("\n"), "");
  strictEqual((await home.run(["--help"])).stdout, stdout);
});

for (const { name } of COMMANDS) {
  Deno.test(`help of ${name} fits a terminal of 100 columns`, async () => {
    const { commandHelp } = await import("../../cli/help_text.ts");
    const text = commandHelp(COMMANDS.find((spec) => spec.name === name) ?? COMMANDS[0]!);
    strictEqual(text.split("\n").filter((line) => line.length > 100).join("\n"), "");
  });
}

Deno.test("help of artifacts ls says what --session does there", async () => {
  await using home = await openHome();
  const { stdout } = await home.run(["artifacts", "ls", "--help"]);
  match(stdout, /--session ID +list those of this session alone\n/);
});

Deno.test("help of a command names only its own options", async () => {
  await using home = await openHome();
  const { stdout } = await home.run(["help", "sessions", "ls"]);
  strictEqual(
    stdout,
    `agentloop sessions ls: list the sessions, the last used first

Usage: agentloop sessions ls [OPTIONS]

Options
      --db PATH    the database file; beats $AGENTLOOP_DB and the usual place
      --no-config  read no .agentloop/config.json
      --json       one JSON object a line on stdout, the result last
  -q, --quiet      only warnings and errors on stderr
  -v, --verbose    scripts, logs and details on stderr
      --no-color   no colors; NO_COLOR=1 does the same
`,
  );
  strictEqual((await home.run(["sessions", "ls", "--help"])).stdout, stdout);
});

Deno.test("help of a group that is misspelt says what was meant", async () => {
  await using home = await openHome();
  const { code, stderr } = await home.run(["help", "artifact"]);
  strictEqual(code, 3);
  match(stderr, /^agentloop: there is no command artifact; did you mean artifacts\?\n/);
});

Deno.test("help of something that is no command says what was meant", async () => {
  await using home = await openHome();
  const { code, stderr } = await home.run(["help", "doctr"]);
  strictEqual(code, 3);
  strictEqual(
    stderr,
    "agentloop: there is no command doctr; did you mean doctor?\nTry: agentloop help\n",
  );
});
