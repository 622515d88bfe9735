import { deepEqual, equal, match } from "node:assert/strict";
import { checkLayers } from "./check_layers.ts";
import { makeUpTree } from "./made_up_tree.ts";

async function problemsOf(files: Readonly<Record<string, string>>): Promise<string[]> {
  await using tree = await makeUpTree(files);
  return await checkLayers(tree.root);
}

async function onlyProblemOf(files: Readonly<Record<string, string>>): Promise<string> {
  const problems = await problemsOf(files);
  equal(problems.length, 1, problems.join("\n"));
  return problems[0] ?? "";
}

const CONTRACT = { "contracts/step.ts": "export type Step = 1; export const STEP = 1;" };

Deno.test("layers: a tree in which every layer looks down only is in order", async () => {
  deepEqual(
    await problemsOf({
      ...CONTRACT,
      "loop/run.ts":
        'import type { Step } from "../contracts/step.ts"; export const run = (): Step => 1;',
      "llm/client.ts": 'import { STEP } from "../contracts/step.ts"; export const client = STEP;',
      "stores/sqlite/mod.ts": 'export { open } from "./open.ts";',
      "stores/sqlite/open.ts": 'import "node:sqlite"; export const open = 1;',
      "sandbox/channel.ts": "export type Frame = 1;",
      "sandbox/guest/main.ts":
        'import type { Frame } from "../channel.ts"; export const main = (): Frame => 1;',
      "sandbox/process_host.ts": 'export const guest = () => import("./guest/main.ts");',
      "mod.ts": 'export { run } from "./loop/run.ts"; export { client } from "./llm/client.ts";',
      "cli/main.ts": 'import { run } from "../mod.ts"; export const main = run;',
      "cli.ts": 'import { main } from "./cli/main.ts"; main();',
      "tests/e2e/run_test.ts":
        'import "../../mod.ts"; import "../../cli/main.ts"; import "../fixtures/server.ts";',
      "tests/fixtures/server.ts": 'import "node:http";',
    }),
    [],
  );
});

Deno.test("layers: an import upwards is refused, with its place and what is allowed", async () => {
  const problem = await onlyProblemOf({
    ...CONTRACT,
    "loop/run.ts": '\n\nimport { client } from "../llm/client.ts"; client();',
    "llm/client.ts": "export const client = () => 1;",
  });
  equal(
    problem,
    "loop/run.ts:3: imports llm/client.ts: loop may import contracts, redact",
  );
});

Deno.test("layers: neighbours of one layer do not import each other", async () => {
  match(
    await onlyProblemOf({
      "stores/memory.ts": 'import { ask } from "../llm/ask.ts"; ask();',
      "llm/ask.ts": "export const ask = () => 1;",
    }),
    /^stores\/memory\.ts:1: imports llm\/ask\.ts/,
  );
});

for (
  const [way, source] of [
    ["a type import", 'import type { Run } from "../loop/run.ts"; export type X = Run;'],
    ["an import() type", 'export type X = import("../loop/run.ts").Run;'],
    ["a re-export", 'export { type Run } from "../loop/run.ts";'],
    ["a re-export of everything", 'export * from "../loop/run.ts";'],
    ["an import for its effect", 'import "../loop/run.ts";'],
  ] as const
) {
  Deno.test(`layers: ${way} counts as an import`, async () => {
    match(
      await onlyProblemOf({
        "contracts/step.ts": source,
        "loop/run.ts": "export type Run = 1;",
      }),
      /^contracts\/step\.ts:1: imports loop\/run\.ts: contracts may import nothing outside/,
    );
  });
}

Deno.test("layers: imports in comments and strings are none", async () => {
  deepEqual(
    await problemsOf({
      "contracts/step.ts":
        '// import "../loop/run.ts"\n/* import "../loop/run.ts" */ export const s = `import "../loop/run.ts"`;',
      "loop/run.ts": "export type Run = 1;",
    }),
    [],
  );
});

Deno.test("layers: only the sandbox reaches the guest", async () => {
  const files = {
    "sandbox/guest/main.ts": "export const main = 1;",
    "sandbox/host.ts": 'export const guest = () => import("./guest/main.ts");',
  };
  deepEqual(await problemsOf(files), []);
  const fromLoop = await problemsOf({
    ...files,
    "loop/run.ts": 'export const guest = () => import("../sandbox/guest/main.ts");',
  });
  equal(fromLoop.length, 2, fromLoop.join("\n"));
  match(fromLoop.join("\n"), /loop loads everything at its start/);
  match(fromLoop.join("\n"), /loop may import contracts, redact/);
});

Deno.test("layers: the channel knows the guest's types only", async () => {
  const guest = { "sandbox/guest/main.ts": "export const main = 1; export type Main = 1;" };
  const inChannel = (source: string) => problemsOf({ ...guest, "sandbox/channel.ts": source });
  deepEqual(await inChannel('export type { Main } from "./guest/main.ts";'), []);
  deepEqual(await inChannel('import { main } from "./guest/main.ts"; main;'), [
    "sandbox/channel.ts:1: imports sandbox/guest/main.ts: sandbox/channel.ts may import contracts, sandbox/guest (types)",
  ]);
});

