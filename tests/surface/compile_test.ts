import { equal, match, notEqual } from "node:assert/strict";
import { join } from "node:path";

// The base binary that `deno compile` puts the program into cannot be had everywhere. The runtime itself stands in for it: what comes
// out does not start as the command, but everything up to it is done, and the embedded files are printed.
Deno.test("compile: the task embeds the guest, its engine and the heavy parts", async () => {
  const folder = await Deno.makeTempDir({ prefix: "compile_" });
  try {
    const { success, output } = await runCompileTask(join(folder, "agentloop"));
    equal(success, true, output);
    match(output, /quickjs-singlefile-mjs-release-sync/);
    match(output, /openai/);
    for (const name of ["guest", "sqlite"]) {
      notEqual(output.indexOf(name), -1, `${name} is not embedded:\n${output}`);
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("compile: the binary gets the stack and the compiler's budget that the guest's engine needs", () => {
  const given = /--v8-flags=(\S+)/.exec(compileCommand())?.[1];
  const source = Deno.readTextFileSync("sandbox/guest_command.ts");
  const wanted = (name: string): string | undefined =>
    new RegExp(`${name} = ([\\d_]+)`).exec(source)?.[1]?.replaceAll("_", "");
  equal(
    given,
    `--wasm-stack-switching-stack-size=${wanted("WASM_STACK_KIB")},` +
      `--wasm-tiering-budget=${wanted("WASM_TIERING_BUDGET")}`,
  );
});

function compileCommand(): string {
  const config: { tasks: { compile: { command: string } } } = JSON.parse(
    Deno.readTextFileSync("deno.json"),
  );
  return config.tasks.compile.command;
}

async function runCompileTask(outputPath: string): Promise<{ success: boolean; output: string }> {
  const [, ...args] = compileCommand().split(" ");
  args[args.indexOf("--output") + 1] = outputPath;
  // Types are a step of the gate.
  args.splice(1, 0, "--no-check");
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args,
    env: { DENORT_BIN: Deno.execPath(), NO_COLOR: "1" },
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  return { success, output: decoder.decode(stderr) + decoder.decode(stdout) };
}
