import { deepEqual, equal, match, ok } from "node:assert/strict";
import { lines, Project, skillText } from "./project.ts";

Deno.test("SKL-02 skills: BOM, CRLF, blanks after the dashes and a missing end of line defeat nothing", async () => {
  const header = "---\r\nname: a\r\ndescription: d\r\n--- \r\n";
  const bom = new Uint8Array([0xef, 0xbb, 0xbf]);
  const encoder = new TextEncoder();
  await using project = await Project.withSkills({
    a: new Uint8Array([...bom, ...encoder.encode(`${header}Body`)]),
    b: "--- \t\nname: b\ndescription: d\n---",
    c: "---\nname: c\ndescription: d\n---\t\n\n \nBody\n\n  more\n\n",
    d: "---\rname: d\rdescription: d\r---\rBody\rmore",
  });
  const loaded = await project.load();
  deepEqual(lines(loaded), []);
  deepEqual(loaded.skills.map(({ name, description, body }) => [name, description, body]), [
    ["a", "d", "Body"],
    ["b", "d", ""],
    ["c", "d", "Body\n\n  more"],
    ["d", "d", "Body\nmore"],
  ]);
});

Deno.test("SKL-03 skills: rules in the text belong to the text", async () => {
  await using project = await Project.withSkills({
    b: "---\nname: b\ndescription: d\n---\nPart 1\n\n---\n\nPart 2\n---\nname: x\n---\n",
  });
  const { skills: [skill], warnings } = await project.load();
  deepEqual(warnings, []);
  equal(skill?.body, "Part 1\n\n---\n\nPart 2\n---\nname: x\n---");
});

Deno.test("SKL-03 skills: without a closing line, without keys, or not at the beginning there is no header", async () => {
  await using project = await Project.withSkills({
    "blank-first": "\n---\nname: a\ndescription: d\n---\n",
    empty: "",
    "four-dashes": "----\nname: a\ndescription: d\n----\n",
    "no-closing": "---\nname: a\ndescription: d\n\nText.\n",
    "no-keys": "---\n\nPart 1\n\n---\n\nPart 2\n",
    nothing: "---\n---\nText\n",
    plain: "# A heading\n",
  });
  const loaded = await project.load();
  deepEqual(loaded.skills, []);
  equal(loaded.warnings.length, 7);
  for (const line of lines(loaded)) match(line, /^[a-z-]+\/SKILL\.md:1: there is no front matter/);
});

Deno.test("SKL-06 skills: a header that cannot be understood in full is refused with its line, and its restriction with it", async () => {
  const bad: Readonly<Record<string, readonly [string, number, RegExp]>> = {
    alias: ["a: &x [readFile]\nallowed-tools: *x\n", 4, /anchors/],
    anchor: ["allowed-tools: &x readFile\n", 4, /anchors/],
    bracket: ["allowed-tools: [readFile\n", 5, /no plain YAML/],
    colon: ["allowed-tools: a: b\n", 4, /no plain YAML/],
    custom: ["allowed-tools: !env TOOLS\n", 4, /no plain YAML/],
    directive: ["%YAML 1.1\nallowed-tools: a\n", 4, /no plain YAML/],
    ended: ["...\nallowed-tools: readFile\n", 4, /ends before its end/],
    "in-map": ["allowed-tools: { readFile: true }\n", 4, /must be names of tools/],
    "key-list": ["? [allowed-tools]\n: readFile\n", 4, /no plain YAML/],
    merge: ["base: &b { allowed-tools: a }\n<<: *b\n", 4, /anchors/],
    parens: ["allowed-tools: Bash(git\n", 4, /must be names of tools/],
    spelled: ["allowed_tools: a\nallowed-tools: b\n", 5, /mean the same/],
    tab: ["metadata:\n\tx: 1\nallowed-tools: a\n", 5, /no plain YAML/],
    tag: ["allowed-tools: !!set { a }\n", 4, /no plain YAML|anchors/],
    twice: ["allowed-tools: a\nallowed-tools: b c\n", 5, /no plain YAML: Map keys must be unique/],
    "twice-deep": ["metadata: { x: 1, x: 2 }\n", 4, /no plain YAML/],
  };
  await using project = await Project.withSkills(
    Object.fromEntries(
      Object.entries(bad).map(([name, [more]]) => [name, skillText(name, "d", more)]),
    ),
  );
  const loaded = await project.load();
  deepEqual(loaded.skills.map(({ name }) => name), []);
  deepEqual(
    loaded.warnings.map(({ file, line }) => [file.split("/").at(-2), line]),
    Object.entries(bad).map(([name, [, line]]) => [name, line]),
  );
  for (const [index, [, , expected]] of Object.values(bad).entries()) {
    match(loaded.warnings[index]?.message ?? "", expected);
    match(loaded.warnings[index]?.message ?? "", /; left out$/);
  }
});

