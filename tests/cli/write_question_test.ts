/** Who is asked about a change to a file, where, and what happens where nobody can be. */
import { doesNotMatch, match, rejects, strictEqual } from "node:assert/strict";
import { startOpenAIServer } from "../fixtures/openai_server.ts";
import { openHome, script } from "./cli_process.ts";
import { HAS_TERMINAL, openShellLine } from "./terminal.ts";

const WRITE = script(`function run() {
  try { writeFile("x.txt", "written"); answer("written"); } catch (error) { answer(error.message); }
}`);

Deno.test("CLI-03: a write that needs an approval is refused at once, whatever stdin is, with the option that would let it pass", async () => {
  await using server = await startOpenAIServer({ otherwise: WRITE });
  await using home = await openHome(server.baseUrl);
  for (const stdin of ["open", "null", "y\n"]) {
    const { code, stdout, stderr } = await home.run(["write x.txt"], { stdin });
    strictEqual(code, 0);
    match(stdout, /^writeFile \(x\.txt\) is refused: /);
    match(stderr, /^turn 1 {2}writeFile x\.txt, refused, .*--approve auto/m);
    await rejects(Deno.stat(`${home.path}/x.txt`), Deno.errors.NotFound);
  }
});

Deno.test(
  "CLI-03: with stdout in a pipe and stdin at a terminal the question stands at the terminal, and the pipe gets the answer alone",
  {
    ignore: !HAS_TERMINAL,
  },
  async () => {
    await using server = await startOpenAIServer({ replies: [WRITE] });
    await using home = await openHome(server.baseUrl);
    const words = [Deno.execPath(), ...home.args(["write x.txt"])].map((word) => `'${word}'`);
    await using terminal = openShellLine(`${words.join(" ")} | cat > piped`, {
      env: home.env({ TERM: "xterm" }),
      cwd: home.path,
    });
    await terminal.until(/The agent wants to change "x\.txt":[^]*\+written[^]*Allow it\?/);
    strictEqual(await Deno.readTextFile(`${home.path}/piped`), "");
    await terminal.type("y\r");
    strictEqual(await terminal.ended(), 0);
    strictEqual(await Deno.readTextFile(`${home.path}/piped`), "written\n");
    doesNotMatch(terminal.shown, /^written\r$/m);
    strictEqual(await Deno.readTextFile(`${home.path}/x.txt`), "written");
  },
);
