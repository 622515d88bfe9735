import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { REFUSED, WorkspaceFolder } from "./folder.ts";

function modeOf(folder: WorkspaceFolder, path: string): number {
  return (Deno.statSync(`${folder.root}/${path}`).mode ?? 0) & 0o7777;
}

Deno.test("workspace: a new file gets its folders, and leaves nothing else behind", async () => {
  await using folder = await WorkspaceFolder.open();
  deepEqual(await folder.call("writeFile", "a/b/c/new.txt", "größer"), { bytes: 8, created: true });
  deepEqual(await folder.call("writeFile", "./a//b/c/new.txt", "x"), { bytes: 1, created: false });
  equal(folder.text("a/b/c/new.txt"), "x");
  deepEqual([".", "a", "a/b", "a/b/c"].flatMap((path) => folder.leftovers(path)), []);
  deepEqual(await folder.call("glob", "**"), ["a/b/c/new.txt"]);
});

Deno.test("FIL-06 workspace: modes stay, and a link stays a link", async () => {
  await using folder = await WorkspaceFolder.open({
    "run.sh": "echo a",
    "conf": "key=1",
    "data.txt": "old",
  });
  await folder.shell("chmod 755 run.sh; chmod 600 conf; ln -s data.txt alias.txt");
  await folder.call("editFile", "run.sh", "a", "b");
  await folder.call("writeFile", "conf", "key=2");
  await folder.call("writeFile", "alias.txt", "new");
  equal(modeOf(folder, "run.sh"), 0o755);
  equal(modeOf(folder, "conf"), 0o600);
  equal(folder.text("data.txt"), "new");
  ok(Deno.lstatSync(`${folder.root}/alias.txt`).isSymlink);
  deepEqual(folder.leftovers(), []);
});

Deno.test("FIL-06 workspace: a file that is read-only stays as it is", async () => {
  await using folder = await WorkspaceFolder.open({ "a.txt": "old" });
  await folder.shell("chmod 444 a.txt");
  await rejects(folder.call("writeFile", "a.txt", "new"), /a\.txt is read-only; write to another/);
  await rejects(folder.call("editFile", "a.txt", "old", "new"), /read-only/);
  equal(folder.text("a.txt"), "old");
  deepEqual(folder.leftovers(), []);
});

Deno.test("FIL-06 workspace: a write that fails leaves the old content and no temporary file", async () => {
  await using folder = await WorkspaceFolder.open({ "d/a.txt": "old" });
  // A file system that is full, or a folder that may not be written: the limit of a file's size fails as they do.
  const code = `
    import { workspaceCapability } from ${
    JSON.stringify(import.meta.resolve("../../../ext/workspace/mod.ts"))
  };
    const [pack] = await workspaceCapability({ root: ${
    JSON.stringify(folder.root)
  } }).build({ sessionId: "s" });
    const write = pack.functions.find((one) => one.name === "writeFile").execute;
    try { await write(["d/a.txt", "x".repeat(50_000)], {}); } catch (error) { console.log(error.message); }`;
  await Deno.writeTextFile(`${folder.base}/main.js`, code);
  const run = `ulimit -f 8; trap '' XFSZ; exec "$0" "$@"`;
  const output = await new Deno.Command("sh", {
    args: [
      "-c",
      run,
      Deno.execPath(),
      "run",
      "--no-prompt",
      "--no-check",
      `--allow-read=${folder.root}`,
      `--allow-write=${folder.root}`,
      `${folder.base}/main.js`,
    ],
    stdin: "null",
  }).output();
  equal(
    new TextDecoder().decode(output.stdout).trim(),
    "d/a.txt: the system refused it (File too large)",
    new TextDecoder().decode(output.stderr),
  );
  equal(folder.text("d/a.txt"), "old");
  deepEqual(folder.leftovers("d"), []);
});

Deno.test("FIL-07 workspace: what is written is what was given", async () => {
  await using folder = await WorkspaceFolder.open();
  const texts = [
    "\\title{A}\n\\newline",
    'puts("a\\n\\0");',
    "$& $$ $1",
    "\uFEFFmark\r\n",
    "\0",
    "",
  ];
  for (const [index, text] of texts.entries()) {
    await folder.call("writeFile", `${index}.txt`, text);
    deepEqual(
      [...Deno.readFileSync(`${folder.root}/${index}.txt`)],
      [...new TextEncoder().encode(text)],
    );
  }
  equal(await folder.call("readFile", "3.txt"), "\uFEFFmark\r\n");
});

Deno.test("FIL-04 workspace: a replacement is plain text", async () => {
  await using folder = await WorkspaceFolder.open({
    "a.js": 'say("done");\n',
    "b.js": "a\r\ndone\r\n",
  });
  const text = "$& $$ $1 $' $` $<x> end";
  deepEqual(await folder.call("editFile", "a.js", "done", text), { line: 1 });
  equal(folder.text("a.js"), `say("${text}");\n`);
  await folder.call("editFile", "b.js", "done", text);
  equal(folder.text("b.js"), `a\r\n${text}\r\n`);
});

