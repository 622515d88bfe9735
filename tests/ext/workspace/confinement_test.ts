import { deepEqual, doesNotThrow, equal, ok, rejects, throws } from "node:assert/strict";
import type { JsonValue } from "../../../contracts/json.ts";
import type { CallContext } from "../../../contracts/sandbox.ts";
import { isGitName, readNames } from "../../../ext/workspace/path_rules.ts";
import { buildPack, REFUSED, WorkspaceFolder } from "./folder.ts";

/** Every function that takes a path, with that path. */
function allCalls(path: string): readonly (readonly [string, ...string[]])[] {
  return [
    ["readFile", path],
    ["writeFile", path, "x"],
    ["editFile", path, "secret", "x"],
    ["listDir", path],
  ];
}

async function refusesAll(folder: WorkspaceFolder, path: string): Promise<void> {
  for (const [name, ...args] of allCalls(path)) {
    await rejects(folder.call(name, ...args), REFUSED, `${name}(${JSON.stringify(path)})`);
  }
  await rejects(folder.call("grep", "secret", { path }), REFUSED);
}

Deno.test("FIL-01 workspace: nothing is reached by a link that leads out", async () => {
  await using folder = await WorkspaceFolder.open({ "a/in.txt": "inside secret" });
  await folder.shell(
    "ln -s ../outside/secret.txt link; ln -s ../outside dir; ln -s ../outside/not-yet-there new; ln -s ../../.. a/b",
  );
  const before = folder.outsideState();
  for (const path of ["link", "dir/secret.txt", "dir/x.txt", "new", "a/b", "a/b/x"]) {
    for (const [name, ...args] of allCalls(path)) {
      await rejects(folder.call(name, ...args), REFUSED, `${name} ${path}`);
    }
  }
  await rejects(folder.call("listDir", "dir"), REFUSED);
  await rejects(folder.call("grep", "secret", { path: "dir" }), REFUSED);
  await rejects(folder.call("glob", "dir/**"), REFUSED);
  deepEqual(await folder.call("glob", "**"), ["a/in.txt"]);
  const { matches } = await folder.call("grep", "secret");
  deepEqual(matches.map((found: { path: string }) => found.path), ["a/in.txt"]);
  equal(folder.outsideState(), before);
});

Deno.test("FIL-01 workspace: a link that stays inside works, and stays a link", async () => {
  await using folder = await WorkspaceFolder.open({ "data/real.txt": "one" });
  await folder.shell("ln -s data alias; ln -s data/real.txt file");
  equal(await folder.call("readFile", "alias/real.txt"), "one");
  equal(await folder.call("readFile", "file"), "one");
  deepEqual(await folder.call("listDir", "alias"), [{ name: "real.txt", kind: "file" }]);
  deepEqual(await folder.call("glob", "alias/*"), ["alias/real.txt"]);
  await folder.call("writeFile", "alias/new.txt", "two");
  await folder.call("writeFile", "file", "three");
  equal(folder.text("data/new.txt"), "two");
  equal(folder.text("data/real.txt"), "three");
  ok(Deno.lstatSync(`${folder.root}/file`).isSymlink);
});

Deno.test("FIL-02 workspace: a sibling that shares the name's beginning is outside", async () => {
  await using folder = await WorkspaceFolder.open({ "..notes/a.txt": "odd", "a/..b": "legal" });
  await folder.shell("mkdir ../ws-evil; echo secret > ../ws-evil/secret; ln -s ../ws-evil evil");
  for (
    const path of ["../ws-evil/secret", `${folder.base}/ws-evil/secret`, "evil/secret", "evil"]
  ) {
    await refusesAll(folder, path);
  }
  equal(await folder.call("readFile", "..notes/a.txt"), "odd");
  equal(await folder.call("readFile", "a/..b"), "legal");
  deepEqual(await folder.call("glob", "**/*"), ["..notes/a.txt", "a/..b"]);
});

