import { deepStrictEqual, doesNotMatch, match, strictEqual } from "node:assert/strict";
import { onlyResult, openHome } from "./cli_process.ts";

const CASES: [name: string, args: string[], message: string][] = [
  ["a misspelt option", ["--modle", "x", "hi"], "unknown option --modle; did you mean --model?"],
  ["a missing value", ["hi", "--session"], "--session needs a value: --session ID"],
  ["no message", [], "the message is empty: nothing came on stdin"],
  [
    "an unknown verb",
    ["sessions", "list"],
    "unknown command sessions list; there are ls, waiting, show, calls, compact, rm, revoke",
  ],
  [
    "a misspelt group with one of its verbs",
    ["session", "ls"],
    "unknown command session ls; did you mean sessions ls? To send it as a message: agentloop run session ls",
  ],
  [
    "a misspelt group, with more behind its verb",
    ["artifact", "show", "x"],
    "unknown command artifact show; did you mean artifacts show? To send it as a message: agentloop run artifact show",
  ],
  [
    "an id with control characters",
    ["sessions", "rm", "a\x1b[2Jb"],
    "the session id a\\x1b[2Jb holds control characters",
  ],
  [
    "an id that is too long",
    ["--session", "x".repeat(201), "hi"],
    `the session id ${"x".repeat(39)}… is too long: 201 characters, at most 200`,
  ],
  [
    "a database in memory",
    ["--db", ":memory:", "hi"],
    "a database in memory ends with the command: that is --ephemeral",
  ],
  [
    "an unusable endpoint",
    ["--base-url", "localhost:1234", "hi"],
    '--base-url: The base URL must start with http:// or https://, as in "https://api.openai.com/v1" or "http://127.0.0.1:11434/v1"; got "localhost:1234"; did you mean "http://localhost:1234"?',
  ],
];

for (const [name, args, message] of CASES) {
  Deno.test(`CLI-07: ${name} is told on stderr, and as one JSON line where that was asked for`, async () => {
    await using home = await openHome();
    const plain = await home.run(args);
    strictEqual(plain.code, 3);
    strictEqual(plain.stdout, "");
    strictEqual(plain.stderr.split("\n")[0], `agentloop: ${message}`);
    doesNotMatch(plain.stderr, /^ +at /m);

    const json = await home.run(["--json", ...args]);
    strictEqual(json.code, 3);
    const result = onlyResult(json.stdout);
    deepStrictEqual(result.error, { type: "usage", message });
    strictEqual(result.exit_code, 3);
    strictEqual(result.status, "error");
    deepStrictEqual([...Deno.readDirSync(home.path)], []);
  });
}

Deno.test("CLI-07: a missing key is told with what to do, and no database is made", async () => {
  await using home = await openHome();
  const plain = await home.run(["hi"]);
  strictEqual(plain.code, 1);
  strictEqual(plain.stdout, "");
  match(
    plain.stderr,
    /^agentloop: No API key for https:\/\/api\.openai\.com\/v1\. Set OPENAI_API_KEY/,
  );
  match(plain.stderr, /\nNo key at hand\? agentloop demo shows it at work without one\.\n$/);

  const json = await home.run(["--json", "hi"]);
  strictEqual(json.code, 1);
  strictEqual(onlyResult(json.stdout).error.type, "config");
  deepStrictEqual([...Deno.readDirSync(home.path)], []);
});

const WRONG_OPTIONS: [args: string[], message: RegExp][] = [
  [["--protocol", "ways"], /^--protocol takes code, code-tool, auto or tools, not "ways"$/],
  [["--protocol", "tools"], /^--protocol tools needs tools/],
  [["--secret", "NO_SUCH"], /^--secret NO_SUCH: no such variable/],
  [["--timezone", "Nowhere", "--assistant"], /^--timezone takes the name of a time zone/],
  [["--cwd", "nowhere"], /^--cwd nowhere cannot be used/],
  [["--price-prompt", "1"], /^--price-prompt and --price-completion belong together/],
  [["--tools", "none.js"], /^--tools none\.js: /],
  [["--search", "nowhere"], /^--search: /],
  [["--approve", "maybe"], /^--approve takes /],
];

