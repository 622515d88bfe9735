import { deepEqual, equal, match } from "node:assert/strict";
import { checkPublish } from "./check_publish.ts";
import { makeUpTree } from "./made_up_tree.ts";

const PACKAGE = {
  "LICENSE": "MIT",
  "README.md": "A package.",
  "mod.ts": 'export { host } from "./sandbox/host.ts";',
  "sandbox/host.ts": [
    "/** Starts the guest. */",
    'export const host: string = import.meta.resolve("./guest/main.ts");',
    "/** What it is told. */",
    'export const prompt: URL = new URL("./prompt.txt", import.meta.url);',
  ].join("\n"),
  "sandbox/prompt.txt": "Write a function.",
  "sandbox/guest/main.ts":
    'import type { Frame } from "./frame.ts"; export const frame: Frame = 1;',
  "sandbox/guest/frame.ts": "export type Frame = 1;",
  "sandbox/host_test.ts": "export {};",
  "tests/fixtures/key.txt": "secret",
};

function config(publish: Readonly<Record<string, readonly string[]>>): string {
  const name = "@made/up";
  return JSON.stringify({ name, version: "1.0.0", license: "MIT", exports: "./mod.ts", publish });
}

async function problemsOf(files: Readonly<Record<string, string>>): Promise<string[]> {
  await using tree = await makeUpTree(files);
  return await checkPublish(tree.root);
}

const WHOLE = ["deno.json", "README.md", "LICENSE", "mod.ts", "sandbox"];

Deno.test("publish, DEN-05: a list that holds what runs, and no more, is in order", async () => {
  const list = config({ include: WHOLE, exclude: ["**/*_test.ts"] });
  deepEqual(await problemsOf({ ...PACKAGE, "deno.json": list }), []);
});

Deno.test("publish, DEN-05: a guest and a text that are named by URL only are missed", async () => {
  const list = config({
    include: ["deno.json", "README.md", "LICENSE", "mod.ts", "sandbox/host.ts"],
  });
  deepEqual(await problemsOf({ ...PACKAGE, "deno.json": list }), [
    "sandbox/guest/frame.ts: is needed at run time, but would not be published",
    "sandbox/guest/main.ts: is needed at run time, but would not be published",
    "sandbox/prompt.txt: is needed at run time, but would not be published",
  ]);
});

Deno.test("publish, DEN-05: a needed file that git ignores is missed", async () => {
  const list = config({ include: WHOLE, exclude: ["**/*_test.ts"] });
  deepEqual(
    await problemsOf({ ...PACKAGE, "deno.json": list, ".gitignore": "sandbox/guest/frame.ts\n" }),
    ["sandbox/guest/frame.ts: is needed at run time, but would not be published"],
  );
});

Deno.test("publish, DEN-05: tests, fixtures and keys in the list are refused", async () => {
  deepEqual(await problemsOf({ ...PACKAGE, "deno.json": config({}), ".env": "KEY=1" }), [
    ".env: would be published, but nothing that is published needs it",
    "sandbox/host_test.ts: would be published, but nothing that is published needs it",
    "tests/fixtures/key.txt: would be published, but nothing that is published needs it",
  ]);
});

Deno.test("publish, DEN-05: what the dry run itself refuses is passed on", async () => {
  const problems = await problemsOf({
    ...PACKAGE,
    "deno.json": config({ include: WHOLE, exclude: ["**/*_test.ts"] }),
    "mod.ts":
      "export function slow(value: number) { return { value }; }\nexport * from './gone.ts';",
  });
  equal(problems.length, 1);
  match(problems[0] ?? "", /^deno publish --dry-run: .*gone\.ts/s);
});

Deno.test("publish: a warning of the dry run is refused where it is not a known one", async () => {
  const hidden = {
    ...PACKAGE,
    "deno.json": config({ include: [...WHOLE, "cli"], exclude: ["**/*_test.ts"] }),
    "cli/main.ts": 'const NAME = "./late.ts"; export const late: unknown = await import(NAME);',
  };
  deepEqual(
    await problemsOf({
      ...hidden,
      "mod.ts": 'export { late } from "./cli/main.ts"; export { host } from "./sandbox/host.ts";',
    }),
    [],
  );
  const elsewhere = await problemsOf({
    ...hidden,
    "sandbox/host.ts": `${hidden["cli/main.ts"]} export const host = 1;`,
  });
  equal(elsewhere.length, 1);
  match(elsewhere[0] ?? "", /unanalyzable-dynamic-import/);
});
