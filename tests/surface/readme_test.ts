import { deepEqual } from "node:assert/strict";
import { OPTIONS } from "../../cli/option_table.ts";
import { DEFAULT_SANDBOX_LIMITS } from "../../contracts/sandbox.ts";

const README = Deno.readTextFileSync("README.md");

Deno.test("README: names every option of the command, and none that there is not", () => {
  const named = new Set([...README.matchAll(/`(--[a-z][a-z-]*)(?: [A-Z]+)?`/g)].map((m) => m[1]));
  // These are options of the runtime.
  for (const foreign of ["--allow-read", "--allow-write", "--allow-run"]) named.delete(foreign);
  deepEqual([...named].sort(), OPTIONS.map((option) => `--${option.name}`).sort());
});

Deno.test("README: every limit of a script stands there with its default", () => {
  const rows = [...README.matchAll(/^\| `(\w+)`\s+\| ([\d,]+)\s+\|/gm)]
    .map(([, name = "", value = ""]) => [name, Number(value.replaceAll(",", ""))]);
  deepEqual(Object.fromEntries(rows), { ...DEFAULT_SANDBOX_LIMITS });
});

Deno.test("README: the two commands at its top are tasks and commands that exist", () => {
  const commands = [...README.matchAll(/^npx -y deno@(\S+) (.*)$/gm)].map((m) => m[2]);
  deepEqual(commands, ["run -A cli.ts demo", "task test"]);
});

Deno.test("README: one version of the runtime is named everywhere", () => {
  const texts = [README, Deno.readTextFileSync(".ci/run"), Deno.readTextFileSync("AGENTS.md")];
  const versions = texts.flatMap((text) => [...text.matchAll(/[Dd]eno[@ ](\d+\.\d+\.\d+)/g)]);
  deepEqual([...new Set(versions.map((m) => m[1]))], ["2.9.6"]);
});