Deno.test("layers: a package is refused where the table does not name it", async () => {
  match(
    await onlyProblemOf({ "loop/run.ts": 'import "node:fs";' }),
    /^loop\/run\.ts:1: imports node:fs, which is no package that loop may import/,
  );
  match(
    await onlyProblemOf({
      "deno.json": '{ "imports": { "wire": "node:http" } }',
      "contracts/step.ts": 'import type {} from "wire";',
    }),
    /^contracts\/step\.ts:1: imports node:http/,
  );
});

Deno.test("layers: nothing inside imports a public face, not even by the package's name", async () => {
  const tree = {
    "deno.json": '{ "name": "@made/up", "version": "1.0.0", "exports": "./mod.ts" }',
    "mod.ts": "export {};",
  };
  const problems = await problemsOf({ ...tree, "llm/ask.ts": 'import "@made/up";' });
  match(problems.join("\n"), /^llm\/ask\.ts:1: imports mod\.ts: nothing inside imports a public/);
  deepEqual(await problemsOf({ ...tree, "cli/main.ts": 'import "@made/up";' }), []);
});

Deno.test("layers: what is no test does not import one", async () => {
  match(
    await onlyProblemOf({
      "cli/main.ts": 'import "../tests/fixtures/server.ts";',
      "tests/fixtures/server.ts": "export {};",
    }),
    /^cli\/main\.ts:1: imports tests\/fixtures\/server\.ts/,
  );
  match(
    await onlyProblemOf({ "llm/a.ts": 'import "./b_test.ts";', "llm/b_test.ts": "export {};" }),
    /^llm\/a\.ts:1: imports llm\/b_test\.ts/,
  );
});

Deno.test("layers: optional parts do not import each other", async () => {
  match(
    await onlyProblemOf({
      "ext/mail/pack.ts": 'import "../search/pack.ts"; import "./send.ts";',
      "ext/mail/send.ts": "export {};",
      "ext/search/pack.ts": "export {};",
    }),
    /^ext\/mail\/pack\.ts:1: imports ext\/search\/pack\.ts/,
  );
});

Deno.test("layers: a file that begins with _ stays in its folder", async () => {
  match(
    await onlyProblemOf({
      "llm/ask.ts": 'import "./wire/_parse.ts"; import "./wire/read.ts";',
      "llm/wire/_parse.ts": "export {};",
      "llm/wire/read.ts": 'import "./_parse.ts";',
      "tests/parse_test.ts": 'import "../llm/wire/_parse.ts";',
    }),
    /^llm\/ask\.ts:1: imports llm\/wire\/_parse\.ts, which is private to its folder/,
  );
});

Deno.test("layers: a private file that only tests import is part of them", async () => {
  const files = {
    "loop/_fixture.ts": 'import "../llm/scripted.ts"; import "./_replies.ts";',
    "loop/_replies.ts": 'import "node:fs";',
    "loop/run_test.ts": 'import "./_fixture.ts";',
    "llm/scripted.ts": "export {};",
  };
  deepEqual(await problemsOf(files), []);
  const problems = await problemsOf({ ...files, "loop/run.ts": 'import "./_fixture.ts";' });
  match(problems.join("\n"), /^loop\/_fixture\.ts:1: imports llm\/scripted\.ts/);
});

Deno.test("layers: import cycles are refused, types and tests counted", async () => {
  equal(
    await onlyProblemOf({
      "loop/a.ts": 'import type { B } from "./b.ts"; export type A = B;',
      "loop/b.ts": 'import type { C } from "./c.ts"; export type B = C;',
      "loop/c.ts": 'import type { A } from "./a.ts"; export type C = A;',
      "loop/d.ts": 'import type { A } from "./a.ts"; export type D = A;',
    }),
    "import cycle: loop/a.ts → loop/b.ts → loop/c.ts → loop/a.ts",
  );
  equal(
    await onlyProblemOf({
      "tests/a_test.ts": 'import "./b.ts";',
      "tests/b.ts": 'export const a = () => import("./a_test.ts");',
    }),
    "import cycle: tests/a_test.ts → tests/b.ts → tests/a_test.ts",
  );
});

Deno.test("layers: the root face stays light through any number of imports", async () => {
  const files = {
    "mod.ts": 'export { store } from "./stores/memory.ts";',
    "stores/memory.ts": 'import { deep } from "./deep.ts"; export const store = deep;',
  };
  equal(
    await onlyProblemOf({
      ...files,
      "stores/deep.ts":
        'import { DatabaseSync } from "node:sqlite"; export const deep = DatabaseSync;',
    }),
    "mod.ts: loads node:sqlite, which must only load when it is needed",
  );
  deepEqual(
    await problemsOf({
      ...files,
      "stores/deep.ts":
        'import type { DatabaseSync } from "node:sqlite"; export const deep = {} as DatabaseSync;',
    }),
    [],
  );
});

Deno.test("layers: a folder without a row, a missing file and a syntax error are named", async () => {
  match(await onlyProblemOf({ "stuff/a.ts": "export {};" }), /^stuff\/a\.ts: lies in no area/);
  match(
    (await problemsOf({ "llm/a.ts": 'import "./gone.ts";' })).join("\n"),
    /llm\/gone\.ts: Module not found/,
  );
  match(await onlyProblemOf({ "llm/a.ts": "export const = 1;" }), /^llm\/a\.ts: .*SyntaxError/);
  match(
    await onlyProblemOf({ "llm/a.ts": 'import "no_such_name";' }),
    /^llm\/a\.ts:1: cannot follow "no_such_name"/,
  );
});
