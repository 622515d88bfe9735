import { deepEqual } from "node:assert/strict";
import { skillFiles } from "../../../ext/skills/skill_files.ts";
import { Project, skillText, usual } from "./project.ts";

/** Swaps the folder of the skills for a link that leads out, and back, as fast as it can for a while, then rests. */
async function startSwapper(project: Project): Promise<Deno.ChildProcess> {
  const code = `
    const pause = () => { for (let wait = performance.now() + Math.random() / 3; performance.now() < wait;); };
    for (;;) {
      const until = performance.now() + 60;
      while (performance.now() < until) {
        Deno.renameSync("skills", "real");
        Deno.renameSync("link", "skills");
        pause();
        Deno.renameSync("skills", "link");
        Deno.renameSync("real", "skills");
        pause();
      }
      await new Promise((resolve) => setTimeout(resolve, 60));
    }`;
  const main = `${project.base}/swap.js`;
  await Deno.writeTextFile(main, code);
  await project.shell("ln -s ../../outside .agentloop/link");
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", main],
    cwd: `${project.root}/.agentloop`,
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
}

async function repeatedly(work: () => Promise<void>): Promise<void> {
  const until = performance.now() + 4_000;
  await Promise.all(Array.from({ length: 3 }, async () => {
    // What is refused while the folder is swapped is as it should be.
    while (performance.now() < until) await work().catch(() => {});
  }));
}

Deno.test("skills: a folder that is swapped for a link and back lets nothing in from outside", async () => {
  await using project = await Project.open({ [usual("skill")]: skillText("skill", "inside") });
  const swapper = await startSwapper(project);
  const seen = new Set<string>();
  try {
    await repeatedly(async () => {
      for (const { description } of (await project.load()).skills) seen.add(description);
    });
  } finally {
    swapper.kill("SIGKILL");
    await swapper.status;
  }
  deepEqual([...seen], ["inside"]);
});

Deno.test("skills: nor does a script get what lies beside another SKILL.md", async () => {
  await using project = await Project.open({
    [usual("skill")]: skillText("skill", "inside"),
    [usual("skill").replace("SKILL.md", "more.txt")]: "inside",
  });
  await Deno.writeTextFile(`${project.base}/outside/skill/more.txt`, "the secret");
  const [skill] = (await project.load()).skills;
  const files = skillFiles(skill!);
  const swapper = await startSwapper(project);
  const seen = new Set<string>();
  try {
    await repeatedly(async () => void seen.add(await files.read("more.txt")));
  } finally {
    swapper.kill("SIGKILL");
    await swapper.status;
  }
  deepEqual([...seen], ["inside"]);
});
