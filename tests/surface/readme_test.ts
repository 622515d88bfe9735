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

for (const path of ["docs/command.md", "docs/serve.md", "docs/capabilities.md"]) {
  Deno.test(`README: ${path}, which goes on where it ends, names no option that there is not`, () => {
    const named = Deno.readTextFileSync(path).matchAll(/`(--[a-z][a-z-]*)(?:[ =][^`]*)?`/g);
    const options = new Set(OPTIONS.map((option) => `--${option.name}`));
    deepEqual([...named].map((m) => m[1] ?? "").filter((name) => !options.has(name)), []);
  });
}

/** The rows of a section's table whose second column is a number. */
function numbersUnder(heading: string): Record<string, number> {
  const section = README.split(/^(?=##)/m).find((part) => part.startsWith(`${heading}\n`)) ?? "";
  const rows = [...section.matchAll(/^\| `(\w+)`\s+\| ([\d,]+)\s+\|/gm)]
    .map(([, name = "", value = ""]) => [name, Number(value.replaceAll(",", ""))]);
  return Object.fromEntries(rows);
}

Deno.test("README: every limit of a script stands there with its default", () => {
  deepEqual(numbersUnder("## Limits of a script"), { ...DEFAULT_SANDBOX_LIMITS });
});

Deno.test("README: every option of a process host stands there with its default", () => {
  const sources = ["sandbox/process_host.ts", "sandbox/process_pool.ts"];
  const documented = sources.flatMap((file) => [
    ...Deno.readTextFileSync(file).matchAll(
      /@default ([\d_]+)[^\n]*\*\/\n {2}readonly (\w+)\?: number;/g,
    ),
  ]);
  const defaults = documented
    .map(([, value = "", name = ""]) => [name, Number(value.replaceAll("_", ""))]);
  deepEqual(numbersUnder("### Processes"), Object.fromEntries(defaults));
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
