import { deepEqual, equal, match, rejects, throws } from "node:assert/strict";
import { execCapability } from "../../../ext/exec/mod.ts";
import { loadSkills, skillCapabilities } from "../../../ext/skills/mod.ts";
import { takenNames } from "../../../ext/skills/skill_names.ts";
import { workspaceCapability } from "../../../ext/workspace/mod.ts";
import type { Client } from "../../../contracts/model.ts";
import { defaultCapabilities } from "../../../sandbox/default_capabilities.ts";
import { CORE_NAMES } from "../../../sandbox/packs/core/core_pack.ts";
import { lines, Project, skillText, usual } from "./project.ts";

Deno.test("skills: a project without any has none, and nothing to say", async () => {
  await using project = await Project.open({ "README.md": "", ".agentloop/config.json": "{}" });
  deepEqual(await project.load(), { skills: [], warnings: [] });
  await project.put(".agentloop/skills/README.md", "no skill");
  await project.put(".agentloop/skills/shared/notes.md", "no skill");
  await project.put(".agentloop/skills/.hidden/SKILL.md", skillText("hidden", "d"));
  deepEqual(await project.load(), { skills: [], warnings: [] });
});

Deno.test("skills: they come sorted, with where they lie", async () => {
  await using project = await Project.withSkills({
    b: skillText("b", "second"),
    a: skillText("a", "first"),
  });
  const { skills } = await project.load();
  deepEqual(skills.map(({ name, folder, path }) => [name, folder, path]), [
    ["a", ".agentloop/skills/a", `${project.root}/.agentloop/skills/a`],
    ["b", ".agentloop/skills/b", `${project.root}/.agentloop/skills/b`],
  ]);
});

Deno.test("skills: other folders are read when they are named, in their order; of one name the first counts", async () => {
  await using project = await Project.open({
    [usual("mine")]: skillText("mine", "d"),
    ".claude/skills/one/SKILL.md": skillText("one", "from claude"),
    ".agents/skills/one/SKILL.md": skillText("one", "from agents"),
    ".agents/skills/two/SKILL.md": skillText("two", "d"),
  });
  const loaded = await project.load({ dirs: [".claude/skills", "./.agents//skills/", "none"] });
  deepEqual(loaded.skills.map(({ name, description }) => [name, description]), [
    ["one", "from claude"],
    ["two", "d"],
  ]);
  deepEqual(lines(loaded), [
    '.agents/skills/one/SKILL.md: there is a skill "one" in ".claude/skills/one"; left out',
    "none: there is no such folder",
  ]);
});

Deno.test("skills: a folder that is reached twice is read once", async () => {
  await using project = await Project.open({
    ".agents/skills/one/SKILL.md": skillText("one", "d"),
  });
  await project.shell("mkdir .claude; ln -s ../.agents/skills .claude/skills");
  const loaded = await project.load({ dirs: [".agents/skills", ".claude/skills"] });
  deepEqual([loaded.skills.length, loaded.warnings], [1, []]);
});

Deno.test("skills: a folder outside of the project cannot be named", async () => {
  await using project = await Project.open();
  for (
    const dir of ["..", "../outside", "a/../../outside", "/etc", "", ".", project.base, "a\0b"]
  ) {
    await rejects(project.load({ dirs: [dir] }), RangeError, dir);
  }
  await rejects(loadSkills({ root: `${project.base}/gone` }), /gone cannot be used/);
  await rejects(loadSkills({ root: `${project.base}/outside/secret.txt` }), /is no folder/);
});

Deno.test("skills: links that leave the project are not followed, those inside are", async () => {
  await using project = await Project.open({
    "packages/x/skills/inside/SKILL.md": skillText("inside", "d"),
    "texts/linked.md": skillText("file-link", "d"),
    [usual("in-git")]: "",
    ".git/skill/SKILL.md": skillText("git", "d"),
  });
  await project.shell(`cd .agentloop/skills; rm -r in-git
ln -s ../../packages/x/skills/inside npm-x-inside
ln -s ../../../outside/skill outside
ln -s "${project.base}/outside/skill" absolute
ln -s nowhere broken; ln -s circle circle
ln -s ../../.git/skill git
mkdir file-link file-out fifo folder device
ln -s ../../../texts/linked.md file-link/SKILL.md
ln -s ../../../../outside/skill/SKILL.md file-out/SKILL.md
ln -s /dev/zero device/SKILL.md
mkfifo fifo/SKILL.md; mkdir folder/SKILL.md`);
  const loaded = await project.load();
  deepEqual(loaded.skills.map(({ name }) => name), ["file-link", "inside"]);
  deepEqual(lines(loaded).filter((line) => !line.endsWith("left out")), []);
  deepEqual(loaded.warnings.map(({ file }) => file.split("/").at(-2)), [
    "absolute",
    "device",
    "fifo",
    "file-out",
    "folder",
    "git",
    "outside",
  ]);
  await project.shell("rm -r .agentloop/skills; ln -s ../../outside .agentloop/skills");
  deepEqual(lines(await project.load()), [
    ".agentloop/skills: it leads out of the project; left out",
  ]);
});

