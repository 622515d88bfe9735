import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import type { CallContext } from "../../../contracts/sandbox.ts";
import { WorkspaceFolder } from "./folder.ts";

Deno.test("workspace: glob finds by pattern, files with a dot too", async () => {
  await using folder = await WorkspaceFolder.open({
    "a.ts": "",
    "src/b.ts": "",
    "src/deep/c.ts": "",
    "src/d.js": "",
    ".github/ci.yml": "",
    "odd [1].txt": "",
  });
  deepEqual(await folder.call("glob", "*.ts"), ["a.ts"]);
  deepEqual(await folder.call("glob", "**/*.ts"), ["a.ts", "src/b.ts", "src/deep/c.ts"]);
  deepEqual(await folder.call("glob", "src/*.{ts,js}"), ["src/b.ts", "src/d.js"]);
  deepEqual(await folder.call("glob", "./src/deep/**"), ["src/deep/c.ts"]);
  deepEqual(await folder.call("glob", ".github/*"), [".github/ci.yml"]);
  deepEqual(await folder.call("glob", "src/b.ts"), ["src/b.ts"]);
  deepEqual(await folder.call("glob", "a.ts"), ["a.ts"]);
  deepEqual(await folder.call("glob", "gone/**"), []);
  await rejects(folder.call("glob", ""), /1 to 1000 characters/);
  await rejects(folder.call("glob", "*".repeat(1001)), /1 to 1000 characters/);
});

Deno.test("workspace: .gitignore files hold in glob and grep, deeper ones before others, unless all is asked for", async () => {
  await using folder = await WorkspaceFolder.open({
    ".gitignore": "*.log\nbuild/\n/only-here\n",
    "a.log": "hit",
    "a.txt": "hit",
    "build/x.txt": "hit",
    "only-here": "hit",
    "sub/only-here": "hit",
    "sub/.gitignore": "!keep.log\n*.txt\n",
    "sub/keep.log": "hit",
    "sub/b.txt": "hit",
    "sub/build/.gitignore": "!*",
    "sub/build/y": "hit",
    "upper/A.LOG": "hit",
  });
  const kept = ["a.txt", "sub/keep.log", "sub/only-here", "upper/A.LOG"];
  const paths = async (options: Record<string, boolean>) =>
    (await folder.call("grep", "hit", options)).matches.map((one: { path: string }) => one.path);
  const plain = (found: string[]) => found.filter((path) => !path.endsWith(".gitignore"));
  deepEqual(plain(await folder.call("glob", "**")), kept);
  deepEqual(await paths({}), kept);
  deepEqual(await folder.call("glob", "sub/*.txt"), []);
  const all = plain(await folder.call("glob", "**", { all: true }));
  equal(all.length, 9);
  deepEqual((await paths({ all: true })).length, 9);
});

Deno.test("workspace: a .gitignore that would take for ever is not waited for", async () => {
  const open = "**/a/".repeat(20);
  await using folder = await WorkspaceFolder.open({
    ".gitignore": `${open}b\n*.log\n`,
    [`${"a/".repeat(62)}c.txt`]: "hit",
    [`${"a/".repeat(62)}c.log`]: "hit",
    // No function takes a path of so many names.
    [`${"a/".repeat(64)}d.txt`]: "hit",
  });
  deepEqual(await folder.call("glob", "**/*.*"), [".gitignore", `${"a/".repeat(62)}c.txt`]);
});

Deno.test("workspace: a .gitignore of so many rules that they take long ends the call, which goes on without them when asked to", async () => {
  const files = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`${n}.txt`, "hit"]));
  await using folder = await WorkspaceFolder.open(
    { ...files, ".gitignore": "b\n".repeat(500_000) },
    { matchTimeoutMs: 1_000 },
  );
  await rejects(folder.call("glob", "*.txt"), /\.gitignore took longer than 1000 ms; all: true/);
  await rejects(folder.call("grep", "hit"), /\.gitignore took longer than 1000 ms; all: true/);
  equal((await folder.call("glob", "*.txt", { all: true })).length, 300);
});

Deno.test("workspace: a .gitignore that is a link out is not read", async () => {
  await using folder = await WorkspaceFolder.open({ "a.txt": "" });
  await folder.shell("echo '*.txt' > ../outside/rules; ln -s ../outside/rules .gitignore");
  deepEqual(await folder.call("glob", "*"), ["a.txt"]);
});