Deno.test("workspace: absolute paths, steps up, NUL and broken text are refused alike", async () => {
  await using folder = await WorkspaceFolder.open({ "a.txt": "x" });
  const bad = [
    "",
    "/",
    "/etc/passwd",
    `${folder.root}/a.txt`,
    "..",
    "a/../a.txt",
    "a.txt\0",
    "\ud800",
  ];
  for (const path of bad) await refusesAll(folder, path);
  await rejects(folder.call("glob", "../**"), REFUSED);
  await rejects(folder.call("glob", "/etc/*"), REFUSED);
  const messages = new Set<string>();
  for (const path of ["/etc/passwd", "../x", "a.txt\0"]) {
    const error = await folder.call("readFile", path).catch((thrown) => thrown);
    messages.add(error.message.slice(error.message.indexOf(" is ")));
  }
  equal(messages.size, 1);
});

Deno.test("workspace: devices, pipes, sockets and folders are no files", async () => {
  await using folder = await WorkspaceFolder.open({ "dir/x": "" });
  await folder.shell("mkfifo pipe; ln -s /dev/zero zero; ln -s /dev/fd fd; ln -s loop loop");
  for (const path of ["pipe", "zero", "fd/0", "loop"]) await refusesAll(folder, path);
  for (const [name, ...args] of allCalls("dir").slice(0, 3)) {
    await rejects(folder.call(name, ...args), REFUSED);
  }
  await rejects(folder.call("writeFile", ".", "x"), REFUSED);
  await rejects(folder.call("writeFile", "dir/x/y", "x"), REFUSED);
  deepEqual((await folder.call("grep", "x")).matches, []);
  ok(Deno.lstatSync(`${folder.root}/pipe`).isFifo);
});

Deno.test("workspace: .git is not there, however it is spelled", async () => {
  await using folder = await WorkspaceFolder.open({
    ".git/config": "secret",
    "sub/.git/HEAD": "secret",
    "mod/.git": "gitdir: secret",
    ".GIT/x": "secret",
    ".gitignore": "# secret",
  });
  await folder.shell("ln -s .git/config cfg; ln -s .git dot");
  for (
    const path of [
      ".git",
      ".git/config",
      "sub/.git/HEAD",
      "mod/.git",
      ".GIT/x",
      "cfg",
      "dot/config",
    ]
  ) {
    await refusesAll(folder, path);
  }
  const listed = await folder.call("listDir", ".");
  deepEqual(
    listed.map((entry: { name: string }) => entry.name),
    [".gitignore", "cfg", "dot", "mod", "sub"],
  );
  deepEqual(await folder.call("glob", "**", { all: true }), [".gitignore"]);
  await rejects(folder.call("glob", ".git/**", { all: true }), REFUSED);
  const { matches } = await folder.call("grep", "secret", { all: true });
  deepEqual(matches.map((found: { path: string }) => found.path), [".gitignore"]);
});

Deno.test("workspace: names that some file system takes for .git are known", () => {
  const same = [".git", ".GIT", ".Git", ".g\u0131t", ".G\u0130T", ".g\u200cit", "\u200e.git"];
  const more = [
    ".git.",
    ".git ",
    ".git::$INDEX_ALLOCATION",
    "git~1",
    "GIT~2",
    "\uff0egit",
    ".gi\u00adt",
  ];
  for (const name of [...same, ...more]) ok(isGitName(name), JSON.stringify(name));
  for (const name of [".gitignore", ".github", "git", "a.git", ".gitx", "gita", ".g", ".git-x"]) {
    ok(!isGitName(name), name);
  }
});

