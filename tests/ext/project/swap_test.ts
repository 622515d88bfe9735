import { deepEqual, ok } from "node:assert/strict";
import { loadProject } from "../../../ext/project/mod.ts";
import { Checkout } from "./checkout.ts";

/** Swaps a folder on the way and a file for links that lead out, and back, as fast as it can for a while, then rests. */
function startSwapper(checkout: Checkout, restMs: number): Deno.ChildProcess {
  const code = `
    for (const [name, to] of [["a", "../outside"], ["AGENTS.md", "../outside/AGENTS.md"]]) {
      Deno.symlinkSync(to, ".link-" + name);
    }
    const pause = () => { for (let wait = performance.now() + Math.random() / 3; performance.now() < wait;); };
    for (;;) {
      const until = performance.now() + 60;
      while (performance.now() < until) {
        for (const name of ["a", "AGENTS.md"]) {
          Deno.renameSync(name, ".real-" + name);
          Deno.renameSync(".link-" + name, name);
          pause();
          Deno.renameSync(name, ".link-" + name);
          Deno.renameSync(".real-" + name, name);
          pause();
        }
      }
      await new Promise((resolve) => setTimeout(resolve, ${restMs}));
    }`;
  const main = `${checkout.base}/swap.js`;
  Deno.writeTextFileSync(main, code);
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", main],
    cwd: checkout.root,
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
}

for (const restMs of [0, 60]) {
  Deno.test(`project: a folder or a file that is swapped for a link and back lets nothing in from outside (rests of ${restMs} ms)`, async () => {
    await using checkout = await Checkout.open({
      "AGENTS.md": "root",
      "a/AGENTS.md": "inside",
      "a/b/AGENTS.md": "deep",
      "../outside/b/AGENTS.md": "the other secret",
    });
    const swapper = startSwapper(checkout, restMs);
    const seen = new Set<string>();
    try {
      const until = performance.now() + 4_000;
      await Promise.all(Array.from({ length: 3 }, async () => {
        while (performance.now() < until) {
          // While the way to it is swapped the working folder itself may lead out: then it is another project's.
          const { root, documents } = await loadProject({ cwd: `${checkout.root}/a/b` });
          if (root === checkout.root) documents.forEach(({ text }) => seen.add(text));
        }
      }));
    } finally {
      swapper.kill("SIGKILL");
      await swapper.status;
    }
    deepEqual([...seen].filter((text) => !["root", "inside", "deep"].includes(text)), []);
    ok(restMs === 0 || seen.size === 3, [...seen].join());
  });
}
