// deno-lint-ignore-file no-control-regex -- a terminal is told what to do by control characters
import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { startOpenAIServer } from "../fixtures/openai_server.ts";
import { openHome, script } from "./cli_process.ts";
import { HAS_TERMINAL, openTerminal, screenOf } from "./terminal.ts";

Deno.test(
  "at a terminal a live line shows turn, time, tokens and the answer as it comes, and is gone at the end",
  {
    ignore: !HAS_TERMINAL,
  },
  async () => {
    const gate = Promise.withResolvers<void>();
    await using server = await startOpenAIServer({
      replies: [
        script("function run() { return 1; }"),
        {
          pieces: [
            chunk("Almost \x1b[2J"),
            () => gate.promise,
            chunk("done."),
            STOP,
            "data: [DONE]\n\n",
          ],
        },
      ],
    });
    await using home = await openHome(server.baseUrl);
    await using terminal = openTerminal(home, ["--session", "s", "go"]);
    await terminal.until(/\r\x1b\[2Kturn 2 · [\d.]+ m?s · 10 \+ 5 tokens · Almost \\x1b\[2J/);
    gate.resolve();
    strictEqual(await terminal.ended(), 0);
    const screen = screenOf(terminal.shown);
    match(screen[0] ?? "", /^turn 1 {2}script of 1 line: ok, /);
    match(screen[1] ?? "", /^turn 2 {2}answer$/);
    match(screen[2] ?? "", /^completed in .*, session s$/);
    deepStrictEqual(screen.slice(3), ["Almost \\x1b[2Jdone.", ""]);
    strictEqual(terminal.shown.replaceAll("\x1b[2K", "").includes("\x1b"), false);
  },
);

Deno.test("a terminal that can do nothing gets no live line, and NO_COLOR no colors", {
  ignore: !HAS_TERMINAL,
}, async () => {
  await using server = await startOpenAIServer({ otherwise: "hi" });
  await using home = await openHome(server.baseUrl);
  await using dumb = openTerminal(home, ["go"], { TERM: "dumb" });
  strictEqual(await dumb.ended(), 0);
  strictEqual(dumb.shown.includes("\x1b"), false);
  await using colored = openTerminal(home, ["go"], { NO_COLOR: "" });
  strictEqual(await colored.ended(), 0);
  match(colored.shown, /\x1b\[2mcompleted/);
  await using plain = openTerminal(home, ["--no-color", "go"], { NO_COLOR: "" });
  strictEqual(await plain.ended(), 0);
  strictEqual(/\x1b\[\d*m/.test(plain.shown), false);
});

const STOP = `data: ${
  JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })
}\n\n`;

function chunk(content: string): string {
  return `data: ${
    JSON.stringify({ model: "test-model", choices: [{ index: 0, delta: { content } }] })
  }\n\n`;
}