Deno.test("workspace: grep gives lines with their numbers, context and what was left out", async () => {
  await using folder = await WorkspaceFolder.open({
    "a.txt": "\none\r\ntwo\r\nthree\r\nTwo\r\n",
    "b.md": "two",
  });
  const { matches, truncated } = await folder.call("grep", "^two$", { context: 2 });
  deepEqual(matches, [
    { path: "a.txt", line: 3, text: "two", before: ["", "one"], after: ["three", "Two"] },
    { path: "b.md", line: 1, text: "two" },
  ]);
  equal(truncated, false);
  const found = async (pattern: string, options: Record<string, string | number | boolean>) =>
    (await folder.call("grep", pattern, options)).matches
      .map((one: { path: string; line: number }) => `${one.path}:${one.line}`);
  deepEqual(await found("^TWO$", { ignoreCase: true, path: "a.txt" }), ["a.txt:3", "a.txt:5"]);
  deepEqual(await found("two", { glob: "*.md" }), ["b.md:1"]);
  deepEqual(await found("t.o", { literal: true }), []);
  deepEqual(await found("(", { literal: true }), []);
  deepEqual(await found("\\p{Lu}wo", {}), ["a.txt:5"]);
  const one = await folder.call("grep", "t", { max: 2 });
  equal(one.matches.length, 2);
  equal(one.truncated, true);
  equal((await folder.call("grep", "two", { max: 2 })).truncated, false);
  await rejects(folder.call("grep", "("), /Invalid regular expression.*use literal: true/);
  await rejects(folder.call("grep", ""), /the pattern is empty/);
  await rejects(folder.call("grep", "x", { max: 0 }), /max must be a whole number from 1 to 2000/);
  await rejects(folder.call("grep", "x", { path: "gone" }), /gone does not exist/);
});

Deno.test("FIL-09 workspace: a pattern that begins with a dash is a pattern", async () => {
  await using folder = await WorkspaceFolder.open({
    "f.txt": "-world\n--pre=x\n",
    "-n.txt": "-world\n",
  });
  const lines = async (pattern: string) => (await folder.call("grep", pattern)).matches.length;
  equal(await lines("-world"), 2);
  equal(await lines("--pre=x.sh"), 0);
  equal(await lines("-e"), 0);
  equal(await folder.call("readFile", "-n.txt"), "-world\n");
});

Deno.test("workspace: binary files are not searched, and huge ones are named", async () => {
  await using folder = await WorkspaceFolder.open({
    "a.bin": new Uint8Array([104, 105, 0]),
    "b.txt": "hi",
    "big.txt": new Uint8Array(17 * 1024 * 1024).fill(104),
  });
  const result = await folder.call("grep", "h");
  deepEqual(result.matches, [{ path: "b.txt", line: 1, text: "hi" }]);
  deepEqual(result.skipped, ["big.txt"]);
});

Deno.test("workspace: what a search returns is bounded in lines and in their length", async () => {
  const line = `hit ${"y".repeat(1_000)}\n`;
  await using folder = await WorkspaceFolder.open({ "a.txt": line.repeat(5_000) });
  const many = await folder.call("grep", "hit", { max: 2_000, context: 20 });
  ok(many.truncated);
  ok(JSON.stringify(many).length < 1_500_000);
  equal((await folder.call("grep", "hit")).matches.length, 100);
});

Deno.test("workspace: a pattern that takes forever is ended, and the program goes on meanwhile", async () => {
  await using folder = await WorkspaceFolder.open({ "a.txt": "a".repeat(60) + "b", "b.txt": "x" }, {
    matchTimeoutMs: 300,
  });
  let ticks = 0;
  const timer = setInterval(() => ticks++, 10);
  try {
    await rejects(folder.call("grep", "(a+)+$"), /the pattern took longer than 300 ms; make it/);
    await rejects(folder.call("grep", "(a|a)*c", { ignoreCase: true }), /longer than 300 ms/);
    ok(ticks >= 10, `${ticks} ticks`);
  } finally {
    clearInterval(timer);
  }
  equal((await folder.call("grep", "x")).matches.length, 1);
  // The same text as a plain one is no pattern at all.
  deepEqual((await folder.call("grep", "(a+)+$", { literal: true })).matches, []);
});

Deno.test("workspace: a glob pattern that takes forever is ended too", async () => {
  await using folder = await WorkspaceFolder.open({ [`${"a".repeat(200)}`]: "" }, {
    matchTimeoutMs: 300,
  });
  const pattern = `${"*a".repeat(30)}*b`;
  await rejects(folder.call("glob", pattern), /the pattern took longer than 300 ms/);
  await rejects(folder.call("grep", "x", { glob: pattern }), /longer than 300 ms/);
});

Deno.test("workspace: a search ends with its run", async () => {
  await using folder = await WorkspaceFolder.open({ "a.txt": "a".repeat(60) + "b" }, {
    matchTimeoutMs: 60_000,
  });
  const controller = new AbortController();
  const search = folder.functions.get("grep")?.execute(
    ["(a+)+$"],
    { signal: controller.signal } as CallContext,
  );
  setTimeout(() => controller.abort(new Error("the run is over")), 100);
  await rejects(search as Promise<unknown>, /the run is over/);
});
