/** The command in a checkout that has instructions: they stand in every request, whole or in part with the rest within reach. */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { type OpenAIServer, startOpenAIServer } from "../fixtures/openai_server.ts";
import { type Home, openHome, script } from "./cli_process.ts";
import { HAS_TERMINAL, openTerminal } from "./terminal.ts";

/** A checkout with instructions at its root and in a folder. */
async function writeCheckout(home: Home, root: string = "At the root: use tabs.\n") {
  const project = `${home.path}/project`;
  await Deno.mkdir(`${project}/.git`, { recursive: true });
  await Deno.mkdir(`${project}/part`);
  await Deno.writeTextFile(`${home.path}/AGENTS.md`, "Above the checkout.\n");
  await Deno.writeTextFile(`${project}/AGENTS.md`, root);
  await Deno.writeTextFile(`${project}/part/AGENTS.md`, "\uFEFFIn the part: use blanks.\r\n");
  return { project, part: `${project}/part` };
}

/** Instructions of 30 KB whose last line is a code word. */
const LONG = "# Rules\n\nBegin with the tests.\n\n" +
  "A rule that nobody reads to its end.\n\n".repeat(800) + "## Release\n\nThe word is quince.\n";

/** The system prompt of a request. */
function promptOf(server: OpenAIServer, request: number): string {
  return server.requests[request]?.body.messages[0].content;
}

Deno.test("instructions: from the root to the folder they end the prompt of every turn, and --context stands behind them", async () => {
  await using server = await startOpenAIServer({
    replies: [script("function run() { return 1; }"), "Done."],
  });
  await using home = await openHome(server.baseUrl);
  const { part } = await writeCheckout(home);
  const { code, stderr } = await home.run(["--cwd", part, "--context", "And this.", "go"]);
  strictEqual(code, 0, stderr);
  match(
    promptOf(server, 0),
    /## Sandbox API[^]*\n\n## Project instructions\n\nConventions of this project, [^]*\n\n<project-file name="AGENTS\.md">\nAt the root: use tabs\.\n<\/project-file>\n\n<project-file name="part\/AGENTS\.md">\nIn the part: use blanks\.\n<\/project-file>\n\nAnd this\.$/,
  );
  doesNotMatch(promptOf(server, 0), /Above the checkout|projectGet/);
  strictEqual(promptOf(server, 1), promptOf(server, 0));
  doesNotMatch(stderr, /warning/);
});

Deno.test("instructions: the current folder is the project where no other is named; --no-project leaves them out", async () => {
  await using server = await startOpenAIServer({ replies: ["1", "2"] });
  await using home = await openHome(server.baseUrl);
  const { project } = await writeCheckout(home);
  await home.run(["go"], { cwd: project });
  await home.run(["--no-project", "--context-window", "8192", "go"], { cwd: project });
  match(promptOf(server, 0), /At the root: use tabs/);
  doesNotMatch(promptOf(server, 0), /In the part/);
  doesNotMatch(promptOf(server, 1), /At the root|Project instructions|projectGet/);
});

Deno.test("instructions: with --context-window the beginning stands in the prompt, and projectGet gives the rest", async () => {
  const turns = [
    script(`function run() {
  const [first, second] = projectList();
  log(first.name, first.whole, second.name, second.whole);
  return projectGet(first.name).length;
}`),
    script(`function run(length) {
  const text = projectGet("AGENTS.md");
  answer([length === text.length, /The word is (\\w+)/.exec(text)[1]].join(" "));
}`),
  ];
  await using server = await startOpenAIServer({ replies: turns });
  await using home = await openHome(server.baseUrl);
  const { part } = await writeCheckout(home, LONG);
  const args = ["--context-window", "8192", "--context", "And this.", "--cwd", part, "go"];
  const { stdout, stderr } = await home.run(args);
  strictEqual(stdout, "true quince\n", stderr);
  const prompt = promptOf(server, 0);
  match(
    prompt,
    /declare function projectGet\(name: string\)[^]*\n<project-file name="AGENTS\.md">/,
  );
  match(prompt, /Begin with the tests\.[^]*projectGet\("AGENTS\.md"\)\.slice\(\d+\)[^]*"Release"/);
  match(prompt, /In the part: use blanks\.\n<\/project-file>\n\nAnd this\.$/);
  doesNotMatch(prompt, /quince/);
  const section = prompt.slice(prompt.indexOf("## Project instructions"));
  ok(section.length > 3_000 && section.length < 3_584 + 1_000, String(section.length));
  match(JSON.stringify(server.requests[1]?.body), /AGENTS\.md false part\/AGENTS\.md true/);
  strictEqual(promptOf(server, 1), prompt);
});