for (const [options, message] of WRONG_OPTIONS) {
  Deno.test(`CLI-07: ${options[0]} ${options[1]} is told, also where no key is set`, async () => {
    await using home = await openHome();
    // A server has tools of its own.
    const commands = options[1] === "tools" ? ["run", "chat"] : ["run", "chat", "serve"];
    for (const command of commands) {
      const words = command === "run" ? ["run", "hi"] : [command];
      const { code, stderr } = await home.run([...words, ...options]);
      strictEqual(code, 3, `${command}: ${stderr}`);
      match(stderr.split("\n")[0]?.replace("agentloop: ", "") ?? "", message);
      if (command !== "run") match(stderr, new RegExp(`^Try: agentloop help ${command}$`, "m"));
    }
  });
}

Deno.test("CLI-07: a variable that cannot be used is named", async () => {
  await using home = await openHome();
  const { code, stdout } = await home.run(["--json", "hi"], {
    env: { OPENAI_API_KEY: "k", OPENAI_MAX_RETRIES: "many" },
  });
  strictEqual(code, 1);
  deepStrictEqual(onlyResult(stdout).error, {
    type: "config",
    message:
      'OPENAI_MAX_RETRIES must be a whole number from 0 (never try again) to 100; got "many"',
  });
});

Deno.test("CLI-07: an unreadable context file is named with the reason", async () => {
  await using home = await openHome();
  for (
    const [value, reason] of [
      ["@missing.txt", "Cannot read the file missing.txt for --context: there is no such file."],
      ["@.", "Cannot read the file . for --context: it is a directory."],
    ] as const
  ) {
    const { code, stdout, stderr } = await home.run(["--json", "--context", value, "hi"], {
      env: { OPENAI_API_KEY: "k" },
    });
    strictEqual(code, 1);
    deepStrictEqual(onlyResult(stdout).error, { type: "input", message: reason });
    strictEqual(stderr.split("\n")[0], `agentloop: ${reason}`);
  }
});

Deno.test("CLI-07: stdin that cannot be read is named with the reason", {
  ignore: Deno.build.os === "windows",
}, async () => {
  await using home = await openHome();
  const { code, stdout } = await new Deno.Command("sh", {
    args: ["-c", '"$0" "$@" < /', Deno.execPath(), ...home.args(["--json"])],
    clearEnv: true,
    env: home.env(),
    cwd: home.path,
  }).output();
  strictEqual(code, 1);
  deepStrictEqual(onlyResult(new TextDecoder().decode(stdout)).error, {
    type: "input",
    message: "Cannot read stdin: it is a directory.",
  });
});

Deno.test("CLI-07: an unknown session is an error that names it", async () => {
  await using home = await openHome();
  const database = `${home.path}/.local/share/agentloop/agentloop.db`;
  for (const args of [["sessions", "show", "nope"], ["sessions", "rm", "nope"]]) {
    const { code, stdout } = await home.run(["--json", ...args]);
    strictEqual(code, 1);
    deepStrictEqual(onlyResult(stdout).error, {
      type: "session_missing",
      message: `There is no session nope in ${database}.`,
    });
  }
  deepStrictEqual([...Deno.readDirSync(home.path)], []);
});

Deno.test("CLI-07: there is nothing to continue where no session is, and no database is made", async () => {
  await using home = await openHome("http://127.0.0.1:9/v1");
  const { code, stdout } = await home.run(["--json", "--continue", "hi"]);
  strictEqual(code, 1);
  const { type, message } = onlyResult(stdout).error;
  strictEqual(type, "session_missing");
  match(message, /^There is no session to go on with in .*agentloop\.db\.$/);
  deepStrictEqual([...Deno.readDirSync(home.path)], []);
});
