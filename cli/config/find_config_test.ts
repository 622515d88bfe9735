import { deepEqual, equal, rejects } from "node:assert/strict";
import { CliError } from "../failure.ts";
import { findConfig } from "./find_config.ts";
import { MAX_CONFIG_BYTES } from "./read_regular.ts";

/** A folder with files in it; names that end with a slash are folders. */
async function tree(files: Readonly<Record<string, string>>) {
  const path = await Deno.realPath(await Deno.makeTempDir({ prefix: "agentloop-config-" }));
  for (const [name, text] of Object.entries(files)) {
    const whole = `${path}/${name}`;
    await Deno.mkdir(whole.slice(0, whole.lastIndexOf("/")), { recursive: true });
    if (!name.endsWith("/")) await Deno.writeTextFile(whole, text);
  }
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

async function refusal(folder: string): Promise<string> {
  let told = "";
  await rejects(findConfig(folder), (error: unknown) => {
    told = (error as Error).message;
    return error instanceof CliError && error.type === "usage";
  });
  return told;
}

const CONFIG = ".agentloop/config.json";

Deno.test("config: the nearest file up to the root of the repository is found, and none above it", async () => {
  await using made = await tree({
    [CONFIG]: "above",
    "repo/.git/": "",
    "repo/a/b/": "",
    [`repo/${CONFIG}`]: "root",
    [`repo/a/${CONFIG}`]: "a",
    "other/.git": "gitdir: elsewhere",
    "other/c/": "",
  });
  const found = async (folder: string) => {
    const file = await findConfig(`${made.path}/${folder}`);
    return file && {
      text: new TextDecoder().decode(file.bytes),
      path: file.path.slice(made.path.length + 1),
      project: file.project.slice(made.path.length + 1),
      root: file.root.slice(made.path.length + 1),
    };
  };
  deepEqual(await found("repo/a/b"), {
    text: "a",
    path: `repo/a/${CONFIG}`,
    project: "repo/a",
    root: "repo",
  });
  equal((await found("repo"))?.text, "root");
  // A file in place of the folder .git is a root too: worktrees and submodules have one.
  equal(await found("other/c"), undefined);
  equal(await found("missing"), undefined);
  equal(await found(CONFIG), undefined);
});

Deno.test("config: without a repository only the folder itself counts", async () => {
  await using made = await tree({ [CONFIG]: "here", "below/": "" });
  equal((await findConfig(made.path))?.root, made.path);
  equal(await findConfig(`${made.path}/below`), undefined);
});

Deno.test("config: what is no file of a sensible size is refused", async () => {
  await using made = await tree({
    [`folder/${CONFIG}/`]: "",
    [`large/${CONFIG}`]: " ".repeat(MAX_CONFIG_BYTES + 1),
    [`full/${CONFIG}`]: " ".repeat(MAX_CONFIG_BYTES),
    "file/.agentloop": "a file in place of the folder",
  });
  const told = async (folder: string) =>
    (await refusal(`${made.path}/${folder}`)).split(": ").at(-1);
  equal(await told("folder"), "it is no regular file");
  equal(await told("large"), "it is larger than 65536 bytes");
  equal((await findConfig(`${made.path}/full`))?.bytes.length, MAX_CONFIG_BYTES);
  equal(await findConfig(`${made.path}/file`), undefined);
});
