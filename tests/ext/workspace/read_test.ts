import { deepEqual, equal, ok, rejects, throws } from "node:assert/strict";
import { workspaceCapability } from "../../../ext/workspace/mod.ts";
import { buildPack, WorkspaceFolder } from "./folder.ts";

Deno.test("workspace: some lines of a file are read, with their endings", async () => {
  const lines = Array.from({ length: 50_000 }, (_, index) => `line ${index + 1}\n`);
  await using folder = await WorkspaceFolder.open({
    "a.txt": "one\r\ntwo\nthree",
    "long.txt": lines.join(""),
    "empty.txt": "",
  });
  equal(await folder.call("readFile", "a.txt", { from: 2 }), "two\nthree");
  equal(await folder.call("readFile", "a.txt", { from: 1, to: 1 }), "one\r\n");
  equal(await folder.call("readFile", "a.txt", { to: 99 }), "one\r\ntwo\nthree");
  equal(
    await folder.call("readFile", "long.txt", { from: 30_000, to: 40_000 }),
    lines.slice(29_999, 40_000).join(""),
  );
  equal(await folder.call("readFile", "empty.txt"), "");
  await rejects(folder.call("readFile", "a.txt", { from: 4 }), /a\.txt has 3 lines; from is 4/);
  await rejects(folder.call("readFile", "a.txt", { from: 0 }), /from must be a whole number/);
  await rejects(folder.call("readFile", "a.txt", { from: 3, to: 2 }), /to must be a whole number/);
  await rejects(
    folder.call("readFile", "a.txt", { lines: 3 }),
    /no option "lines"; there are from/,
  );
});

Deno.test("FIL-10 workspace: a file of one long line is read whole, and a match in it is clipped", async () => {
  const text = "x".repeat(2_500_000) + "zzz" + "y".repeat(2_500_000);
  await using folder = await WorkspaceFolder.open({ "min.js": text });
  equal(await folder.call("readFile", "min.js"), text);
  equal(await folder.call("readFile", "min.js", { from: 1, to: 1 }), text);
  const { matches } = await folder.call("grep", "zz+");
  equal(matches.length, 1);
  ok(matches[0].text.length <= 302 && /^…x+zzzy+…$/.test(matches[0].text));
});

Deno.test("workspace: a file over the limit is refused with both sizes, some lines of it are not", async () => {
  await using folder = await WorkspaceFolder.open({ "a.txt": "0123456789\n".repeat(100) }, {
    maxReadBytes: 1_000,
  });
  await rejects(folder.call("readFile", "a.txt"), /a\.txt has 1100 bytes; the limit is 1000 bytes/);
  // A script can ask for less, not for more.
  await rejects(folder.call("readFile", "a.txt", { maxBytes: 9_999 }), /the limit is 1000 bytes/);
  await rejects(folder.call("readFile", "a.txt", { maxBytes: 10 }), /the limit is 10 bytes/);
  await rejects(folder.call("readFile", "a.txt", { from: 2 }), /more in lines 2.*1000 bytes/);
  equal((await folder.call("readFile", "a.txt", { from: 99, to: 100 })).length, 22);
});

Deno.test("workspace: binary files are named as such, and readable in base64", async () => {
  const bytes = new Uint8Array(300).map((_, index) => index);
  await using folder = await WorkspaceFolder.open({
    "a.bin": bytes,
    "b.txt": new Uint8Array([0xff]),
  });
  await rejects(
    folder.call("readFile", "a.bin"),
    /a\.bin is binary \(300 bytes\); use encoding: "base64"/,
  );
  await rejects(folder.call("readFile", "b.txt"), /b\.txt is binary/);
  const text = await folder.call("readFile", "a.bin", { encoding: "base64" });
  deepEqual(Uint8Array.from(atob(text), (one) => one.charCodeAt(0)), bytes);
  await rejects(folder.call("readFile", "b.txt", { encoding: "latin1" }), /encoding must be/);
});

Deno.test("workspace: a folder is listed by name, links and pipes by their kind", async () => {
  await using folder = await WorkspaceFolder.open({ "b.txt": "", "a/x": "", ".env": "" });
  await folder.shell("ln -s nowhere l; mkfifo p");
  const expected = [
    { name: ".env", kind: "file" },
    { name: "a", kind: "dir" },
    { name: "b.txt", kind: "file" },
    { name: "l", kind: "link" },
    { name: "p", kind: "other" },
  ];
  deepEqual(await folder.call("listDir"), expected);
  deepEqual(await folder.call("listDir", "./"), expected);
  await rejects(folder.call("listDir", "gone"), /gone does not exist/);
});

Deno.test("workspace: the root may be given by a link, and must be a folder", async () => {
  await using folder = await WorkspaceFolder.open({ "a.txt": "x" });
  await folder.shell("ln -s ws ../alias");
  const pack = await buildPack(`${folder.base}/alias`);
  const read = pack.functions.find((one) => one.name === "readFile");
  equal(await read?.execute(["a.txt"], {} as never), "x");
  await rejects(buildPack(`${folder.root}/a.txt`), /a\.txt is no folder; root must name one/);
  await rejects(buildPack(`${folder.root}/gone`), /the workspace .*gone cannot be used: .*No such/);
  throws(() => workspaceCapability({ root: "" }), TypeError);
  throws(() => workspaceCapability({ root: "x", maxReadBytes: 0 }), RangeError);
  throws(() => workspaceCapability({ root: "x", matchTimeoutMs: NaN }), RangeError);
  throws(() => workspaceCapability({ root: "x", readonly: true } as never), {
    name: "TypeError",
    message: /^workspaceCapability: there is no option readonly; there are root, .*readOnly/,
  });
});

Deno.test("workspace: what is read-only has no functions that write, and does not tell of any", async () => {
  await using folder = await WorkspaceFolder.open({}, { readOnly: true });
  deepEqual([...folder.functions.keys()], ["readFile", "listDir", "glob", "grep"]);
  ok(!/writeFile|editFile/.test(folder.pack.prompt));
});

Deno.test("workspace: the declarations are few bytes, and name every function", async () => {
  await using folder = await WorkspaceFolder.open();
  const { prompt } = folder.pack;
  ok(new TextEncoder().encode(prompt).length < 905, `${prompt.length} characters`);
  for (const name of folder.functions.keys()) {
    ok(prompt.includes(`declare function ${name}(`), name);
  }
});
