import assert from "node:assert/strict";
import type { Capability } from "../../contracts/sandbox.ts";
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

Deno.test("packs without modules and documents cost no prompt for finding them", async () => {
  const { result } = await runScripts(["function run() { answer(1); }"], { capabilities: [] });
  assert.ok(!result.systemPrompt.includes("require(module"));
  assert.ok(!result.systemPrompt.includes("skillList"));
});
