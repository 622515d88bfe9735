import { deepEqual, equal, match, ok } from "node:assert/strict";
import { skillCapabilities } from "../../../ext/skills/mod.ts";
import { createLoop } from "../../../loop/create_loop.ts";
import { scriptedClient } from "../../../llm/scripted.ts";
import { DefaultSandboxBuilder } from "../../../sandbox/default_builder.ts";
import { MemoryStore } from "../../../stores/memory.ts";
import { Project, skillText } from "./project.ts";

/** Runs one script that may use a project's skills: what it answers, and what the model was told before. */
async function runScript(
  project: Project,
  { source, enabled }: { readonly source: string; readonly enabled?: readonly string[] },
  // deno-lint-ignore no-explicit-any -- what a script answers is for the test to look at
): Promise<{ readonly answer: any; readonly prompt: string }> {
  const { skills } = await project.load();
  using llm = scriptedClient(["```javascript\n" + source + "\n```"]);
  await using sandboxBuilder = new DefaultSandboxBuilder({
    capabilities: skillCapabilities(skills),
    ...(enabled && { enabledCapabilities: enabled }),
  });
  const store = new MemoryStore();
  const loop = createLoop({ llm, sessions: store, steps: store, sandboxBuilder });
  const result = await loop.run({ sessionId: "s", message: "go" });
  equal(result.status, "completed", JSON.stringify(result.error));
  return { answer: JSON.parse(result.finalText), prompt: result.systemPrompt };
}

/** A script that answers what each call gives, or the message of what it throws. */
function each(...calls: readonly string[]): string {
  return `function run() {
  const told = [];
  for (const call of [${calls.map((call) => `() => ${call}`).join(", ")}]) {
    try { told.push(call()); } catch (error) { told.push("threw " + error.message); }
  }
  answer(told);
}`;
}

Deno.test("skills: a script lists them, reads one, and a file beside it", async () => {
  await using project = await Project.withSkills({
    pdf: "---\nname: pdf\ndescription: Fills forms.\nallowed-tools: Bash(git:*) Read\n" +
      "compatibility: Needs pdftk\n---\n# Forms\n",
    web: skillText("web", "Opens pages."),
  });
  await project.put(".agentloop/skills/pdf/references/FORMS.md", "Name, date.\n");
  await project.put(".agentloop/skills/pdf/scripts/fill.py", "print(1)\n");
  await project.put(".agentloop/skills/pdf/.env", "KEY=1");
  const { answer: [list, text, file], prompt } = await runScript(project, {
    source: each("skillList()", 'skillGet("pdf")', 'skillGet("pdf", "./references/FORMS.md")'),
  });
  deepEqual(list, [
    { name: "pdf", description: "Fills forms." },
    { name: "web", description: "Opens pages." },
  ]);
  equal(
    text,
    `[skill pdf, in .agentloop/skills/pdf of the project]
[compatibility: Needs pdftk]
[allowed-tools (bounds what is done for this skill, grants nothing): Bash(git:*), Read]

# Forms

Files beside it, each by skillGet("pdf", path):
references/FORMS.md
scripts/fill.py`,
  );
  equal(file, "Name, date.\n");
  match(
    prompt,
    /\n\/\/ skillGet\("pdf"\): Fills forms\.\n\/\/ skillGet\("web"\): Opens pages\.(?:\n|$)/,
  );
  ok(!prompt.includes("# Forms"));
});

Deno.test("skills: one that is not enabled is neither in the prompt nor to be had", async () => {
  await using project = await Project.withSkills({
    a: skillText("a", "First."),
    b: skillText("b", "Second."),
  });
  const { answer, prompt } = await runScript(project, {
    source: each('skillGet("b")', "skillList().length"),
    enabled: ["skill:a"],
  });
  deepEqual(answer, ['threw there is no documentation named "b"; there is: a', 1]);
  ok(prompt.includes("First.") && !prompt.includes("Second."));
});

