import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { loadProject } from "../../../ext/project/mod.ts";
import { Checkout } from "./checkout.ts";

/** Names and texts of what is found from a folder of the checkout, with the warnings. */
async function found(
  checkout: Checkout,
  folder = ".",
  options: { readonly globalDir?: string; readonly maxBytes?: number } = {},
) {
  const { documents, warnings } = await loadProject({
    cwd: `${checkout.root}/${folder}`,
    ...options,
  });
  return { texts: Object.fromEntries(documents.map(({ name, text }) => [name, text])), warnings };
}

Deno.test("project: files come from the root of the checkout down to the working folder, and from nowhere else", async () => {
  await using checkout = await Checkout.open({
    "../AGENTS.md": "above",
    "AGENTS.md": "root",
    "a/AGENTS.md": "a",
    "a/b/x.txt": "",
    "a/b/c/AGENTS.md": "c",
    "a/b/c/d/AGENTS.md": "below",
    "other/AGENTS.md": "beside",
  });
  const { documents, root, warnings } = await loadProject({ cwd: `${checkout.root}/a/b/c` });
  equal(root, checkout.root);
  deepEqual(warnings, []);
  deepEqual(documents, [
    { name: "AGENTS.md", text: "root", bytes: 4 },
    { name: "a/AGENTS.md", text: "a", bytes: 1 },
    { name: "a/b/c/AGENTS.md", text: "c", bytes: 1 },
  ]);
});

Deno.test("project: without a checkout the working folder is all there is", async () => {
  await using checkout = await Checkout.open({
    "../outside/deep/AGENTS.md": "deep",
    "../AGENTS.md": "above",
  });
  const { root, documents } = await loadProject({ cwd: `${checkout.base}/outside/deep` });
  equal(root, `${checkout.base}/outside/deep`);
  deepEqual(documents.map(({ text }) => text), ["deep"]);
});

Deno.test("SKL-05 project: an equal text appears once, in a worktree below its checkout and in a plain copy", async () => {
  await using checkout = await Checkout.open({
    "AGENTS.md": "the same\n",
    ".wt/tree/AGENTS.md": "the same\n",
    ".wt/tree/.git": "gitdir: ../../.git/worktrees/tree\n",
    ".wt/copy/AGENTS.md": "\uFEFFthe same\r\n\r\n",
    ".wt/copy/sub/AGENTS.md": "another",
  });
  deepEqual((await found(checkout, ".wt/tree")).texts, { "AGENTS.md": "the same" });
  deepEqual((await found(checkout, ".wt/copy/sub")).texts, {
    ".wt/copy/AGENTS.md": "the same",
    ".wt/copy/sub/AGENTS.md": "another",
  });
});

Deno.test("project: of equal texts the nearest stays, since it has the last word", async () => {
  await using checkout = await Checkout.open({
    "AGENTS.md": "tabs",
    "a/AGENTS.md": "blanks",
    "a/b/AGENTS.md": "tabs",
  });
  const { texts } = await found(checkout, "a/b");
  deepEqual(Object.keys(texts), ["a/AGENTS.md", "a/b/AGENTS.md"]);
});

Deno.test("SKL-02 project: byte order mark, line endings of any kind, and lines that look like imports or front matter are text", async () => {
  await using checkout = await Checkout.open({
    "AGENTS.md":
      "\uFEFF\r\n---\r\nname: x\r\n---\r\n@README.md\r\n@import other.md\rlast  \r\n\r\n",
    "README.md": "not to be read",
  });
  deepEqual((await found(checkout)).texts, {
    "AGENTS.md": "---\nname: x\n---\n@README.md\n@import other.md\nlast",
  });
});

Deno.test("project: an empty file says nothing, and is no reason to warn", async () => {
  await using checkout = await Checkout.open({
    "AGENTS.md": "\uFEFF \r\n\t\n",
    "a/AGENTS.md": "",
    "a/b/AGENTS.md": "b",
  });
  deepEqual(await found(checkout, "a/b"), { texts: { "a/b/AGENTS.md": "b" }, warnings: [] });
});

Deno.test("project: what does not show is made to show", async () => {
  await using checkout = await Checkout.open({
    "AGENTS.md":
      "a\u001b[31mb\u202ec\u200bd\u{e0041}\u{e0042}e\u2028f\u009bg\ufe0f\ufe01\ufe02 👩‍💻❤️ مثال\u200c",
  });
  deepEqual((await found(checkout)).texts, {
    "AGENTS.md":
      "a\\u{1b}[31mb\\u{202e}c\\u{200b}d\\u{e0041}\\u{e0042}e\\u{2028}f\\u{9b}g\ufe0f\\u{fe01}\\u{fe02} 👩‍💻❤️ مثال\u200c",
  });
});

Deno.test("project: a folder's name stays on its line", async () => {
  await using checkout = await Checkout.open({ 'a\n## "b" <\u001b>/AGENTS.md': "x" });
  const { texts } = await found(checkout, 'a\n## "b" <\u001b>');
  deepEqual(Object.keys(texts), ['a\\u{a}## "b" <\\u{1b}>/AGENTS.md']);
});