Deno.test("SKL-06 skills: a colon in a description is mended only where all else can be read, with the restriction", async () => {
  await using project = await Project.withSkills({
    c: "---\nname: c\ndescription: Read things: safely\nallowed-tools: readFile\n---\nText\n",
    // The second line could be part of the description, or what it looks like.
    d: "---\nname: d\ndescription: Read things: safely\n  allowed-tools: readFile\n---\nText\n",
  });
  const loaded = await project.load();
  deepEqual(
    loaded.skills.map(({ name, description, allowedTools }) => [name, description, allowedTools]),
    [
      ["c", "Read things: safely", ["readFile"]],
    ],
  );
  match(lines(loaded)[0] ?? "", /^c\/SKILL\.md:3: the description has a colon and should stand in/);
  match(lines(loaded)[1] ?? "", /^d\/SKILL\.md:3: the front matter is no plain YAML.*left out$/);
});

Deno.test("SKL-06 skills: allowed-tools is kept as written, however it is written", async () => {
  const written: Readonly<Record<string, readonly [string, readonly string[]]>> = {
    blanks: ["allowed-tools: Bash(git log:*) Read\n", ["Bash(git log:*)", "Read"]],
    commas: ["allowed-tools: Read, Bash(npx a, b),\n", ["Read", "Bash(npx a, b)"]],
    empty: ["allowed-tools:\n", []],
    list: ["allowed-tools:\n  - Read\n  - Bash(git:*)\n", ["Read", "Bash(git:*)"]],
    other: ["Allowed_Tools: Read\n", ["Read"]],
    quotes: ['allowed-tools: "Read Write"\n', ["Read", "Write"]],
  };
  await using project = await Project.withSkills(
    Object.fromEntries(
      Object.entries(written).map(([name, [more]]) => [name, skillText(name, "d", more)]),
    ),
  );
  const loaded = await project.load();
  deepEqual(lines(loaded), []);
  deepEqual(
    loaded.skills.map(({ name, allowedTools }) => [name, allowedTools]),
    Object.entries(written).map(([name, [, tools]]) => [name, tools]),
  );
});

Deno.test("skills: every key is kept, values are texts as they were written", async () => {
  const more =
    'license: MIT\ncompatibility: Needs git\nmetadata:\n  version: 1.0\n  tags: [a, "b"]\n' +
    "hidden: true\nnothing:\nid: 007\nday: 2026-01-02\nlong: >-\n  one\n  two\n__proto__: x\n";
  await using project = await Project.withSkills({ a: skillText("a", "'it''s'", more) });
  const { skills: [skill], warnings } = await project.load();
  deepEqual(warnings, []);
  equal(skill?.license, "MIT");
  equal(skill?.compatibility, "Needs git");
  equal(
    JSON.stringify(skill?.header),
    '{"name":"a","description":"it\'s","license":"MIT","compatibility":"Needs git",' +
      '"metadata":{"version":"1.0","tags":["a","b"]},"hidden":"true","nothing":"","id":"007",' +
      '"day":"2026-01-02","long":"one two","__proto__":"x"}',
  );
});

Deno.test("skills: YAML made to explode, to nest or to take long is refused, at once", async () => {
  const bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n" +
    Array.from("bcdefghi", (letter, index) => {
      const before = String.fromCharCode(97 + index);
      return `${letter}: &${letter} [${Array(9).fill(`*${before}`).join(", ")}]\n`;
    }).join("");
  const texts = {
    bomb,
    deep: `a: ${"[".repeat(12)}x${"]".repeat(12)}\n`,
    deeper: `a: ${"[".repeat(7000)}\n`,
    explicit: `${"? ".repeat(7000)}\n`,
    huge: `a: ${"x".repeat(17_000)}\n`,
    maps: `a: ${"{a: ".repeat(3000)}\n`,
  };
  await using project = await Project.withSkills(
    Object.fromEntries(
      Object.entries(texts).map(([name, more]) => [name, skillText(name, "d", more)]),
    ),
  );
  const began = performance.now();
  const loaded = await project.load();
  deepEqual(loaded.skills, []);
  equal(loaded.warnings.length, Object.keys(texts).length);
  // Not a bar: the library takes minutes where such a header reaches what it must not.
  ok(performance.now() - began < 60_000);
});

Deno.test("skills: a header that is too deep for the parser hides no other skill", async () => {
  await using project = await Project.withSkills({
    deep: `---\n${"- ".repeat(8000)}\na: b\n---\n`,
    other: skillText("other", "d"),
  });
  const loaded = await project.load();
  deepEqual(loaded.skills.map(({ name }) => name), ["other"]);
  deepEqual(lines(loaded), ["deep/SKILL.md:1: the front matter lies too deep; left out"]);
});
