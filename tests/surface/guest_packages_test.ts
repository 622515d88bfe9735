import { deepEqual, notEqual } from "node:assert/strict";
import { readModuleGraph } from "../../_tools/module_graph.ts";

/** Names of all packages behind a file, those of packages among them. */
async function packagesBehind(file: string): Promise<string[]> {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", "--no-lock", "--no-config", file],
    env: { NO_COLOR: "1" },
  }).output();
  const info: { npmPackages: Record<string, { name: string }> } = JSON.parse(
    new TextDecoder().decode(stdout),
  );
  return [...new Set(Object.values(info.npmPackages).map((found) => found.name))].sort();
}

// With a lock file the runtime downloads the lists of versions only of packages that a module names itself. The guest is started without the lock
// file and without the network, so it needs those lists of all its packages: on a machine with an empty cache it could not start otherwise.
Deno.test("surface: every package of the guest is named by a module that loads with the program", async () => {
  const behind = await packagesBehind("sandbox/guest/main.ts");
  notEqual(behind.length, 0, "no package of the guest was found");
  for (const entry of ["mod.ts", "cli/dispatch.ts"]) {
    const { edges } = await readModuleGraph(Deno.cwd(), [entry]);
    const named = new Set(edges.filter((edge) => !edge.typeOnly).map((edge) => edge.to));
    deepEqual(behind.filter((name) => !named.has(`npm:${name}`)), [], `from ${entry}`);
  }
});
