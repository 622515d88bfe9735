import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { VERSION } from "../../cli/version.ts";
import { onlyResult, openHome } from "./cli_process.ts";

Deno.test("the version that the command prints is the package's", async () => {
  const config = JSON.parse(
    await Deno.readTextFile(new URL("../../deno.json", import.meta.url)),
  );
  strictEqual(VERSION, config.version);
  await using home = await openHome();
  const { code, stdout, stderr } = await home.run(["--version"]);
  strictEqual(code, 0);
  strictEqual(stdout, `agentloop ${VERSION}\n`);
  strictEqual(stderr, "");
  strictEqual(
    onlyResult((await home.run(["--version", "--json"])).stdout).text,
    `agentloop ${VERSION}`,
  );
});

Deno.test("the version is printed without loading anything else of the project", async () => {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", "--no-lock", new URL("../../cli.ts", import.meta.url).href],
    stdout: "piped",
    stderr: "null",
  }).output();
  const graph: {
    modules: { specifier: string; dependencies?: { specifier: string; code?: unknown }[] }[];
  } = JSON.parse(new TextDecoder().decode(stdout));
  const loadedBy = (path: string) =>
    graph.modules.find(({ specifier }) => specifier.endsWith(path))?.dependencies
      ?.filter(({ code }) => code !== undefined).map(({ specifier }) => specifier).sort() ?? [];
  deepStrictEqual(loadedBy("/cli.ts"), ["./cli/main.ts"]);
  // A few lines each: what a start needs that cannot load the rest.
  const light = ["own_folder", "result_base", "version"];
  deepStrictEqual(loadedBy("/cli/main.ts"), light.map((name) => `./${name}.ts`));
  deepStrictEqual(light.flatMap((name) => loadedBy(`/cli/${name}.ts`)), []);
});