Deno.test("workspace: errors hold no path of the host and no control characters", async () => {
  await using folder = await WorkspaceFolder.open({ "a.txt": "x" });
  await folder.shell("ln -s ../outside out");
  const paths = ["gone.txt", "out", "a.txt/b", "\u001b[31mred", "x".repeat(300), "a/".repeat(3000)];
  for (const path of paths) {
    for (const [name, ...args] of allCalls(path)) {
      const error = await folder.call(name, ...args).then(() => undefined, (thrown) => thrown);
      if (error === undefined) continue;
      ok(!error.message.includes(folder.base), error.message);
      // deno-lint-ignore no-control-regex -- that there is none is the point
      ok(!/[\u0000-\u001f]/.test(error.message) && error.message.length < 400, error.message);
    }
  }
  await rejects(folder.call("readFile", "lost.txt"), /^Error: lost\.txt does not exist; listDir/);
});

Deno.test("workspace: no spelling of a path reaches what lies outside", async () => {
  await using folder = await WorkspaceFolder.open({ "a/b.txt": "inside" });
  await folder.shell("ln -s ../outside a.out; ln -s ../../outside a/out");
  const before = folder.outsideState();
  const parts = [
    "..",
    ".",
    "",
    "a",
    "out",
    "a.out",
    "secret.txt",
    "outside",
    "b.txt",
    "\0",
    "\\",
    "..\\",
    "%2e%2e",
    "~",
    ".git",
    "..;",
    "\u2024\u2024",
    "\uff0e\uff0e",
    "/",
    "ws",
    "C:",
    "file:",
    "...",
    " ..",
    ".. ",
  ];
  let state = 12345;
  const random = (below: number) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % below;
  };
  for (let round = 0; round < 1500; round++) {
    const path = Array.from({ length: 1 + random(5) }, () => parts[random(parts.length)]).join("/");
    const text = await folder.call("readFile", path).catch((error: Error) => error.message);
    ok(!String(text).startsWith("the secret"), path);
    if (round % 5 === 0) {
      await folder.call("writeFile", path, "written").catch(() => {});
      await folder.call("editFile", path, "secret", "written").catch(() => {});
      equal(folder.outsideState(), before, path);
    }
  }
  deepEqual([...Deno.readDirSync(folder.base)].map(({ name }) => name).sort(), ["outside", "ws"]);
});

Deno.test("workspace: a path is read without its dots and doubled slashes", () => {
  deepEqual(readNames("./a//b/./c/"), ["a", "b", "c"]);
  deepEqual(readNames("."), []);
  doesNotThrow(() => readNames("a\\b"));
  for (const path of [undefined, null, 1, {}, [], ["a"]]) throws(() => readNames(path), REFUSED);
});

Deno.test("workspace: a file that is withheld is not there for scripts, by no name", async () => {
  await using folder = await WorkspaceFolder.open({ "db/kept": "secret", "db/a.txt": "secret" });
  await folder.shell("ln -s db/kept link; ln -s db way");
  const withheld = [`${folder.root}/way/kept`, `${folder.root}/db/later`, `${folder.base}/no/such`];
  const pack = await buildPack(folder.root, { withheld });
  const call = async (name: string, ...args: readonly JsonValue[]) => {
    const context = { signal: new AbortController().signal } as CallContext;
    return await pack.functions.find((one) => one.name === name)?.execute(args, context) as never;
  };
  for (const path of ["db/kept", "./db//kept", "link", "way/kept", "db/later", "db/later/x"]) {
    await rejects(call("readFile", path), REFUSED, path);
    await rejects(call("writeFile", path, "x"), REFUSED, path);
    await rejects(call("grep", "secret", { path }), REFUSED, path);
  }
  deepEqual(await call("listDir", "db"), [{ name: "a.txt", kind: "file" }]);
  deepEqual(await call("glob", "**", { all: true }), ["db/a.txt"]);
  const { matches } = await call("grep", "secret", { all: true }) as {
    matches: { path: string }[];
  };
  deepEqual(matches.map(({ path }) => path), ["db/a.txt"]);
  equal(folder.text("db/kept"), "secret");
});