Deno.test("project: a link is followed inside of the root and nowhere else", async () => {
  await using checkout = await Checkout.open({
    "docs/agents.md": "by a link",
    "a/x": "",
    "a/b/c/d/e/AGENTS.md": "e",
  });
  await checkout.shell(`
    ln -s docs/agents.md AGENTS.md
    ln -s ../../outside/AGENTS.md a/AGENTS.md
    ln -s ../../.git/config a/b/AGENTS.md
    ln -s nowhere a/b/c/AGENTS.md
    ln -s AGENTS.md a/b/c/d/AGENTS.md`);
  const { texts, warnings } = await found(checkout, "a/b/c/d/e");
  deepEqual(texts, { "AGENTS.md": "by a link", "a/b/c/d/e/AGENTS.md": "e" });
  deepEqual(warnings, [
    "a/AGENTS.md leads out of the project: it is left out",
    "a/b/AGENTS.md leads to what git keeps: it is left out",
    "a/b/c/AGENTS.md leads nowhere: it is left out",
    "a/b/c/d/AGENTS.md leads nowhere: it is left out",
  ]);
});

Deno.test("project: a sibling whose name begins as the root's is outside", async () => {
  await using checkout = await Checkout.open({ "../repo-evil/AGENTS.md": "the secret" });
  await checkout.shell("ln -s ../repo-evil/AGENTS.md AGENTS.md");
  const { texts, warnings } = await found(checkout);
  deepEqual(texts, {});
  match(warnings.join(), /leads out of the project/);
});

Deno.test("project: a working folder that is a link is the folder that it leads to", async () => {
  await using checkout = await Checkout.open({ "AGENTS.md": "root", "a/AGENTS.md": "a" });
  await checkout.shell("ln -s ../outside out; ln -s repo/a ../alias");
  const out = await loadProject({ cwd: `${checkout.root}/out` });
  deepEqual([out.root, out.documents.map(({ name }) => name)], [
    `${checkout.base}/outside`,
    ["AGENTS.md"],
  ]);
  const { documents } = await loadProject({ cwd: `${checkout.base}/alias` });
  deepEqual(documents.map(({ name }) => name), ["AGENTS.md", "a/AGENTS.md"]);
});

Deno.test("project: pipes, devices, folders, huge files and what is no text are left out with a warning, and the rest is used", async () => {
  await using checkout = await Checkout.open({
    "a/AGENTS.md/x": "",
    "a/b/x": "",
    "a/b/c/AGENTS.md": new Uint8Array([0xff, 0xfe, 0x61, 0x00]),
    "a/b/c/d/AGENTS.md": new Uint8Array([0x61, 0xe2, 0x82]),
    "a/b/c/d/e/AGENTS.md": "binary\0",
    "a/b/c/d/e/f/AGENTS.md": "f",
  });
  await checkout.shell("mkfifo AGENTS.md; truncate -s 20G a/b/AGENTS.md");
  const { texts, warnings } = await found(checkout, "a/b/c/d/e/f");
  deepEqual(texts, { "a/b/c/d/e/f/AGENTS.md": "f" });
  deepEqual(warnings, [
    "AGENTS.md is no regular file: it is left out",
    "a/AGENTS.md is no regular file: it is left out",
    "a/b/AGENTS.md has 21474836480 bytes; 1048576 are left for it: it is left out",
    "a/b/c/AGENTS.md is no UTF-8 text: it is left out",
    "a/b/c/d/AGENTS.md is no UTF-8 text: it is left out",
    "a/b/c/d/e/AGENTS.md is no UTF-8 text: it is left out",
  ]);
  await checkout.shell("rm AGENTS.md; ln -s /dev/zero AGENTS.md");
  match((await found(checkout)).warnings.join(), /^AGENTS\.md leads out of the project/);
});

Deno.test("project: the bound is one for all files", async () => {
  await using checkout = await Checkout.open({
    "AGENTS.md": "x".repeat(600),
    "a/AGENTS.md": "y".repeat(600),
    "a/b/AGENTS.md": "z".repeat(400),
  });
  const { texts, warnings } = await found(checkout, "a/b", { maxBytes: 1000 });
  deepEqual(Object.keys(texts), ["AGENTS.md", "a/b/AGENTS.md"]);
  deepEqual(warnings, ["a/AGENTS.md has 600 bytes; 400 are left for it: it is left out"]);
});

