/** The command in a project with skills: where it looks for them, what it says of bad ones, and what options and permissions leave. */
import { deepStrictEqual, doesNotMatch, match, strictEqual } from "node:assert/strict";
import { dirname } from "node:path";
import { repositoryRoot } from "../../cli/repository_root.ts";
import { type OpenAIServer, startOpenAIServer } from "../fixtures/openai_server.ts";
import { CLI, type Home, openHome, script } from "./cli_process.ts";

const GET = script(
  `function run() { answer(skillGet("deploy") + "\\n" + skillGet("deploy", "steps/one.md")); }`,
);
const NAMES = script(
  `function run() { answer(typeof skillList === "function" ? skillList().map((one) => one.name).join() : "none"); }`,
);

/** Writes files into a new folder of the home; empty ones where a name ends with a slash are folders. */
async function writeProject(home: Home, files: Readonly<Record<string, string>>): Promise<string> {
  const project = `${home.path}/project`;
  for (const [path, text] of Object.entries(files)) {
    const full = `${project}/${path}`;
    await Deno.mkdir(full.slice(0, full.lastIndexOf("/")), { recursive: true });
    if (!path.endsWith("/")) await Deno.writeTextFile(full, text);
  }
  return project;
}

function skill(name: string): string {
  return `---\nname: ${name}\ndescription: What ${name} does.\n---\nThe text of ${name}.\n`;
}

/** The system prompt of a request. */
function prompt(server: OpenAIServer, request: number): string {
  const { messages } = server.requests[request]?.body as { messages: { content: string }[] };
  return messages[0]?.content ?? "";
}

Deno.test("skills: those of the checkout's root are found from a folder below, and read by scripts", async () => {
  await using server = await startOpenAIServer({ replies: [GET, NAMES] });
  await using home = await openHome(server.baseUrl);
  const project = await writeProject(home, {
    ".git/": "",
    "src/deep/": "",
    ".agentloop/skills/deploy/SKILL.md": skill("deploy"),
    ".agentloop/skills/deploy/steps/one.md": "Build it.\n",
    "src/.agentloop/skills/other/SKILL.md": skill("other"),
  });
  const { code, stdout, stderr } = await home.run(["go"], { cwd: `${project}/src/deep` });
  strictEqual(code, 0, stderr);
  match(stdout, /The text of deploy\.\n\nFiles beside it, .*\nsteps\/one\.md\nBuild it\.\n$/);
  match(stderr, /^turn 1 {2}skillGet deploy\/steps\/one\.md, ok/m);
  doesNotMatch(stderr, /warning/);
  match(prompt(server, 0), /^\/\/ skillGet\("deploy"\): What deploy does\.$/m);
  doesNotMatch(prompt(server, 0), /The text of/);

  const named = await home.run(["--cwd", `${project}/src/deep`, "go"]);
  match(named.stdout, /\bdeploy\n$/);
});

