/** The project's config file, as the command uses it. */
import { deepEqual, doesNotMatch, equal, match, ok } from "node:assert/strict";
import { displayWidth } from "../../cli/terminal_text.ts";
import { type OpenAIServer, startOpenAIServer } from "../fixtures/openai_server.ts";
import { CLI, type CliOptions, type Home, onlyResult, openHome, script } from "./cli_process.ts";
import { HAS_TERMINAL, openTerminal } from "./terminal.ts";

const ROOT = CLI.slice(0, -"/cli.ts".length);

/** A repository with a config file in its root, and a folder `sub`. */
async function writeProject(home: Home, config: string): Promise<string> {
  const project = `${await Deno.realPath(home.path)}/project`;
  for (const folder of [".git", ".agentloop", "sub"]) {
    await Deno.mkdir(`${project}/${folder}`, { recursive: true });
  }
  await Deno.writeTextFile(`${project}/.agentloop/config.json`, config);
  return project;
}

function modelsAsked(server: OpenAIServer): unknown[] {
  return server.requests.map(({ body }) => (body as { model?: unknown }).model);
}

const NOT_DONE = script("function run() { return 1; }");

Deno.test("config: what only narrows is used at once, from a folder below and by --cwd", async () => {
  await using server = await startOpenAIServer({ replies: [NOT_DONE, NOT_DONE] });
  await using home = await openHome(server.baseUrl);
  const project = await writeProject(home, '{\n  // one is enough\n  "maxSteps": 1,\n}\n');
  equal((await home.run(["go"], { cwd: `${project}/sub` })).code, 2);
  equal((await home.run(["--cwd", `${project}/sub`, "go"])).code, 2);
});

Deno.test("config: the line beats a trusted file, and the file beats the environment", async () => {
  await using server = await startOpenAIServer({ replies: ["a", "b", "c"] });
  await using home = await openHome(server.baseUrl);
  const project = await writeProject(home, '{ "model": "of-the-file", "db": "own.db" }');
  const at: CliOptions = { cwd: `${project}/sub`, env: { AGENTLOOP_DB: `${home.path}/env.db` } };
  equal((await home.run(["trust", "--yes"], at)).code, 0);
  equal((await home.run(["hi"], at)).code, 0);
  equal((await home.run(["hi", "--model", "of-the-line"], at)).code, 0);
  equal((await home.run(["hi", "--no-config"], at)).code, 0);
  deepEqual(modelsAsked(server), ["of-the-file", "of-the-line", "test-model"]);
  // A relative path starts at the folder that holds .agentloop, wherever the command is started.
  match((await home.run(["sessions", "ls"], at)).stdout, /hi[^]*hi/);
  equal((await Deno.stat(`${project}/own.db`)).isFile, true);
});

Deno.test("config: files that a trusted file names lie where it does, and --verbose says what it sets", async () => {
  await using server = await startOpenAIServer({ replies: ["a"] });
  await using home = await openHome(server.baseUrl);
  const project = await writeProject(
    home,
    '{ "context": "@notes.md", "cwd": "..", "system": "@@home", "maxSteps": 3 }',
  );
  await Deno.writeTextFile(`${project}/notes.md`, "Mind the gap.");
  const at: CliOptions = { cwd: `${project}/sub` };
  equal((await home.run(["trust", "--yes"], at)).code, 0);
  const { code, stderr } = await home.run(["hi", "--verbose"], at);
  equal(code, 0);
  match(stderr, /^options of .*\/config\.json: context, cwd, system, maxSteps\n/);
  const sent = JSON.stringify(server.requests[0]?.body);
  match(sent, /Mind the gap\./);
  match(sent, /@home/);
  doesNotMatch(sent, /@@home/);
  await Deno.writeTextFile(`${project}/.agentloop/config.json`, '{ "cwd": "missing" }');
  equal((await home.run(["trust", "--yes"], at)).code, 0);
  const missing = await home.run(["hi"], at);
  equal(missing.code, 3);
  match(missing.stderr, /config\.json:1:3: "cwd": .*project\/missing cannot be used: there is no/);
});

Deno.test("CLI-07: a bad config file is one JSON error with its place, and nothing is asked or made", async () => {
  await using server = await startOpenAIServer({ replies: [] });
  await using home = await openHome(server.baseUrl);
  for (
    const [config, told] of [
      [
        '{\n  "maxSteps": 3\n  "quiet": true\n}',
        "3:3: it is not JSON with comments: comma expected",
      ],
      ['{\n  "modle": "x"\n}', '2:3: unknown key "modle"; did you mean "model"?'],
      ['{\n  "session": "x"\n}', '2:3: "session" cannot be set in a file'],
      ['{ "noExec": "yes" }', '1:13: "noExec" must be true or false, not a text'],
      ['{ "apiKey": "sk-test-ABCDEFGH12345678" }', '1:3: "apiKey": a key does not belong'],
    ] as const
  ) {
    const project = await writeProject(home, config);
    const message = `${project}/.agentloop/config.json:${told}`;
    const json = await home.run(["--json", "hi"], { cwd: project });
    equal(json.code, 3);
    const { error, exit_code } = onlyResult(json.stdout);
    equal(exit_code, 3);
    equal(error.type, "usage");
    equal(error.message.slice(0, message.length), message);
    const plain = await home.run(["hi"], { cwd: project });
    equal(plain.code, 3);
    equal(plain.stdout, "");
    equal(
      plain.stderr,
      `agentloop: ${error.message}\n--no-config leaves the file out.\n`,
    );
    doesNotMatch(plain.stderr + json.stdout + json.stderr, /sk-test/);
  }
  deepEqual([...Deno.readDirSync(home.path)].map(({ name }) => name), ["project"]);
});

