/** The artifact functions in scripts, through the whole engine: scripted models, real guests, a real file. */
import { deepEqual, equal, match, ok, throws } from "node:assert/strict";
import type { ApprovalRequest } from "../../../contracts/approval.ts";
import type { ArtifactStore } from "../../../contracts/artifact.ts";
import type { RunRequest } from "../../../contracts/loop.ts";
import { artifactCapability } from "../../../ext/artifacts/mod.ts";
import { DefaultPolicy } from "../../../loop/policy.ts";
import { Redactor } from "../../../redact/redactor.ts";
import { MemoryStore } from "../../../stores/memory.ts";
import { openSqliteStore } from "../../../stores/sqlite/mod.ts";
import { StoreFolder } from "../../fixtures/store_folder.ts";
import { callsOf, runScripts } from "../../packs/script_loop.ts";

/** What the calls of one script give. */
function calls(
  artifacts: ArtifactStore,
  script: readonly string[],
  request: Partial<RunRequest> = {},
): ReturnType<typeof callsOf> {
  return callsOf(artifactCapability({ artifacts }), script, { request });
}

function save(filename: string, content: string): string {
  return `artifact_save(${JSON.stringify({ filename, title: "News", content })})`;
}

Deno.test("artifacts: what one session saves, in versions, it lists and reads, and a later program on the same file does", async () => {
  using folder = new StoreFolder();
  const path = `${folder.path}/store.db`;
  let id: string;
  {
    await using store = openSqliteStore(path, { now: () => new Date("2026-01-31T10:00:00Z") });
    const [first, second] = await calls(store.artifacts, [
      save("news.html", "<h1>One</h1>"),
      save("news.html", "<h1>Zwölf</h1>"),
    ]);
    id = first.id;
    deepEqual(first, {
      id,
      version: 1,
      address: `/artifacts/${id}/news.html`,
      filename: "news.html",
      type: "text/html",
    });
    deepEqual(second, { ...first, version: 2 });
  }
  await using store = openSqliteStore(path);
  const told = await calls(store.artifacts, [
    "artifact_list()",
    `artifact_read({ id: "${id}" })`,
    `artifact_read({ id: "${id}", version: 1 }).content`,
    "artifact_list({ limit: 1 }).length",
  ]);
  const listed = {
    id,
    filename: "news.html",
    title: "News",
    type: "text/html",
    version: 2,
    bytes: 15,
    saved: "2026-01-31T10:00:00.000Z",
    address: `/artifacts/${id}/news.html`,
  };
  deepEqual(told, [[listed], { ...listed, content: "<h1>Zwölf</h1>" }, "<h1>One</h1>", 1]);
});