Deno.test("project: a global folder is read when it is named, first, and it is confined too", async () => {
  await using checkout = await Checkout.open({
    "../home/AGENTS.md": "mine",
    "../bad/x": "",
    "AGENTS.md": "root",
  });
  await checkout.shell("ln -s ../outside/AGENTS.md ../bad/AGENTS.md");
  const { texts } = await found(checkout, ".", { globalDir: `${checkout.base}/home` });
  deepEqual(Object.entries(texts), [["global:AGENTS.md", "mine"], ["AGENTS.md", "root"]]);
  const bad = await found(checkout, ".", { globalDir: `${checkout.base}/bad` });
  deepEqual(bad.texts, { "AGENTS.md": "root" });
  match(bad.warnings.join(), /^global:AGENTS\.md leads out of the project/);
  const none = await found(checkout, ".", { globalDir: `${checkout.base}/gone` });
  deepEqual(none, { texts: { "AGENTS.md": "root" }, warnings: [] });
});

Deno.test("project: a folder that is not there holds nothing; what is no folder's path is the caller's mistake", async () => {
  await using checkout = await Checkout.open({ file: "" });
  for (const cwd of [`${checkout.root}/gone`, `${checkout.root}/file`]) {
    deepEqual(await loadProject({ cwd }), { documents: [], warnings: [] });
  }
  await rejects(loadProject({ cwd: "" }), TypeError);
  await rejects(loadProject({ cwd: 1 as unknown as string }), TypeError);
  await rejects(loadProject({ cwd: ".", globalDir: "" }), TypeError);
  for (const maxBytes of [0, -1, 1.5, NaN]) {
    await rejects(loadProject({ cwd: ".", maxBytes }), RangeError);
  }
});

/** Loads from a folder of the checkout in a program that has these permissions, and gives root, names and warnings. */
async function loadWith(checkout: Checkout, folder: string, permissions: readonly string[]) {
  const module = new URL("../../../ext/project/mod.ts", import.meta.url);
  await checkout.put(
    "../main.ts",
    `import { loadProject } from ${JSON.stringify(module.href)};
    const { root, documents, warnings } = await loadProject({ cwd: Deno.args[0] });
    console.log(JSON.stringify({ root, names: documents.map(({ name }) => name), warnings }));`,
  );
  const main = `${checkout.base}/main.ts`;
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-lock", "--no-check", ...permissions, main, `${checkout.root}/${folder}`],
    stdin: "null",
  }).output();
  equal(new TextDecoder().decode(stderr), "");
  return JSON.parse(new TextDecoder().decode(stdout));
}

Deno.test("project: what the program may not read is not there", async () => {
  await using checkout = await Checkout.open({
    "AGENTS.md": "root",
    "a/AGENTS.md": "a",
    "a/b/AGENTS.md": "b",
  });
  const { root } = checkout;
  deepEqual(await loadWith(checkout, "a/b", []), { names: [], warnings: [] });
  deepEqual(await loadWith(checkout, "a/b", [`--allow-read=${root}/a`]), {
    root: `${root}/a/b`,
    names: ["AGENTS.md"],
    warnings: [],
  });
  deepEqual(await loadWith(checkout, "a/b", [`--allow-read=${root}`]), {
    root,
    names: ["AGENTS.md", "a/AGENTS.md", "a/b/AGENTS.md"],
    warnings: [],
  });
  const denied = [`--allow-read=${root}`, `--deny-read=${root}/a/AGENTS.md`];
  deepEqual(await loadWith(checkout, "a/b", denied), {
    root,
    names: ["AGENTS.md", "a/b/AGENTS.md"],
    warnings: ["a/AGENTS.md may not be read (--allow-read): it is left out"],
  });
});

/** Only the system's administrator can give files away, and reads what nobody may. */
const IS_ADMINISTRATOR = await (async () => {
  const { stdout } = await new Deno.Command("sh", { args: ["-c", "id -u"] }).output();
  return new TextDecoder().decode(stdout).trim() === "0";
})();

Deno.test(
  "project: a checkout above that belongs to another user is not taken",
  { ignore: !IS_ADMINISTRATOR },
  async () => {
    await using checkout = await Checkout.open({ "AGENTS.md": "theirs", "a/AGENTS.md": "ours" });
    await checkout.shell("chown 12345 .");
    const { root, documents, warnings } = await loadProject({ cwd: `${checkout.root}/a` });
    deepEqual([root, documents.map(({ text }) => text)], [`${checkout.root}/a`, ["ours"]]);
    deepEqual(warnings, [`${checkout.root} belongs to another user: its AGENTS.md is left out`]);
    // Of a checkout of theirs that one works in knowingly all belongs to them.
    await checkout.shell("chown -R 12345 .");
    deepEqual(Object.keys((await found(checkout, "a")).texts), ["AGENTS.md", "a/AGENTS.md"]);
  },
);

Deno.test(
  "project: a file that the user may not read is left out with a warning",
  { ignore: IS_ADMINISTRATOR },
  async () => {
    await using checkout = await Checkout.open({ "AGENTS.md": "root", "a/AGENTS.md": "a" });
    await checkout.shell("chmod 0 AGENTS.md");
    deepEqual(await found(checkout, "a"), {
      texts: { "a/AGENTS.md": "a" },
      warnings: ["AGENTS.md may not be read: permission denied: it is left out"],
    });
  },
);
