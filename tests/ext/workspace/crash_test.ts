import { deepEqual, ok } from "node:assert/strict";
import { WorkspaceFolder } from "./folder.ts";

/** A program that may touch the workspace only; `body` finds its functions in `call`. */
function programOf(folder: WorkspaceFolder, body: string): string {
  return `
    import { workspaceCapability } from ${
    JSON.stringify(import.meta.resolve("../../../ext/workspace/mod.ts"))
  };
    const [pack] = await workspaceCapability({ root: ${JSON.stringify(folder.root)} })
      .build({ sessionId: "s" });
    const context = { signal: new AbortController().signal };
    const call = (name, ...args) =>
      pack.functions.find((one) => one.name === name).execute(args, context);
    ${body}`;
}

/** Starts such a program with permissions for the folder and nothing else. */
async function start(folder: WorkspaceFolder, body: string): Promise<Deno.ChildProcess> {
  const main = `${folder.base}/main.js`;
  await Deno.writeTextFile(main, programOf(folder, body));
  const permissions = [`--allow-read=${folder.root}`, `--allow-write=${folder.root}`];
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-prompt", "--no-check", ...permissions, main],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

Deno.test("workspace: permission for the folder is all that the functions need", async () => {
  await using folder = await WorkspaceFolder.open({ "a/b.txt": "one\ntwo\n" });
  const child = await start(
    folder,
    `
    await call("writeFile", "new/c.txt", "three");
    await call("editFile", "a/b.txt", "two", "2");
    const diff = await pack.functions.find((one) => one.name === "editFile")
      .preview(["a/b.txt", "one", "1"]);
    console.log(JSON.stringify([
      await call("readFile", "a/b.txt"),
      await call("listDir", "."),
      await call("glob", "**/*.txt"),
      (await call("grep", "t[h]ree")).matches.length,
      diff.split("\\n").length,
    ]));`,
  );
  const { stdout, stderr } = await child.output();
  deepEqual(
    JSON.parse(
      new TextDecoder().decode(stdout) || JSON.stringify(new TextDecoder().decode(stderr)),
    ),
    [
      "one\n2\n",
      [{ name: "a", kind: "dir" }, { name: "new", kind: "dir" }],
      ["a/b.txt", "new/c.txt"],
      1,
      6,
    ],
  );
});

Deno.test("workspace: a program that is killed while it writes leaves the old text or the new one", async () => {
  const texts = ["a".repeat(300_000), "b".repeat(200_000)];
  await using folder = await WorkspaceFolder.open({ "d/a.txt": texts[0] ?? "" });
  for (let round = 0; round < 4; round++) {
    const child = await start(
      folder,
      `
      console.log("started");
      for (let turn = 0;; turn++) {
        await call("writeFile", "d/a.txt", (turn % 2 ? "a" : "b").repeat(turn % 2 ? 300_000 : 200_000));
      }`,
    );
    const reader = child.stdout.getReader();
    ok(!(await reader.read()).done);
    // A time that differs from round to round, so that it is not always the same step that is cut off.
    await new Promise((resolve) => setTimeout(resolve, 40 + 37 * round));
    child.kill("SIGKILL");
    await Promise.all([child.status, child.stderr.cancel(), reader.cancel()]);
    ok(texts.includes(folder.text("d/a.txt")), `round ${round}`);
  }
  // What a killed program left is shown to nobody.
  deepEqual(await folder.call("listDir", "d"), [{ name: "a.txt", kind: "file" }]);
  deepEqual(await folder.call("glob", "**", { all: true }), ["d/a.txt"]);
});

Deno.test("workspace: what a killed write left is taken away by the next write in the folder, and what another program writes is not", async () => {
  await using folder = await WorkspaceFolder.open({ "d/a.txt": "old" });
  const [left, used, foreign] = [1, 2, 3].map((n) =>
    `d/.agentloop-${n}${crypto.randomUUID().slice(1)}.tmp`
  ) as [string, string, string];
  for (const path of [left, used]) await folder.put(path, "half");
  // No name of ours.
  await folder.put(foreign.replace("agentloop", "other"), "theirs");
  const past = new Date(Date.now() - 10_000);
  for (const path of [left, used]) Deno.utimeSync(`${folder.root}/${path}`, past, past);
  // What has just been made is not locked yet.
  await folder.put(foreign, "new");
  const child = await start(
    folder,
    `
    const file = Deno.openSync(${
      JSON.stringify(`${folder.root}/${used}`)
    }, { read: true, write: true });
    file.lockSync(true);
    console.log("locked");
    setInterval(() => {}, 1000);`,
  );
  const reader = child.stdout.getReader();
  ok(!(await reader.read()).done);
  await folder.call("writeFile", "d/b.txt", "new");
  const names = (): readonly string[] =>
    [...Deno.readDirSync(`${folder.root}/d`)].map(({ name }) => `d/${name}`).sort();
  deepEqual(
    names(),
    ["d/a.txt", "d/b.txt", used, foreign, foreign.replace("agentloop", "other")].sort(),
  );
  child.kill("SIGKILL");
  await Promise.all([child.status, child.stderr.cancel(), reader.cancel()]);
  Deno.utimeSync(`${folder.root}/${foreign}`, past, past);
  await folder.call("writeFile", "d/b.txt", "newer");
  deepEqual(names(), ["d/a.txt", "d/b.txt", foreign.replace("agentloop", "other")].sort());
});
