/** `init`, and what can be done with what it writes. */
import { deepEqual, equal, match } from "node:assert/strict";
import { onlyResult, openHome } from "./cli_process.ts";

const CONFIG = ".agentloop/config.json";
const SKILL = ".agentloop/skills/example/SKILL.md";

Deno.test("init: writes a config file and a skill at the root of the repository, and tells it", async () => {
  await using home = await openHome();
  const project = `${await Deno.realPath(home.path)}/project`;
  await Deno.mkdir(`${project}/.git`, { recursive: true });
  await Deno.mkdir(`${project}/sub`);
  const { code, stdout, stderr } = await home.run(["init"], { cwd: `${project}/sub` });
  equal(code, 0);
  equal(stdout, "");
  equal(stderr, `Wrote ${project}/${CONFIG}\nWrote ${project}/${SKILL}\n`);
  match(
    await Deno.readTextFile(`${project}/${SKILL}`),
    /^---\nname: example\ndescription: [^\n:]+\n---\n\n# /,
  );
  match(await Deno.readTextFile(`${project}/${CONFIG}`), /\n {2}\/\/ "maxSteps": 20,\n/);
  // What it wrote is trusted, and good as it is.
  match((await home.run(["trust"], { cwd: project })).stderr, /says nothing that needs trust/);
  equal((await home.run(["sessions", "ls"], { cwd: project })).code, 0);
});

Deno.test("init: nothing is written over, and what is missing is still written", async () => {
  await using home = await openHome();
  const project = await Deno.realPath(home.path);
  await Deno.mkdir(`${project}/.agentloop`);
  await Deno.writeTextFile(`${project}/${CONFIG}`, '{ "approve": "auto" }');
  const first = onlyResult((await home.run(["--json", "init"])).stdout);
  deepEqual([first.project, first.written, first.kept], [project, [SKILL], [CONFIG]]);
  equal(await Deno.readTextFile(`${project}/${CONFIG}`), '{ "approve": "auto" }');
  const second = await home.run(["init", "--cwd", project]);
  equal(second.code, 0);
  equal(
    second.stderr,
    `Left ${project}/${CONFIG} as it is.\nLeft ${project}/${SKILL} as it is.\n`,
  );
  // A file that was there before is not trusted by this.
  match((await home.run(["hi"])).stderr, /config\.json is not trusted/);
});

Deno.test("init: a folder that cannot be written, or that there is not, is named with the reason", {
  ignore: Deno.build.os === "windows",
}, async () => {
  await using home = await openHome();
  // Nobody can make a folder there, the root user neither.
  const proc = await home.run(["--json", "init", "--cwd", "/proc/self"]);
  equal(proc.code, 1);
  const { error, written } = onlyResult(proc.stdout);
  equal(error.type, "config");
  match(error.message, /^Cannot write \/proc\/\d+\/\.agentloop\/config\.json: /);
  deepEqual(written, []);
  const missing = await home.run(["init", "--cwd", "missing"]);
  equal(missing.code, 3);
  match(missing.stderr, /^agentloop: missing cannot be used: there is no such file\.\n/);
  equal((await home.run(["init", "everything"])).code, 3);
});
