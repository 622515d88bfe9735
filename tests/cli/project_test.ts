/** The command in a project: it reads and searches without a question, asks before it changes a file or runs a command, and does both when it may. */
import { match, strictEqual } from "node:assert/strict";
import { type OpenAIServer, startOpenAIServer } from "../fixtures/openai_server.ts";
import { type Home, openHome, script } from "./cli_process.ts";
import { HAS_TERMINAL, openTerminal } from "./terminal.ts";

/** A project with a sum that is wrong, and a test that says so. */
async function writeProject(home: Home): Promise<string> {
  const project = `${home.path}/project`;
  await Deno.mkdir(`${project}/src`, { recursive: true });
  await Deno.writeTextFile(`${project}/src/sum.sh`, "echo $(($1 - $2))\n");
  await Deno.writeTextFile(
    `${project}/test.sh`,
    '[ "$(sh src/sum.sh 2 3)" = 5 ] && echo passed || { echo "2 + 3 is not 5" >&2; exit 1; }\n',
  );
  return project;
}

const FIND = script(`function run() {
  const before = exec(["sh", "test.sh"]);
  log(before.code, before.stderr.trim());
  return { files: glob("**/*.sh"), found: grep("- ", { glob: "src/*" }).matches };
}`);
const MEND = script(`function run({ found }) {
  const { path } = found[0];
  editFile(path, "$1 - $2", "$1 + $2");
  const after = exec(["sh", "test.sh"]);
  answer([path, after.code, after.stdout.trim()].join(" "));
}`);

/** The messages of a request as one text. */
function sent(server: OpenAIServer, request: number): string {
  return JSON.stringify(server.requests[request]?.body);
}

Deno.test(
  "project: a failing test is found, mended and run again, with the person's word for each step",
  { ignore: !HAS_TERMINAL },
  async () => {
    await using server = await startOpenAIServer({ replies: [FIND, MEND] });
    await using home = await openHome(server.baseUrl);
    const project = await writeProject(home);
    await using terminal = openTerminal(home, ["--cwd", project, "--session", "s", "mend it"]);
    await terminal.until(/The agent wants to run "sh":[^]*│ [^]*test\.sh[^]*Allow it\?/);
    await terminal.type("y\r");
    await terminal.until(
      /The agent wants to change "src\/sum\.sh":[^]*\+echo \$\(\(\$1 \+ \$2\)\)[^]*Allow it\?/,
    );
    strictEqual(await Deno.readTextFile(`${project}/src/sum.sh`), "echo $(($1 - $2))\n");
    await terminal.type("o\r");
    // The command is the one that was allowed for the session: nobody is asked again.
    strictEqual(await terminal.ended(), 0);
    match(terminal.shown, /src\/sum\.sh 0 passed/);
    match(sent(server, 1), /1 2 \+ 3 is not 5/);
    strictEqual(await Deno.readTextFile(`${project}/src/sum.sh`), "echo $(($1 + $2))\n");
  },
);

Deno.test("project: where nobody is asked files are read, and neither changed nor commands run", async () => {
  const attempt = script(`function run() {
  const told = [readFile("src/sum.sh").trim()];
  for (const act of [() => writeFile("new.txt", "x"), () => exec(["sh", "test.sh"])]) {
    try { act(); } catch (error) { told.push(error.message); }
  }
  answer(told.join(" | "));
}`);
  await using server = await startOpenAIServer({ replies: [attempt] });
  await using home = await openHome(server.baseUrl);
  const project = await writeProject(home);
  const { code, stdout } = await home.run(["look"], { cwd: project });
  strictEqual(code, 0);
  match(
    stdout,
    /^echo \$\(\(\$1 - \$2\)\) \| writeFile \(new\.txt\) is refused.*\| exec \(sh\) is refused/,
  );
  match(stdout, /--allow-exec sh lets it pass/);
  await Deno.stat(`${project}/new.txt`).then(() => strictEqual("written", ""), () => {});
});

Deno.test("project: --allow-exec lets a command pass, --no-exec takes exec away, a small window both", async () => {
  const run = script(
    `function run() { answer(typeof exec === "function" ? exec(["echo", "ran"]).stdout.trim() : "none"); }`,
  );
  await using server = await startOpenAIServer({ replies: [run, run, run] });
  await using home = await openHome(server.baseUrl);
  strictEqual((await home.run(["--allow-exec", "echo", "go"])).stdout, "ran\n");
  strictEqual((await home.run(["--no-exec", "go"])).stdout, "none\n");
  strictEqual((await home.run(["--context-window", "2048", "go"])).stdout, "none\n");
  match(
    sent(server, 0),
    /declare function exec\(.*declare function readFile\(|declare function readFile\(.*declare function exec\(/,
  );
  for (const name of ["exec", "readFile"]) {
    strictEqual(sent(server, 2).includes(`function ${name}`), false);
  }
});

Deno.test("project: a folder that is not there is wrong use", async () => {
  await using home = await openHome("http://127.0.0.1:9/v1");
  for (const cwd of ["missing", "/dev/null"]) {
    const { code, stderr } = await home.run(["--cwd", cwd, "go"]);
    strictEqual(code, 3);
    match(stderr, /^agentloop: --cwd /);
  }
  const both = await home.run(["--no-exec", "--allow-exec", "git", "go"]);
  strictEqual(both.code, 3);
  match(both.stderr, /--no-exec and --allow-exec exclude each other/);
});