Deno.test("instructions: a small window gets less of them, and of all files together no more than of one", async () => {
  await using server = await startOpenAIServer({ replies: ["1"] });
  await using home = await openHome(server.baseUrl);
  const { project, part } = await writeCheckout(home, LONG);
  await Deno.writeTextFile(`${project}/part/AGENTS.md`, LONG.replace("quince", "sloe"));
  const { code, stderr } = await home.run(["--context-window", "2048", "go"], { cwd: part });
  strictEqual(code, 0, stderr);
  const prompt = promptOf(server, 0);
  const texts = [...prompt.matchAll(/<project-file name="[^"]*">\n([^]*?)\n<\/project-file>/g)];
  deepStrictEqual(texts.length, 2);
  const bytes = texts.reduce((sum, [, text = ""]) => sum + text.length, 0);
  ok(bytes > 400 && bytes <= 768, String(bytes));
});

Deno.test("instructions: a window that has no room for them goes without, and says so", async () => {
  await using server = await startOpenAIServer({ replies: ["1", "2", "3"] });
  await using home = await openHome(server.baseUrl);
  const { project } = await writeCheckout(home, LONG);
  const told = /^warning: project instructions: left out: \d+ tokens of window have no room/m;
  for (
    const [args, isLeftOut] of [
      [["--context-window", "1500"], true],
      [["--context-window", "2560", "--cwd", "."], true],
      [["--context-window", "3072", "--cwd", "."], false],
    ] as const
  ) {
    const { code, stderr } = await home.run([...args, "go"], { cwd: project });
    strictEqual(code, 0, stderr);
    strictEqual(told.test(stderr), isLeftOut, stderr);
    strictEqual(
      /project-file|projectGet/.test(promptOf(server, server.requests.length - 1)),
      !isLeftOut,
    );
  }
});

Deno.test("instructions: --verbose names what was taken", async () => {
  await using server = await startOpenAIServer({ replies: ["1"] });
  await using home = await openHome(server.baseUrl);
  const { part } = await writeCheckout(home);
  const { stderr } = await home.run(["--verbose", "go"], { cwd: part });
  match(stderr, /^project instructions: AGENTS\.md \(22 B\), part\/AGENTS\.md \(24 B\)$/m);
});

Deno.test("instructions: more than any prompt should hold is cut too, and within reach", async () => {
  await using server = await startOpenAIServer({
    replies: [script('function run() { answer(projectGet("AGENTS.md").slice(-7)); }')],
  });
  await using home = await openHome(server.baseUrl);
  const { project } = await writeCheckout(home, LONG.repeat(5) + "\n\nThe end");
  const { stdout } = await home.run(["--cwd", project, "go"]);
  strictEqual(stdout, "The end\n");
  const { length } = promptOf(server, 0);
  ok(length > 60_000 && length < 80_000, String(length));
});

Deno.test("instructions: a file that cannot be used is one line on stderr, and the others are used", async () => {
  await using server = await startOpenAIServer({ replies: ["1", "2"] });
  await using home = await openHome(server.baseUrl);
  const { project, part } = await writeCheckout(home);
  const link = ["-c", "rm AGENTS.md && ln -s ../AGENTS.md AGENTS.md"];
  strictEqual((await new Deno.Command("sh", { args: link, cwd: project }).output()).code, 0);
  for (const args of [["go"], ["--json", "go"]]) {
    const { code, stderr } = await home.run(args, { cwd: part });
    strictEqual(code, 0);
    deepStrictEqual(stderr.match(/^.*AGENTS\.md.*$/gm), [
      "warning: project instructions: AGENTS.md leads out of the project: it is left out",
    ]);
  }
  match(promptOf(server, 1), /In the part/);
  doesNotMatch(promptOf(server, 1), /Above the checkout/);
});

Deno.test("instructions: in a chat they are those of its beginning", async () => {
  let file = "";
  const change = () => {
    Deno.writeTextFileSync(file, "changed");
    return "1";
  };
  await using server = await startOpenAIServer({ replies: [change, "2"] });
  await using home = await openHome(server.baseUrl);
  const { project } = await writeCheckout(home);
  file = `${project}/AGENTS.md`;
  const { stdout } = await home.run(["chat"], { cwd: project, stdin: "first\nsecond\n" });
  strictEqual(stdout, "1\n2\n");
  strictEqual(promptOf(server, 1), promptOf(server, 0));
  match(promptOf(server, 0), /use tabs/);
});

Deno.test(
  "instructions: a program that may not read the project has none, and asks nobody for them",
  { ignore: !HAS_TERMINAL },
  async () => {
    await using server = await startOpenAIServer({ replies: ["An answer."] });
    await using home = await openHome(server.baseUrl);
    const { project } = await writeCheckout(home);
    const permissions = [
      "--allow-env",
      "--allow-net=127.0.0.1",
      `--allow-run=${Deno.execPath()}`,
      // Its own modules.
      `--allow-read=${new URL("../..", import.meta.url).pathname}`,
    ];
    await using terminal = openTerminal({
      ...home,
      path: project,
      args: (words) => ["run", "--no-lock", ...permissions, ...home.args(words).slice(3)],
    }, ["--ephemeral", "go"]);
    strictEqual(await terminal.ended(), 0);
    match(terminal.shown, /An answer\./);
    doesNotMatch(terminal.shown, /permission|Allow\?|Deny|warning/i);
    doesNotMatch(promptOf(server, 0), /Project instructions/);
  },
);