Deno.test("skills: names that break the letter are mended with a word about it", async () => {
  await using project = await Project.withSkills({
    "folder-name": skillText("other", "d"),
    "no-name": "---\ndescription: d\n---\n",
    "c3": skillText("Context Doctor", "d"),
    "sub": skillText("db-core/sub_skill", "d"),
    "long": skillText("x".repeat(65), "d"),
    "12": skillText("12", "d"),
  });
  const loaded = await project.load();
  deepEqual(loaded.skills.map(({ name }) => name), [
    "12",
    "context-doctor",
    "other",
    "long",
    "no-name",
    "db-core-sub-skill",
  ]);
  deepEqual(loaded.warnings.map(({ file, line }) => [file.split("/").at(-2), line]), [
    ["c3", 2],
    ["folder-name", 2],
    ["long", 2],
    ["no-name", undefined],
    ["sub", 2],
  ]);
  equal(
    lines(loaded)[1],
    'folder-name/SKILL.md:2: it is named "other" and lies in "folder-name"; the first counts',
  );
  match(lines(loaded)[0] ?? "", /it is known as "context-doctor"$/);
});

Deno.test("skills: a name that nothing can be made of is refused, and one that is taken", async () => {
  await using project = await Project.withSkills({
    "名": skillText("名前", "d"),
    fetch: skillText("fetch", "d"),
    reader: skillText("readFile", "d"),
    spelled: skillText("Mark Down", "d"),
    upper: skillText("EXEC", "d"),
    crm: skillText("crm", "d"),
    ai: "---\ndescription: d\n---\n",
  });
  const loaded = await project.load({ taken: ["CRM"] });
  deepEqual(loaded.skills.map(({ name }) => name), ["mark-down"]);
  deepEqual(
    lines(loaded).filter((line) => /is taken; left out$/.test(line)).map((line) =>
      line.split("/")[0]
    ),
    ["ai", "crm", "fetch", "reader", "upper"],
  );
});

Deno.test("skills: every name that scripts know is taken", async () => {
  const capabilities = [
    ...defaultCapabilities({} as Client),
    workspaceCapability({ root: "." }),
    execCapability({ root: "." }),
  ];
  const names = new Set<string>(CORE_NAMES);
  for (const { build } of capabilities) {
    for (const pack of await build({ signal: new AbortController().signal, sessionId: "s" })) {
      for (const { name } of [...pack.functions, ...pack.documents ?? []]) names.add(name);
      for (const name of pack.modules ?? []) names.add(name);
    }
  }
  const taken = takenNames([]);
  deepEqual([...names].filter((name) => !taken.has(name.toLowerCase())), []);
  equal(names.size > 15, true);
});

Deno.test("skills: a description there must be; a long one is used with a word about it", async () => {
  await using project = await Project.withSkills({
    empty: "---\nname: empty\ndescription: ' '\n---\n",
    list: "---\nname: list\ndescription: [a, b]\n---\n",
    long: skillText("long", "x".repeat(1025)),
    none: "---\nname: none\n---\n",
    number: skillText("number", "42"),
  });
  const loaded = await project.load();
  deepEqual(loaded.skills.map(({ name, description }) => [name, description.length]), [
    ["long", 1025],
    ["number", 2],
  ]);
  deepEqual(lines(loaded), [
    "empty/SKILL.md:3: there must be a description, as text; left out",
    "list/SKILL.md:3: there must be a description, as text; left out",
    "long/SKILL.md:3: the description has 1025 characters, the format allows 1024; it was used whole",
    "none/SKILL.md:1: there must be a description, as text; left out",
  ]);
});

Deno.test("skills: one that models must not start by themselves is left out", async () => {
  await using project = await Project.withSkills({
    no: skillText("no", "d", "disable-model-invocation: false\n"),
    odd: skillText("odd", "d", "disable_model_invocation: [maybe]\n"),
    yes: skillText("yes", "d", "disable-model-invocation: true\n"),
  });
  const loaded = await project.load();
  deepEqual(loaded.skills.map(({ name }) => name), ["no"]);
  deepEqual(loaded.warnings.map(({ line }) => line), [4, 4]);
});

Deno.test("skills: huge files and such as are no text are refused by their size and kind", async () => {
  await using project = await Project.withSkills({
    binary: new Uint8Array([...new TextEncoder().encode(skillText("binary", "d")), 0]),
    huge: skillText("huge", "d") + "x".repeat(1024 * 1024),
    latin: new Uint8Array([...new TextEncoder().encode(skillText("latin", "d")), 0xe4, 0x0a]),
  });
  const loaded = await project.load();
  deepEqual(loaded.skills, []);
  deepEqual(lines(loaded), [
    "binary/SKILL.md: it is no UTF-8 text; left out",
    "huge/SKILL.md: it is larger than 1048576 bytes; left out",
    "latin/SKILL.md: it is no UTF-8 text; left out",
  ]);
});

Deno.test("skills: what a checkout writes reaches no warning as it is", async () => {
  await using project = await Project.withSkills({
    "a\x1b[2Jb": '---\nname: "x\\u001b[31m\\u202ey\\nz"\ndescription: "[\n---\n',
    "c":
      '---\nname: "\\e]0;x\\a"\nallowed-tools: (\n"disable-model-invocation\\e[1m": yes\ndescription: d\n---\n',
  });
  const { warnings } = await project.load();
  equal(warnings.length, 2);
  for (const warning of warnings) {
    equal(/[\p{Cc}\p{Cf}]/u.test(Object.values(warning).join("")), false);
  }
});

Deno.test("skills: without a root it says which option is missing", async () => {
  await rejects(() => loadSkills({} as never), {
    name: "TypeError",
    message: "loadSkills: root must be the path of a folder",
  });
});

Deno.test("skills: what was loaded is not taken for the list of skills in it", async () => {
  await using project = await Project.open({});
  const loaded = await project.load();
  throws(() => skillCapabilities(loaded as never), {
    name: "TypeError",
    message: "skillCapabilities: expected a list of skills: the skills of what loadSkills gives",
  });
});