Deno.test("skills: bad ones are one line of stderr each, with their line and no control characters", async () => {
  await using server = await startOpenAIServer({ replies: [NAMES, NAMES] });
  await using home = await openHome(server.baseUrl);
  const many = Array.from({ length: 14 }, (_, index) => `.agentloop/skills/z${index}/SKILL.md`);
  const project = await writeProject(home, {
    ".agentloop/skills/good/SKILL.md": skill("good"),
    ".agentloop/skills/bad/SKILL.md": '---\nname: bad\n"a\\e[31m": [\n---\n',
    ".agentloop/skills/fetch/SKILL.md": skill("fetch"),
    ".agentloop/skills/e\x1b[2J/SKILL.md": "nothing",
  });
  const { code, stdout, stderr } = await home.run(["--quiet", "go"], { cwd: project });
  strictEqual(code, 0);
  match(stdout, /\bgood\n$/);
  const lines = stderr.trimEnd().split("\n");
  strictEqual(lines.length, 3, stderr);
  match(lines[0] ?? "", /warning: \.agentloop\/skills\/bad\/SKILL\.md:\d: .*; left out$/);
  match(lines[1] ?? "", /warning: \.agentloop\/skills\/e \[2J\/SKILL\.md:1: there is no front/);
  match(lines[2] ?? "", /skills\/fetch\/SKILL\.md:2: the name "fetch" is taken; left out$/);

  await writeProject(home, Object.fromEntries(many.map((path) => [path, "nothing"])));
  const flooded = await home.run(["--quiet", "go"], { cwd: project });
  strictEqual(flooded.stderr.trimEnd().split("\n").length, 11);
  match(flooded.stderr, /skills: 7 more warnings\n$/);
});

Deno.test("skills: --skills-dir looks elsewhere, --no-skills nowhere, a small window only where it is told", async () => {
  await using server = await startOpenAIServer({ otherwise: NAMES });
  await using home = await openHome(server.baseUrl);
  const project = await writeProject(home, {
    ".agentloop/skills/mine/SKILL.md": skill("mine"),
    ".claude/skills/theirs/SKILL.md": skill("theirs"),
    ".agents/skills/ours/SKILL.md": skill("ours"),
  });
  const names = async (...options: string[]) => {
    const { stdout } = await home.run([...options, "go"], { cwd: project });
    return stdout.trim().split(",").filter((name) => /^(?:mine|theirs|ours)$/.test(name));
  };
  deepStrictEqual(await names(), ["mine"]);
  deepStrictEqual(await names("--no-skills"), []);
  const both = ["--skills-dir", ".claude/skills", "--skills-dir", ".agents/skills"];
  deepStrictEqual(await names(...both), ["theirs", "ours"]);
  deepStrictEqual(await names("--context-window", "4000"), []);
  deepStrictEqual(await names("--context-window", "4000", ...both), ["theirs", "ours"]);
});

Deno.test("skills: a folder outside of the project, and options that exclude each other, are wrong use", async () => {
  await using home = await openHome("http://127.0.0.1:9/v1");
  for (const dir of ["../x", "/etc", "."]) {
    const { code, stderr } = await home.run(["--skills-dir", dir, "go"]);
    strictEqual(code, 3);
    match(stderr, /^agentloop: --skills-dir: .*must lie below the project's root/);
  }
  const both = await home.run(["--no-skills", "--skills-dir", "x", "go"]);
  strictEqual(both.code, 3);
  match(both.stderr, /--no-skills and --skills-dir exclude each other/);
  deepStrictEqual([...Deno.readDirSync(home.path)], []);
});

Deno.test("skills: without permission to read the project there are none, and nobody is asked", async () => {
  await using server = await startOpenAIServer({ otherwise: NAMES });
  await using home = await openHome(server.baseUrl);
  const project = await writeProject(home, {
    ".git/": "",
    "sub/.agentloop/skills/below/SKILL.md": skill("below"),
    ".agentloop/skills/above/SKILL.md": skill("above"),
  });
  // A command from a checkout reads its own files.
  const own = dirname(CLI);
  const run = async (...read: string[]) => {
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        ...["run", "--no-lock", "--no-prompt", "--allow-net=127.0.0.1", "--allow-env"],
        ...[
          `--allow-run=${Deno.execPath()}`,
          `--allow-read=${[own, ...read]}`,
          CLI,
          "--ephemeral",
          "go",
        ],
      ],
      clearEnv: true,
      env: home.env(),
      cwd: `${project}/sub`,
      stdin: "null",
    }).output();
    const decoder = new TextDecoder();
    strictEqual(code, 0, decoder.decode(stderr));
    doesNotMatch(decoder.decode(stderr), /warning/);
    return decoder.decode(stdout).trim().split(",").at(-1);
  };
  strictEqual(await run(), "ai");
  // The root may not be looked for above: the folder itself is all there is.
  strictEqual(await run(`${project}/sub`), "below");
  strictEqual(await run(project), "above");
});

Deno.test("skills: the root is the nearest folder upward with .git, a worktree's file too, else the folder itself", async () => {
  const base = await Deno.realPath(await Deno.makeTempDir({ prefix: "root_" }));
  try {
    await Deno.mkdir(`${base}/repo/.git`, { recursive: true });
    await Deno.mkdir(`${base}/repo/a/tree/b`, { recursive: true });
    await Deno.mkdir(`${base}/plain`);
    strictEqual(repositoryRoot(`${base}/repo/a`), `${base}/repo`);
    strictEqual(repositoryRoot(`${base}/repo`), `${base}/repo`);
    await Deno.writeTextFile(`${base}/repo/a/tree/.git`, "gitdir: elsewhere\n");
    strictEqual(repositoryRoot(`${base}/repo/a/tree/b`), `${base}/repo/a/tree`);
    strictEqual(repositoryRoot(`${base}/plain/../repo/a/`), `${base}/repo`);
    strictEqual(repositoryRoot(`${base}/repo/a/tree/.git`), undefined);
    strictEqual(repositoryRoot(`${base}/none`), undefined);
    strictEqual(repositoryRoot(`${base}/plain`), `${base}/plain`);
  } finally {
    await Deno.remove(base, { recursive: true });
  }
});
