import { deepEqual, equal, match, ok } from "node:assert/strict";
import { WorkspaceFolder } from "./folder.ts";

/** As many files as make several batches; the times of their folders are past, so that they are read at a stretch. */
async function openTree(): Promise<WorkspaceFolder> {
  const folder = await WorkspaceFolder.open();
  for (let n = 0; n < 30; n++) {
    const path = `${folder.root}/d${String(n % 6)}/e${String(n).padStart(2, "0")}`;
    Deno.mkdirSync(path, { recursive: true });
    for (let m = 0; m < 50; m++) {
      const text = `line one of ${n}.${m}\n${"filling \u00e9\n".repeat(400)}hit ${n}.${m}\n`;
      Deno.writeTextFileSync(`${path}/f${String(m).padStart(2, "0")}.txt`, text);
    }
  }
  await folder.shell("find . -type d -exec touch -d '2001-01-01' {} +; sleep 0.05");
  return folder;
}

const plain = (found: { matches: { path: string; line: number; text: string }[] }) =>
  found.matches.map(({ path, line, text }) => `${path}:${line}:${text}`);

Deno.test("workspace: a search over many files finds each once, in the order of their names, in place and in a thread", async () => {
  await using folder = await openTree();
  const expected: string[] = [];
  for (let d = 0; d < 6; d++) {
    for (let e = d; e < 30; e += 6) {
      for (let m = 0; m < 50; m++) {
        const path = `d${d}/e${String(e).padStart(2, "0")}/f${String(m).padStart(2, "0")}.txt`;
        expected.push(`${path}:402:hit ${e}.${m}`);
      }
    }
  }
  for (
    const [pattern, options] of [["hit ", { literal: true }], ["^hit [0-9]+", {}], ["HIT|xyz", {
      ignoreCase: true,
    }]] as const
  ) {
    const found = await folder.call("grep", pattern, { ...options, max: 2_000 });
    deepEqual(plain(found), expected, pattern);
    equal(found.truncated, false);
    const some = await folder.call("grep", pattern, { ...options, max: 333 });
    deepEqual(plain(some), expected.slice(0, 333), pattern);
    equal(some.truncated, true);
  }
  const paths = expected.map((one) => one.slice(0, one.indexOf(":")));
  deepEqual(await folder.call("glob", "**"), paths);
  deepEqual(
    await folder.call("glob", "*/e2?/*[05].txt"),
    paths.filter((path) => /\/e2.\/.*[05]\.txt$/.test(path)),
  );
  // A pattern of several names is left to a thread.
  deepEqual(
    await folder.call("glob", "{d1/e01,d2/*}/*49*"),
    paths.filter((path) => /^d(1\/e01|2\/...)\/f49/.test(path)),
  );
  const narrow = await folder.call("grep", "hit", { glob: "d3/**/*7.txt", literal: true });
  deepEqual(
    narrow.matches.map((one: { path: string }) => one.path),
    paths.filter((path) => /^d3.*7\.txt$/.test(path)),
  );
});

Deno.test("workspace: files of all sizes lie beside one another in a search", async () => {
  const big = (bytes: number) => `${"filling\n".repeat(bytes / 8)}hit at the end\n`;
  await using folder = await WorkspaceFolder.open({
    "a.txt": "hit\n",
    "b.txt": big(3_000_000),
    "c.txt": "",
    "d.txt": big(1024 * 1024 - 15),
    "e.txt": big(16_000_000),
    "f.txt": big(17_000_000),
    "g.bin": new Uint8Array([...new TextEncoder().encode("hit\n"), 0xff]),
    "h.txt": "no end: hit",
    "i.txt": big(24_000),
  });
  await folder.shell("sleep 0.05");
  for (const pattern of ["hit", "hi[t]+"]) {
    const found = await folder.call("grep", pattern);
    deepEqual(plain(found), [
      "a.txt:1:hit",
      "b.txt:375001:hit at the end",
      "d.txt:131071:hit at the end",
      "e.txt:2000001:hit at the end",
      "h.txt:1:no end: hit",
      "i.txt:3001:hit at the end",
    ]);
    deepEqual(found.skipped, ["f.txt"]);
  }
});

Deno.test("workspace: a file or folder that changes all the time is searched all the same", async () => {
  await using folder = await WorkspaceFolder.open({ "sub/a.txt": "hit", "sub/deep/b.txt": "hit" });
  let n = 0;
  const timer = setInterval(() => {
    Deno.writeTextFileSync(`${folder.root}/sub/deep/new${n}`, "");
    Deno.removeSync(`${folder.root}/sub/deep/new${n++}`);
  }, 2);
  try {
    while (n < 20) {
      deepEqual(plain(await folder.call("grep", "hit")), [
        "sub/a.txt:1:hit",
        "sub/deep/b.txt:1:hit",
      ]);
    }
  } finally {
    clearInterval(timer);
  }
});

Deno.test("workspace: links, pipes and folders without permission are passed by in a search", async () => {
  await using folder = await WorkspaceFolder.open({ "a.txt": "hit", "sub/b.txt": "hit" });
  await folder.shell(
    "mkfifo sub/pipe; ln -s ../a.txt sub/link; ln -s .. sub/up; mkdir shut; touch shut/x; chmod 0 shut; sleep 0.05",
  );
  for (const pattern of ["hit", "hi+t"]) {
    deepEqual(plain(await folder.call("grep", pattern)), ["a.txt:1:hit", "sub/b.txt:1:hit"]);
  }
  await folder.shell("chmod 700 shut");
});

Deno.test("workspace: a thread that was ended computes no more, and the program ends", async () => {
  await using folder = await WorkspaceFolder.open({ "a.txt": "a".repeat(60) + "b" });
  const code = `
    import { buildPack } from ${JSON.stringify(new URL("./folder.ts", import.meta.url).href)};
    const pack = await buildPack(${JSON.stringify(folder.root)}, { matchTimeoutMs: 200 });
    const grep = pack.functions.find(({ name }) => name === "grep");
    const context = { signal: new AbortController().signal };
    const said = await grep.execute(["(a+)+$"], context).catch((error) => error.message);
    console.log(said);`;
  await Deno.writeTextFile(`${folder.base}/main.ts`, code);
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-check",
      "--no-prompt",
      `--allow-read=${folder.root}`,
      `${folder.base}/main.ts`,
    ],
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  // Without an end it would hang here until the suite's own.
  const { success, stdout } = await child.output();
  ok(success);
  match(new TextDecoder().decode(stdout), /the pattern took longer than 200 ms/);
});