Deno.test("artifacts: those of one user or workspace are not listed, read or changed by another", async () => {
  await using store = openSqliteStore(":memory:");
  const owners: readonly Partial<RunRequest>[] = [
    {},
    { userId: "ada" },
    { scope: { workspaceId: "acme" }, userId: "ada" },
    { scope: { workspaceId: "acme" }, userId: "bob" },
    { scope: { workspaceId: "acme", projectId: "web" }, userId: "bob" },
  ];
  const ids: string[] = [];
  for (const [at, owner] of owners.entries()) {
    const told = await calls(store.artifacts, [
      "artifact_list({ everySession: true })",
      ...ids.map((id) => `artifact_read({ id: "${id}" })`),
      save("page.html", `of ${at}`),
    ], owner);
    deepEqual(told[0], []);
    for (const text of told.slice(1, -1)) match(text, /^threw There is no artifact "/);
    equal(told.at(-1).version, 1);
    ids.push(told.at(-1).id);
  }
  equal(new Set(ids).size, owners.length);
});

Deno.test("artifacts: other sessions' are listed only where all are asked for", async () => {
  const { artifacts } = new MemoryStore();
  await calls(artifacts, [save("a.txt", "a")], { sessionId: "one" });
  const told = await calls(artifacts, [
    save("b.txt", "b"),
    "artifact_list().map(({ filename }) => filename)",
    "artifact_list({ everySession: true }).map(({ filename }) => filename)",
    "artifact_read({ id: artifact_list({ everySession: true })[1].id }).content",
  ], { sessionId: "two" });
  deepEqual(told.slice(1), [["b.txt"], ["b.txt", "a.txt"], "a"]);
});

Deno.test("artifacts: a filename that could not be used is cleaned, and the model is told under which name", async () => {
  const { artifacts } = new MemoryStore();
  const [told, same] = await calls(artifacts, [
    save("../../etc/a b\u202e.html", "x"),
    save("etc-a b.html", "y"),
  ]);
  equal(told.filename, "etc-a b.html");
  equal(told.address, `/artifacts/${told.id}/etc-a%20b.html`);
  equal(told.note, 'The filename could not be used as it was given: it is now "etc-a b.html".');
  deepEqual([same.id, same.version, same.note], [told.id, 2, undefined]);
});

Deno.test("artifacts: secrets that the run knows are in nothing that is kept", async () => {
  const { artifacts } = new MemoryStore();
  const secret = "sk-hidden0123456789";
  await runScripts([`function run() {
    return artifact_save({ filename: "${secret}.txt", title: "My ${secret}", content: "key=${secret};" });
  }`], {
    capabilities: [artifactCapability({ artifacts })],
    config: { redactor: Redactor.fromSecrets({ KEY: secret }) },
  });
  const [info] = await artifacts.list("any");
  ok(info);
  const kept = await artifacts.read("any", info.id);
  match(kept?.content ?? "", /^key=.*;$/);
  equal(JSON.stringify(kept).includes("hidden"), false);
});

Deno.test("artifacts: the default policy asks before one is saved, shows what it is, and lets list and read pass", async () => {
  const { artifacts } = new MemoryStore();
  const asked: ApprovalRequest[] = [];
  const run = (source: string, decision: "approve" | "deny") =>
    runScripts([source], {
      capabilities: [artifactCapability({ artifacts })],
      config: {
        policy: new DefaultPolicy(),
        approve: (request) => {
          asked.push(request);
          return decision === "deny" ? { decision, reason: "not now" } : { decision };
        },
      },
    });
  const page = `{ filename: "a/b.html", title: "My page", content: "<p>é</p>" }`;
  await run(`function run() { artifact_save(${page}); return artifact_list().length; }`, "approve");
  const { observations } = await run(`function run() { artifact_save(${page}); }`, "deny");
  deepEqual(asked.map(({ name, target, preview }) => ({ name, target, preview })), [
    {
      name: "artifact_save",
      target: "a-b.html",
      preview: "Saves a-b.html (text/html, 9 bytes) for people to open: My page\n\n<p>é</p>",
    },
    {
      name: "artifact_save",
      target: "a-b.html",
      preview: "Saves a-b.html (text/html, 9 bytes) for people to open: My page\n\n<p>é</p>",
    },
  ]);
  match(observations[0] ?? "", /not now/);
  equal((await artifacts.list("any"))[0]?.version, 1);
  const policy = new DefaultPolicy({ allowTools: ["artifact_save"] });
  await runScripts([`function run() { artifact_save(${page}); }`], {
    capabilities: [artifactCapability({ artifacts })],
    config: { policy },
  });
  equal((await artifacts.list("any"))[0]?.version, 2);
});

Deno.test("artifacts: a call that does not fit is an error that says how, and the script goes on", async () => {
  const { artifacts } = new MemoryStore();
  const told = await calls(artifacts, [
    "artifact_save()",
    'artifact_save("a.html")',
    'artifact_save({ filename: 1, title: "t", content: "c", more: 1 })',
    'artifact_save({ filename: "..", title: "t", content: "c" })',
    'artifact_save({ filename: "a.html", title: "t", content: "c", type: "application/pdf" })',
    'artifact_save({ filename: "a.html", title: "t".repeat(2000), content: "c" })',
    'artifact_save({ filename: "a".repeat(300), title: "t", content: "c" })',
    'artifact_save({ filename: "a.html", title: "t", content: "é".repeat(530000) })',
    "artifact_list({ limit: 1000 })",
    'artifact_list({ everySession: "yes" })',
    "artifact_read()",
    'artifact_read({ id: "nope" })',
    'artifact_read({ id: "nope", version: 0 })',
    'artifact_read({ id: artifact_save({ filename: "b", title: "", content: "", type: null }).id, version: 7 })',
    "artifact_list(null).length",
  ]);
  deepEqual(told.map((text) => typeof text === "string" ? text.slice(0, 92) : text), [
    "threw artifact_save: $.filename: is missing; $.content: is missing",
    "threw artifact_save: $: expected object",
    "threw artifact_save: $.filename: expected string, got number; $.more: is no argument of this",
    'threw The filename ".." has nothing in it that can be used. Give one such as report.html.',
    'threw An artifact cannot have the type "application/pdf". Leave it out to have it told from ',
    "threw An artifact's title may have 1024 bytes, this one has 2000. Shorten it.",
    "threw A filename may have 255 bytes, this one has 300. Shorten it.",
    told[7].slice(0, 92),
    "threw artifact_list: $.limit: expected a whole number from 1 to 100",
    "threw artifact_list: $.everySession: expected boolean, got string",
    "threw artifact_read: $.id: is missing",
    'threw There is no artifact "nope". artifact_list gives the ids.',
    `threw artifact_read: $.version: expected a whole number from 1 to ${Number.MAX_SAFE_INTEGER}`
      .slice(0, 92),
    "threw The artifact has no version 7: the newest is 1, and only the last few are kept.",
    1,
  ]);
  match(told[7], /1,?048,?576|1 MiB/);
  equal((await artifacts.list("any")).length, 1);
});

Deno.test("artifacts: a capability without a store is refused at once", () => {
  throws(
    () => artifactCapability({} as never),
    /artifactCapability: artifacts must be an artifact/,
  );
  throws(() => artifactCapability(undefined as never), TypeError);
});

Deno.test("artifacts: a title may be left out", async () => {
  const { artifacts } = new MemoryStore();
  const [saved] = await calls(artifacts, ['artifact_save({ filename: "a.html", content: "c" })']);
  equal((await artifacts.read("any", saved.id))?.title, "");
});
