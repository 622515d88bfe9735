import { deepEqual, equal, ok } from "node:assert/strict";
import { WorkspaceFolder } from "./folder.ts";

/** Swaps the folder `sub` for a link that leads out, and back, as fast as it can for a while, then rests. */
function startSwapper(folder: WorkspaceFolder, restMs: number): Deno.ChildProcess {
  // In the moment in which there is no `sub`, a write may make one: it is taken away again.
  const code = `
    function move(from, to) {
      for (;;) {
        try {
          return Deno.renameSync(from, to);
        } catch {
          try { Deno.removeSync(to, { recursive: true }); } catch { /* is made just now */ }
        }
      }
    }
    for (;;) {
      const until = performance.now() + 60;
      while (performance.now() < until) {
        move("sub", ".real");
        move(".link", "sub");
        for (let wait = performance.now() + Math.random() / 3; performance.now() < wait;);
        move("sub", ".link");
        move(".real", "sub");
        for (let wait = performance.now() + Math.random() / 3; performance.now() < wait;);
      }
      await new Promise((resolve) => setTimeout(resolve, ${restMs}));
    }`;
  const main = `${folder.base}/swap.js`;
  Deno.writeTextFileSync(main, code);
  return new Deno.Command("sh", {
    args: ["-c", `ln -s ../outside .link; exec "$0" run -A --no-check "$1"`, Deno.execPath(), main],
    cwd: folder.root,
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
}

Deno.test("workspace: while a folder is swapped for a link, nothing outside is read, listed or written", async () => {
  await using folder = await WorkspaceFolder.open({ "sub/secret.txt": "inside", "sub/a.txt": "a" });
  await Deno.writeTextFile(`${folder.outside}/a.txt`, "the secret of a");
  await Deno.writeTextFile(`${folder.outside}/only-outside.txt`, "");
  const before = folder.outsideState();
  const swapper = startSwapper(folder, 60);
  const counts = { written: 0, listed: 0 };
  const read = new Set<string>();
  try {
    const until = performance.now() + 8_000;
    const repeat = async (work: () => Promise<void>) => {
      // What is refused while the folder is swapped is as it should be.
      while (performance.now() < until) await work().catch(() => {});
    };
    await Promise.all([
      ...Array.from(
        { length: 4 },
        () => repeat(async () => void read.add(await folder.call("readFile", "sub/secret.txt"))),
      ),
      repeat(async () => {
        const names = await folder.call("listDir", "sub");
        counts.listed++;
        for (const { name } of names) read.add(name === "only-outside.txt" ? name : "inside");
      }),
      repeat(async () => {
        await folder.call("writeFile", "sub/a.txt", `a ${counts.written}`);
        counts.written++;
      }),
      repeat(() => folder.call("writeFile", `sub/new${counts.written}/x.txt`, "new")),
      repeat(() => folder.call("editFile", "sub/secret.txt", "the secret", "edited")),
    ]);
  } finally {
    swapper.kill("SIGKILL");
    await swapper.status;
  }
  deepEqual([...read], ["inside"]);
  ok(counts.written > 0 && counts.listed > 0, JSON.stringify(counts));
  equal(folder.outsideState(), before);
});

Deno.test("workspace: what a swap would let out is never returned", async () => {
  await using folder = await WorkspaceFolder.open({ "sub/secret.txt": "inside" });
  const swapper = startSwapper(folder, 0);
  const seen = new Set<string>();
  try {
    const until = performance.now() + 3_000;
    while (performance.now() < until) {
      await folder.call("readFile", "sub/secret.txt").then((text) => seen.add(text), () => {});
    }
  } finally {
    swapper.kill("SIGKILL");
    await swapper.status;
  }
  deepEqual([...seen].filter((text) => text !== "inside"), []);
});

Deno.test("workspace: while a folder is swapped, a search and a walk give nothing of what lies outside", async () => {
  await using folder = await WorkspaceFolder.open({
    "sub/secret.txt": "the inside",
    "z.txt": "the",
  });
  await Deno.writeTextFile(`${folder.outside}/only-outside.txt`, "the other");
  const swapper = startSwapper(folder, 60);
  const seen = new Set<string>();
  let found = 0;
  try {
    const until = performance.now() + 5_000;
    while (performance.now() < until) {
      const search = folder.call("grep", "^the .*", {}).catch(() => ({ matches: [] }));
      for (const { path, text } of (await search).matches) seen.add(`${path}: ${text}`);
      const literal = folder.call("grep", "the ", { literal: true }).catch(() => ({ matches: [] }));
      for (const { path, text } of (await literal).matches) seen.add(`${path}: ${text}`);
      for (const path of await folder.call("glob", "**/*.txt").catch(() => [])) seen.add(path);
      found++;
    }
  } finally {
    swapper.kill("SIGKILL");
    await swapper.status;
  }
  // What is inside is found below either of its names.
  const inside = /^(?:z\.txt|(?:sub|\.real)\/secret\.txt)(?:: the inside)?$/;
  deepEqual([...seen].filter((one) => !inside.test(one)), []);
  ok(seen.has("sub/secret.txt: the inside") && found > 10, JSON.stringify([found, ...seen]));
});