Deno.test("config: a broken file keeps nobody from help, from init and from the version", async () => {
  await using home = await openHome();
  const project = await writeProject(home, "{");
  for (
    const args of [["help"], ["sessions", "ls", "--version"], ["completions", "fish"], ["init"]]
  ) {
    equal((await home.run(args, { cwd: project })).code, 0);
  }
});

Deno.test("config: an untrusted file is not used where it widens, and neither key nor prompt leave", async () => {
  await using elsewhere = await startOpenAIServer({ replies: [] });
  await using server = await startOpenAIServer({ replies: ["fine", "fine"] });
  await using home = await openHome(server.baseUrl);
  const config = `{ "baseUrl": ${JSON.stringify(elsewhere.baseUrl)}, "approve": "auto" }`;
  const project = await writeProject(home, config);
  const { code, stdout, stderr } = await home.run(["--json", "hi"], { cwd: project });
  equal(code, 3);
  const message =
    `${project}/.agentloop/config.json is not trusted, and sets what needs trust: baseUrl, approve`;
  deepEqual(onlyResult(stdout).error, { type: "usage", message });
  match(
    stderr,
    /\nagentloop trust shows what it says and asks; --no-config leaves the file out\.\n$/,
  );
  equal((await home.run(["--no-config", "hi"], { cwd: project })).code, 0);
  // What the line says itself is not the file's doing.
  const own = ["--base-url", server.baseUrl, "--approve", "deny", "hi"];
  equal((await home.run(own, { cwd: project })).code, 0);
  equal((await home.run(["sessions", "ls"], { cwd: project })).code, 0);
});

Deno.test("config: --no-exec and a file that allows commands do not clash", async () => {
  await using server = await startOpenAIServer({
    replies: [script("function run() { answer(typeof exec); }")],
  });
  await using home = await openHome(server.baseUrl);
  const project = await writeProject(home, '{ "allowExec": ["git"] }');
  const { code, stdout } = await home.run(["--no-exec", "go"], { cwd: project });
  equal(code, 0);
  equal(stdout, "undefined\n");
});

Deno.test("config: trust holds for the file as it is; a change ends it, and so does revoke", async () => {
  await using server = await startOpenAIServer({ replies: ["one", "two"] });
  await using home = await openHome(server.baseUrl);
  const project = await writeProject(home, '{ "model": "a" }');
  const at: CliOptions = { cwd: project };
  const trusted = onlyResult((await home.run(["trust", "--yes", "--json"], at)).stdout);
  deepEqual([trusted.trusted, trusted.keys], [true, ["model"]]);
  equal((await home.run(["hi"], at)).code, 0);
  await Deno.writeTextFile(`${project}/.agentloop/config.json`, '{ "model": "b" }');
  const changed = await home.run(["hi"], at);
  equal(changed.code, 3);
  match(changed.stderr, /config\.json has changed since you trusted it, and sets .*: model\n/);
  equal((await home.run(["trust", "--yes"], at)).code, 0);
  equal((await home.run(["hi"], at)).code, 0);
  match((await home.run(["trust"], at)).stderr, /is trusted already\.\n$/);
  match((await home.run(["trust", "revoke"], at)).stderr, /is trusted no longer\.\n$/);
  match((await home.run(["trust", "revoke"], at)).stderr, /was not trusted\.\n$/);
  equal((await home.run(["hi"], at)).code, 3);
  deepEqual(modelsAsked(server), ["a", "b"]);
});

Deno.test("config: trust asks nobody where there is no terminal, and says where there is no file", async () => {
  await using home = await openHome();
  const project = await writeProject(home, '{ "model": "a" }');
  const { code, stderr } = await home.run(["trust"], { cwd: project, stdin: "y\n" });
  equal(code, 3);
  match(stderr, /^agentloop: trust asks at a terminal, .*--yes answers with yes/);
  const none = await home.run(["trust"]);
  equal(none.code, 1);
  equal(
    none.stderr,
    "agentloop: There is no .agentloop/config.json for this folder.\nagentloop init writes one.\n",
  );
});

Deno.test("config: what needs no trust is not asked about", async () => {
  await using home = await openHome();
  const project = await writeProject(home, '{ "maxSteps": 3 }');
  const { code, stderr } = await home.run(["trust"], { cwd: project });
  equal(code, 0);
  match(stderr, /says nothing that needs trust\.\n$/);
});

