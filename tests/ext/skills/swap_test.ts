import { deepEqual } from "node:assert/strict";
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

Deno.test("skills: a folder that is swapped for a link and back lets nothing in from outside", async () => {
  await using project = await Project.open({ [usual("skill")]: skillText("skill", "inside") });
  const swapper = await startSwapper(project);
  const seen = new Set<string>();
  try {
    const until = performance.now() + 4_000;
    await Promise.all(Array.from({ length: 3 }, async () => {
      while (performance.now() < until) {
        for (const { description } of (await project.load()).skills) seen.add(description);
      }
    }));
  } finally {
    swapper.kill("SIGKILL");
    await swapper.status;
  }
  deepEqual([...seen], ["inside"]);
});
