import assert from "node:assert/strict";
import type { Capability } from "../../contracts/sandbox.ts";
import { scriptedClient } from "../../llm/scripted.ts";
import { aiCapability } from "../../sandbox/packs/ai/ai_pack.ts";
import { fetchCapability } from "../../sandbox/packs/http/capability.ts";
import { runScripts } from "./script_loop.ts";

const geometry: Capability = {
  name: "geometry",
  description: "areas",
  build: () => [{
    name: "geometry",
    prompt: "",
    functions: [],
    modules: ["geometry"],
    documents: [{
      name: "geometry",
      description: "areas of shapes",
      text: "area(w, h) multiplies.",
    }],
    guestSource: 'host.module("geometry", { area: (w, h) => w * h });',
  }],
};

Deno.test("require gives a module in both calling styles", async () => {
  const { result } = await runScripts([
    'function run() { return require("geometry").area(2, 3); }',
    'async function run(n) { const g = require("geometry"); answer([n, g.area(4, 5)]); }',
  ], { capabilities: [geometry] });
  assert.deepEqual(JSON.parse(result.finalText), [6, 20]);
});

Deno.test("require of an unknown module lists what there is", async () => {
  const { observations } = await runScripts(['function run() { require("fs"); }'], {
    capabilities: [geometry],
  });
  assert.match(observations[0]!, /there is no module "fs"; there is: geometry/);
});

Deno.test("require passes the gate by the module's name", async () => {
  const seen: string[] = [];
  const { observations, store } = await runScripts(
    ['function run() { require("geometry"); }'],
    {
      capabilities: [geometry],
      config: {
        policy: {
          check({ name, target }) {
            seen.push(`${name} ${target}`);
            return { decision: "deny", reason: "not today" };
          },
        },
      },
    },
  );
  assert.deepEqual(seen, ["require geometry"]);
  assert.match(observations[0]!, /require \(geometry\) is refused: not today/);
  const [row] = await store.calls("s");
  assert.deepEqual([row!.decision, row!.outcome, row!.target], ["denied", "refused", "geometry"]);
});

Deno.test("require gives the module that the gate was asked about, and no other", async () => {
  const both: Capability = {
    name: "both",
    description: "two modules",
    build: () => [{
      name: "both",
      prompt: "",
      functions: [],
      modules: ["open", "closed"],
      guestSource: 'host.module("open", "opened"); host.module("closed", "got in");',
    }],
  };
  const { result } = await runScripts([
    `function run() {
      const said = [];
      let asked = 0;
      const name = { toString: () => asked++ === 0 ? "open" : "closed" };
      try { said.push(require(name)); } catch (error) { said.push(error.name); }
      globalThis.String = () => asked++ % 2 === 0 ? "open" : "closed";
      try { said.push(require("closed")); } catch (error) { said.push(error.name); }
      answer(said);
    }`,
  ], {
    capabilities: [both],
    config: {
      policy: {
        check: ({ target }) =>
          target === "open" ? { decision: "allow" } : { decision: "deny", reason: "closed" },
      },
    },
  });
  assert.deepEqual(JSON.parse(result.finalText), ["opened", "PermissionError"]);
});

Deno.test("help, skillList and skillGet bring documentation that the prompt does not hold", async () => {
  const { result } = await runScripts([
    `function run() { answer({ list: skillList(), text: skillGet("geometry"), help: help().includes("geometry: areas") }); }`,
  ], { capabilities: [geometry] });
  assert.deepEqual(JSON.parse(result.finalText), {
    list: [{ name: "geometry", description: "areas of shapes" }],
    text: "area(w, h) multiplies.",
    help: true,
  });
  assert.ok(!result.systemPrompt.includes("multiplies"));
  assert.ok(result.systemPrompt.includes("modules: geometry"));
});

Deno.test("skillGet of an unknown name lists what there is", async () => {
  const { observations } = await runScripts(['function run() { skillGet("x"); }'], {
    capabilities: [geometry],
  });
  assert.match(observations[0]!, /there is no documentation named "x"; there is: geometry/);
});

Deno.test("help on a function without a document of its name is that of its pack, or how it is declared", async () => {
  const bare: Capability = {
    name: "bare",
    description: "",
    build: () => [{
      name: "bare",
      prompt: "declare function half(x: number): number;",
      functions: [{ name: "half", execute: ([x]) => Number(x) / 2 }],
    }],
  };
  using model = scriptedClient([]);
  const { result } = await runScripts([
    'function run() { answer([help("half"), help("aiJSON").slice(0, 10), help("fetch").slice(0, 10)].join("|")); }',
  ], { capabilities: [bare, aiCapability(model), fetchCapability()] });
  assert.equal(
    result.finalText,
    "declare function half(x: number): number;|ai(prompt,|fetch(url,",
  );
});

const cookbook: Capability = {
  name: "cookbook",
  description: "recipes",
  build: () => [{
    name: "cookbook",
    prompt: "",
    functions: [],
    documents: [{
      name: "cookbook",
      description: "recipes",
      text: "Read soup.md first.",
      files: {
        list: () => Promise.resolve(Array.from({ length: 103 }, (_, index) => `${index}.md`)),
        read: (path) =>
          path === "soup.md"
            ? Promise.resolve("Boil it.")
            : Promise.reject(new Error(`there is no ${path}`)),
      },
    }],
  }],
};

Deno.test("skillGet shows the files beside a text, and gives one by its path", async () => {
  const { result } = await runScripts([
    `function run() {
  const errors = [];
  for (const args of [["cookbook", "no.md"], ["geometry", "soup.md"], ["cookbook", 3]]) {
    try { skillGet(...args); } catch (error) { errors.push(error.message); }
  }
  answer({ text: skillGet("cookbook"), same: help("cookbook") === skillGet("cookbook", null), file: skillGet("cookbook", "soup.md"), errors });
}`,
  ], { capabilities: [geometry, cookbook] });
  const { text, same, file, errors } = JSON.parse(result.finalText);
  assert.match(
    text,
    /^Read soup.md first.\n\nFiles beside it, .*"cookbook", path\):\n0.md\n1.md\n/,
  );
  assert.match(text, /\n99.md\nand 3 more$/);
  assert.deepEqual([same, file], [true, "Boil it."]);
  assert.deepEqual(errors, [
    "there is no no.md",
    'there are no files beside "geometry"',
    "skillGet: path must be a string",
  ]);
  assert.match(result.systemPrompt, /skillGet\(name: string, path\?: string/);
});

Deno.test("skillGet passes the gate by the names of text and file", async () => {
  const { store } = await runScripts(
    ['function run() { skillGet("geometry"); skillGet("cookbook", "soup.md"); }'],
    { capabilities: [geometry, cookbook] },
  );
  const rows = await store.calls("s");
  assert.deepEqual(rows.map(({ target }) => target), ["geometry", "cookbook/soup.md"]);
});

Deno.test("packs without modules and documents cost no prompt for finding them", async () => {
  const { result } = await runScripts(["function run() { answer(1); }"], { capabilities: [] });
  assert.ok(!result.systemPrompt.includes("require(module"));
  assert.ok(!result.systemPrompt.includes("skillList"));
});