Deno.test(
  "config: at a terminal trust shows what the file says, control characters visible, and Enter is no",
  { ignore: !HAS_TERMINAL },
  async () => {
    await using server = await startOpenAIServer({ replies: ["fine"] });
    await using home = await openHome(server.baseUrl);
    const project = await writeProject(
      home,
      '{ "allowExec": ["git", "make"], "system": "calm\\u001b[2J\\u202e", "maxSteps": 2 }',
    );
    for (const [typed, exit] of [["\r", 1], ["no\r", 1], ["\x03", 130], ["y\r", 0]] as const) {
      await using terminal = openTerminal(home, ["trust", "--cwd", project]);
      await terminal.until(/Trust it\? \[y\/N\] /);
      match(
        terminal.shown,
        /allowExec: \["git","make"\]\r\n +commands that run without a question/,
      );
      match(terminal.shown, /system: "calm\\u001b\[2J\\u202e"/);
      doesNotMatch(terminal.shown, /maxSteps/);
      equal(terminal.shown.includes("\x1b[2J"), false);
      await terminal.type(typed);
      equal(await terminal.ended(), exit);
      if (exit !== 0) equal((await home.run(["hi"], { cwd: project })).code, 3);
    }
    equal((await home.run(["hi"], { cwd: project })).code, 0);
  },
);

Deno.test(
  "config: a value that is asked about cannot look like another key, nor push one out of sight",
  {
    ignore: !HAS_TERMINAL,
  },
  async () => {
    await using home = await openHome();
    const forged = `calm${" ".repeat(200)}  allowExec: []\u200b`;
    const project = await writeProject(
      home,
      JSON.stringify({ allowExec: ["sh"], system: `${forged}${"x".repeat(20_000)}` }),
    );
    await using terminal = openTerminal(home, ["trust", "--cwd", project], {}, { columns: 60 });
    await terminal.until(/Trust it\? \[y\/N\] /);
    const rows = terminal.shown.split("\r\n");
    deepEqual(rows.filter((row) => /^ *allowExec/.test(row)), ['  allowExec: ["sh"]']);
    for (const row of rows.slice(1)) ok(displayWidth(row) < 60, row);
    match(rows.at(-2) ?? "", /^What needs trust is: allowExec, system$/);
    match(terminal.shown, /\[\]\\u200b/);
    await terminal.type("\r");
    equal(await terminal.ended(), 1);
  },
);

Deno.test("config: a checkout that is the home cannot bring its own trust along", async () => {
  await using home = await openHome("http://127.0.0.1:9/v1");
  await Deno.mkdir(`${home.path}/.git`);
  await Deno.mkdir(`${home.path}/.agentloop`);
  await Deno.writeTextFile(`${home.path}/.agentloop/config.json`, '{ "approve": "auto" }');
  const { code, stderr } = await home.run(["trust", "--yes"]);
  equal(code, 1);
  match(stderr, /The file cannot be trusted: .* lies in the project/);
  match(stderr, /XDG_DATA_HOME/);
  // Trusted under another data folder, and the record carried into the checkout: it does not count there.
  const data = await Deno.makeTempDir();
  const outside = { env: { XDG_DATA_HOME: data } };
  equal((await home.run(["trust", "--yes"], outside)).code, 0);
  match((await home.run(["trust"], outside)).stderr, /is trusted already/);
  const inside = `${home.path}/.local/share/agentloop/trusted`;
  await Deno.mkdir(inside, { recursive: true });
  for (const { name } of Deno.readDirSync(`${data}/agentloop/trusted`)) {
    await Deno.copyFile(`${data}/agentloop/trusted/${name}`, `${inside}/${name}`);
  }
  await Deno.remove(data, { recursive: true });
  equal((await home.run(["hi"])).code, 3);
});

Deno.test(
  "config: where the project may not be read there is no file, and the runtime asks for nothing",
  { ignore: !HAS_TERMINAL },
  async () => {
    await using home = await openHome();
    const project = await writeProject(home, "{");
    const data = `${await Deno.realPath(home.path)}/.local`;
    const started = (...read: string[]): Home => ({
      ...home,
      args: (words) => [
        "run",
        "--no-lock",
        `--allow-read=${[ROOT, data, ...read].join(",")}`,
        "--allow-env",
        CLI,
        ...words,
      ],
    });
    const args = ["sessions", "show", "nope", "--db", `${data}/none.db`];
    const go = async (with_: Home) => {
      // The folder is changed to by hand: the terminal is opened in the home.
      await using terminal = openTerminal(with_, args, {}, { cwd: project });
      const code = await terminal.ended();
      doesNotMatch(terminal.shown, /requests|Allow\?/);
      return { code, shown: terminal.shown };
    };
    const without = await go(started());
    equal(without.code, 1);
    match(without.shown, /There is no session nope/);
    const allowed = await go(started(project));
    equal(allowed.code, 3);
    match(allowed.shown, /config\.json:1:2: it is not JSON with comments/);
  },
);