Deno.test("workspace: a target that does not stand once changes nothing, and says how often it stands", async () => {
  const text = "one\ntwo\none\n\nonone\n";
  await using folder = await WorkspaceFolder.open({ "a.txt": text, "aaa.txt": "aaa" });
  await rejects(
    folder.call("editFile", "a.txt", "one", "x"),
    /target stands 3 times in a\.txt \(lines 1, 3, 5\); take in more/,
  );
  await rejects(folder.call("editFile", "a.txt", "three", "x"), /stands 0 times in a\.txt; read/);
  await rejects(
    folder.call("editFile", "a.txt", "  two\n  x", "x"),
    /stands 0 times in a\.txt; "two" stands at line 2/,
  );
  await rejects(folder.call("editFile", "a.txt", "", "x"), /target is empty/);
  // Places that overlap are two places.
  await rejects(folder.call("editFile", "aaa.txt", "aa", "b"), /stands 2 times/);
  await rejects(
    folder.call("editFile", "a.txt", "two"),
    /replacement must be a string, not nothing/,
  );
  equal(folder.text("a.txt"), text);
});

Deno.test("workspace: an edit keeps line endings, byte order mark and the last newline", async () => {
  await using folder = await WorkspaceFolder.open({
    "crlf.txt": "\uFEFFone\r\ntwo\r\nthree\r\n",
    "mixed.txt": "a\r\nb\nc\nd\r\ne\r\n",
    "lf.txt": "a\nb\n",
  });
  deepEqual(await folder.call("editFile", "crlf.txt", "one\ntwo\n", "1\n1.5\n2\n"), { line: 1 });
  const bytes = Deno.readFileSync(`${folder.root}/crlf.txt`);
  equal(
    new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes),
    "\uFEFF1\r\n1.5\r\n2\r\nthree\r\n",
  );
  await folder.call("editFile", "crlf.txt", "\uFEFF1\n", "first\n");
  await folder.call("editFile", "crlf.txt", "three\r\n", "drei");
  equal(
    new TextDecoder("utf-8", { ignoreBOM: true }).decode(
      Deno.readFileSync(`${folder.root}/crlf.txt`),
    ),
    "\uFEFFfirst\r\n1.5\r\n2\r\ndrei\r\n",
  );
  await folder.call("editFile", "mixed.txt", "b\nc", "b\nx\nc");
  equal(folder.text("mixed.txt"), "a\r\nb\nx\nc\nd\r\ne\r\n");
  await folder.call("editFile", "mixed.txt", "e", "e\nf");
  equal(folder.text("mixed.txt"), "a\r\nb\nx\nc\nd\r\ne\r\nf\r\n");
  await folder.call("editFile", "lf.txt", "b\n", "x");
  equal(folder.text("lf.txt"), "a\nx\n");
});

Deno.test("workspace: edits of one file at the same time are all kept", async () => {
  const names = Array.from({ length: 30 }, (_, index) => `<${index}>`);
  await using folder = await WorkspaceFolder.open({ "a.txt": names.join("\n") });
  await Promise.all(
    names.map((name, index) => folder.call("editFile", "a.txt", name, `done ${index}`)),
  );
  equal(folder.text("a.txt"), names.map((_, index) => `done ${index}`).join("\n"));
});

Deno.test("workspace: binary files are not edited", async () => {
  await using folder = await WorkspaceFolder.open({ "a.bin": new Uint8Array([97, 0, 98]) });
  await rejects(folder.call("editFile", "a.bin", "a", "b"), /a\.bin is binary; only text/);
});

Deno.test("workspace: writes are consequences with the path as their aim, reads are free", async () => {
  await using folder = await WorkspaceFolder.open();
  for (const [name, one] of folder.functions) {
    const writes = name === "writeFile" || name === "editFile";
    equal(one.sideEffect ?? false, writes, name);
    if (writes) equal(one.target?.(["./a//b.txt", "x"]), "a/b.txt");
    equal(one.preview !== undefined, writes);
  }
});

Deno.test("workspace: a preview is a diff, and changes nothing", async () => {
  await using folder = await WorkspaceFolder.open({ "a.txt": "one\ntwo\nthree\n" });
  equal(
    await folder.preview("editFile", "a.txt", "two", "zwei"),
    "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+zwei\n three",
  );
  equal(
    await folder.preview("writeFile", "sub/new.txt", "a\nb\n"),
    "--- /dev/null\n+++ b/sub/new.txt\n@@ -0,0 +1,2 @@\n+a\n+b",
  );
  equal(await folder.preview("writeFile", "a.txt", "one\ntwo\nthree\n"), "a.txt: no change");
  equal(folder.text("a.txt"), "one\ntwo\nthree\n");
  deepEqual([...Deno.readDirSync(folder.root)].length, 1);
  await rejects(folder.preview("editFile", "a.txt", "nine", "x"), /stands 0 times/);
  await rejects(folder.preview("writeFile", "../x", "x"), REFUSED);
});

Deno.test("workspace: a long preview says how much is left out, and a huge one is not made", async () => {
  await using folder = await WorkspaceFolder.open({ "big.txt": "a".repeat(3_000_000) });
  const lines = Array.from({ length: 1000 }, (_, index) => `line ${index}`).join("\n") + "\n";
  const diff = (await folder.preview("writeFile", "new.txt", lines)).split("\n");
  equal(diff.length, 400);
  equal(diff.at(-1), "… 604 more lines are left out");
  const long = await folder.preview("writeFile", "new.txt", "x".repeat(100_000));
  ok(long.length < 2_000);
  equal(
    await folder.preview("writeFile", "big.txt", "b"),
    "big.txt: 3000000 characters become 1; too long to compare",
  );
});
