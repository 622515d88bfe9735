import { deepEqual, equal } from "node:assert/strict";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { reachable } from "../../_tools/import_cycles.ts";
import { readModuleGraph } from "../../_tools/module_graph.ts";

const ENTRIES = [
  "mod.ts",
  "ext/assistant/mod.ts",
  "ext/otel/mod.ts",
  "ext/skills/mod.ts",
  "llm/openai.ts",
  "stores/sqlite/mod.ts",
  "testing.ts",
  "tools/mod.ts",
  "tools/sqlite/mod.ts",
  "cli.ts",
];

for (const entry of ENTRIES) {
  Deno.test(`surface: ${entry} can be imported without any permission`, async () => {
    const url = pathToFileURL(join(Deno.cwd(), entry)).href;
    const program = `import ${JSON.stringify(url)}; console.log("imported");`;
    const folder = await Deno.makeTempDir({ prefix: "light_root_" });
    try {
      await Deno.writeTextFile(join(folder, "main.ts"), program);
      const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
        args: ["run", "--no-prompt", "--no-lock", "--config", "deno.json", join(folder, "main.ts")],
        env: { NO_COLOR: "1" },
        stdin: "null",
      }).output();
      const decoder = new TextDecoder();
      deepEqual([code, decoder.decode(stdout), decoder.decode(stderr)], [0, "imported\n", ""]);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
}

Deno.test("surface: the root loads neither SQLite nor a package by itself", async () => {
  const graph = await readModuleGraph(Deno.cwd(), ["mod.ts"]);
  const targets = new Map<string, string[]>();
  for (const edge of graph.edges.filter((edge) => !edge.typeOnly && !edge.dynamic)) {
    targets.set(edge.from, [...(targets.get(edge.from) ?? []), edge.to]);
  }
  const loaded = [...reachable("mod.ts", targets)];
  deepEqual(loaded.filter((name) => /^npm:|^jsr:|^node:sqlite$|^https?:/.test(name)), []);
  equal(loaded.includes("loop/create_loop.ts"), true, "the graph was not read");
});