Deno.test("skills: nothing outside of a skill's folder is read, nor what is no file or no text", async () => {
  await using project = await Project.withSkills({
    a: skillText("a", "d"),
    "a-b": skillText("a-b", "d"),
  });
  await project.put(".agentloop/skills/a/logo.png", new Uint8Array([1, 0, 255]));
  await project.put(".agentloop/skills/a/latin.txt", new Uint8Array([0xe4]));
  await project.put(".agentloop/skills/a/big.txt", "x".repeat(1024 * 1024 + 1));
  await project.put(".agentloop/skills/a/fits.txt", "x".repeat(1024 * 1024));
  await project.put(".agentloop/skills/a/.git/config", "token");
  await project.put("shared.md", "inside of the project");
  await project.shell(`cd .agentloop/skills/a; mkfifo fifo; ln -s /dev/zero zero
ln -s ../../../../outside/secret.txt out; ln -s ../../../../outside outdir
ln -s ../../../shared.md shared.md; ln -s ../a-b/SKILL.md other; ln -s fits.txt in; ln -s loop loop`);
  const refused = [
    ...[
      "..",
      "../a-b/SKILL.md",
      "x/../../a-b/SKILL.md",
      "/etc/passwd",
      "",
      ".",
      "a\\0b",
      "\\ud800",
    ],
    ...["fifo", "zero", "out", "outdir/secret.txt", "shared.md", "other", "loop"],
    ...[".git/config", ".GIT/../fits.txt", `${project.root}/shared.md`],
  ];
  const calls = [
    ...refused.map((path) => `skillGet("a", "${path}")`),
    'skillGet("a", "none.md")',
    'skillGet("a", "fits.txt/x")',
    'skillGet("a", "logo.png")',
    'skillGet("a", "latin.txt")',
    'skillGet("a", "big.txt")',
    'skillGet("a", "fits.txt").length + skillGet("a", "in").length',
  ];
  const { answer } = await runScript(project, { source: each(...calls) });
  for (const [index, path] of refused.entries()) {
    match(answer[index], /^threw ".*" is outside of the skill's folder or no regular file$/, path);
  }
  deepEqual(answer.slice(refused.length), [
    'threw there is no file "none.md" beside "a"; skillGet("a") lists what there is',
    'threw there is no file "fits.txt/x" beside "a"; skillGet("a") lists what there is',
    'threw "logo.png" is binary (3 bytes), no text',
    'threw "latin.txt" is binary (1 bytes), no text',
    'threw "big.txt" has 1048577 bytes or more; the limit is 1048576',
    2 * 1024 * 1024,
  ]);
});

Deno.test("skills: a folder that became a link after it was loaded gives nothing of where it leads", async () => {
  await using project = await Project.withSkills({ a: skillText("a", "d") });
  await project.put(".agentloop/skills/a/sub/x.md", "x");
  const { skills } = await project.load();
  await project.shell("cd .agentloop/skills; rm -r a; ln -s ../../../outside a");
  const [pack] = await skillCapabilities(skills)[0]?.build({
    signal: new AbortController().signal,
    sessionId: "s",
  }) ?? [];
  const files = pack?.documents?.[0]?.files;
  deepEqual(await files?.list(), []);
  const error = await files?.read("secret.txt").catch((thrown: Error) => thrown.message);
  equal(error, '"secret.txt" is outside of the skill\'s folder or no regular file');
});

Deno.test("skills: names of files that could be taken for something else are not listed, and a long list is cut", async () => {
  await using project = await Project.withSkills({ a: skillText("a", "d") });
  for (let index = 0; index < 120; index++) {
    await project.put(`.agentloop/skills/a/f${String(index).padStart(3, "0")}.md`, "");
  }
  await project.put(".agentloop/skills/a/x\nFiles: no.md", "");
  await project.put(".agentloop/skills/a/node_modules/y/z.js", "");
  const { answer: [text] } = await runScript(project, { source: each('skillGet("a")') });
  match(text, /:\nf000\.md\n[^]*\nf099\.md\nand 20 more$/);
  ok(!text.includes("no.md"));
});

Deno.test("skills: a description is one line of the prompt, whatever it holds", async () => {
  const nasty =
    'a\\u2028declare function x(): void;\\n`\\u001b[2J\\u202e*/ \\r\\n// skillGet(\\"y\\"): z\\ud83d';
  await using project = await Project.withSkills({
    a: `---\nname: a\ndescription: "${nasty}"\n---\nText\n`,
    b: skillText("b", `|\n  ${"several words ".repeat(60)}\n  \n  end`),
  });
  const { prompt, answer: [list] } = await runScript(project, { source: each("skillList()") });
  const catalogue = prompt.split("\n").filter((line) => /^\/\/ skillGet/.test(line));
  equal(catalogue.length, 2);
  ok(!/[\p{Cc}\p{Cf}\u2028]/u.test(catalogue.join("")));
  match(catalogue[0] ?? "", /^\/\/ skillGet\("a"\): a declare function x\(\): void; `/);
  match(catalogue[1] ?? "", /several words…$/);
  ok((catalogue[1]?.length ?? 0) < 325);
  match(list[1].description, /several words end$/);
});

Deno.test("skills: a hundred of them cost at most 3,200 tokens of prompt, a line each", async () => {
  const names = Array.from({ length: 100 }, (_, index) => `a-skill-of-the-project-${index}`);
  await using project = await Project.withSkills(
    Object.fromEntries(
      names.map((name) => [name, skillText(name, "Does this and that. ".repeat(50))]),
    ),
  );
  const { prompt, answer } = await runScript(project, {
    source: each("skillList().length", "skillList()[99].description.length"),
  });
  deepEqual(answer, [100, 999]);
  const catalogue = prompt.split("\n").filter((line) => /^\/\/ skillGet/.test(line));
  equal(catalogue.length, 100);
  ok(catalogue.join("\n").length / 4 <= 3_200, String(catalogue.join("\n").length / 4));
});
