/** What `doctor` says of permissions, of the project and of what commands could reach. */
import { deepStrictEqual, doesNotMatch, match, strictEqual } from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { startOpenAIServer } from "../fixtures/openai_server.ts";
import { CLI, type Home, jsonLines, openHome } from "./cli_process.ts";
import { HAS_TERMINAL, openTerminal, screenOf } from "./terminal.ts";

const OWN_FILES = fileURLToPath(new URL("../../", import.meta.url));

/** Runs `doctor` with these permissions and no others. */
async function doctor(
  home: Home,
  permissions: readonly string[],
  args: readonly string[] = [],
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-lock", "--no-prompt", ...permissions, CLI, "doctor", ...args],
    clearEnv: true,
    env: home.env(),
    cwd: home.path,
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

Deno.test("doctor says of each permission that is missing what it switches off, and fails for what it cannot do without", async () => {
  await using server = await startOpenAIServer();
  await using home = await openHome(server.baseUrl);
  const { code, stdout, stderr } = await doctor(home, [`--allow-read=${OWN_FILES}`], ["--json"]);
  strictEqual(code, 1);
  doesNotMatch(stderr, /\bat file:|Error:/);
  const checks = jsonLines(stdout).filter(({ type }) => type === "check");
  const of = (name: string) => checks.find((check) => check.name === name);
  deepStrictEqual(
    checks.filter(({ state }) => state === "failed").map(({ name }) => name),
    ["endpoint", "sandbox", "database"],
  );
  deepStrictEqual(of("granted").permissions, {
    read: { held: "partly", granted: ["agentloop's own files"] },
    ...Object.fromEntries(
      ["write", "net", "run", "env", "sys", "ffi", "import"]
        .map((kind) => [kind, { held: "none", granted: [] }]),
    ),
  });
  const off = checks.filter(({ state }) => state === "off");
  deepStrictEqual(
    off.map(({ name }) => name),
    ["files", "asking", "serving", "scripts", "exec", "fetch", "variables"],
  );
  strictEqual(of("exec").detail, "no --allow-run=sh: exec is off");
  match(of("files").detail, /^no --allow-read=\.: readFile, .*exec are off$/);
  match(of("variables").detail, /^no --allow-env=OPENAI_API_KEY,.*: they count as not set$/);
  deepStrictEqual(of("exec").missing, ["--allow-run=sh"]);
  deepStrictEqual([of("reach").exec, of("reach").state], [false, "ok"]);
  strictEqual(of("project").state, "skipped");
});

Deno.test("doctor tells what is held where it is not the whole, and that of a project only writing is missing", async () => {
  await using server = await startOpenAIServer();
  await using home = await openHome(server.baseUrl);
  const { host } = new URL(server.baseUrl);
  const project = `${home.path}/a/project`;
  await Deno.mkdir(`${project}/deep`, { recursive: true });
  await Deno.mkdir(`${project}/.git`);
  const { code, stdout } = await doctor(home, [
    `--allow-read=${OWN_FILES},${home.path}`,
    `--allow-write=${home.path}/db`,
    `--allow-net=${host}`,
    `--allow-run=${Deno.execPath()},sh`,
    "--allow-env=OPENAI_BASE_URL,HOME,DENO_DIR",
  ], ["--offline", "--json", "--db", "db/a.db", "--cwd", `${project}/deep`]);
  const checks = jsonLines(stdout).filter(({ type }) => type === "check");
  const of = (name: string) => checks.find((check) => check.name === name);
  deepStrictEqual(checks.filter(({ state }) => state === "failed"), []);
  strictEqual(code, 0);
  const { write, net, run } = of("granted").permissions;
  deepStrictEqual([write, net, run], [
    { held: "partly", granted: ["the database"] },
    { held: "partly", granted: ["the model"] },
    { held: "partly", granted: ["the runtime", "sh"] },
  ]);
  strictEqual(
    of("edits").detail,
    `no --allow-write=${project}/deep: writeFile and editFile are off`,
  );
  deepStrictEqual([of("files"), of("exec"), of("scripts"), of("asking")], Array(4).fill(undefined));
  deepStrictEqual(
    [of("project").cwd, of("project").root, of("project").git],
    [await Deno.realPath(`${project}/deep`), await Deno.realPath(project), true],
  );
  strictEqual(of("reach").exec, true);
  match(of("reach").detail, /^exec is not confined: the programs that --allow-run names/);
  strictEqual(server.requests.length + server.modelRequests.length, 0);
});

Deno.test("doctor lists instructions and skills of the project, and what is wrong with them", async () => {
  await using home = await openHome("http://127.0.0.1:9/v1");
  const folders = ["good", "bad"].map((name) => `${home.path}/.agentloop/skills/${name}`);
  for (const folder of [...folders, `${home.path}/.git`, `${home.path}/deep`]) {
    await Deno.mkdir(folder, { recursive: true });
  }
  await Deno.writeTextFile(`${home.path}/AGENTS.md`, "Be brief.\n");
  await Deno.writeFile(`${home.path}/deep/AGENTS.md`, new Uint8Array([0xff, 0xfe, 0x00, 0xff]));
  await Deno.writeTextFile(
    `${folders[0]}/SKILL.md`,
    "---\nname: good\ndescription: A good one.\n---\nDo it.\n",
  );
  await Deno.writeTextFile(`${folders[1]}/SKILL.md`, "---\nname: [\n---\n");
  const { code, stdout } = await home.run(["doctor", "--offline", "--json", "--cwd", "deep"]);
  strictEqual(code, 0);
  const of = (name: string) => jsonLines(stdout).find((line) => line.name === name);
  const { state, files, warnings } = of("AGENTS.md");
  deepStrictEqual([state, files], ["warning", [{ name: "AGENTS.md", bytes: 9 }]]);
  match(warnings.join(), /deep\/AGENTS\.md/);
  match(of("AGENTS.md").detail, /^AGENTS\.md \(9 B\); 1 warning: deep\/AGENTS\.md /);
  deepStrictEqual([of("skills").state, of("skills").skills], ["warning", ["good"]]);
  match(of("skills").detail, /^good; \d+ warnings?: \.agentloop\/skills\/bad\/SKILL\.md/);
});

Deno.test("doctor --offline makes no request, not even for the list of models", async () => {
  await using server = await startOpenAIServer();
  await using home = await openHome(server.baseUrl);
  const { code } = await home.run(["doctor", "--offline"], { env: { OPENAI_CHAT_MODEL: "" } });
  strictEqual(code, 0);
  strictEqual(server.requests.length + server.modelRequests.length, 0);
});

Deno.test("doctor keeps within the columns of a terminal", {
  ignore: !HAS_TERMINAL,
}, async () => {
  await using home = await openHome("http://127.0.0.1:9/v1");
  await using terminal = openTerminal(home, ["doctor", "--offline", "--db", "a.db"]);
  strictEqual(await terminal.ended(), 0);
  match(terminal.shown, /reach {6}\S+ +exec is not confined/);
  deepStrictEqual(screenOf(terminal.shown).filter((line) => line.length > 100), []);
});
