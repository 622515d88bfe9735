// deno-lint-ignore-file no-control-regex -- a terminal is told what to do by control characters
/** Answers at a terminal are rendered for its width; everywhere else they are what the model wrote, byte for byte. */
import { deepStrictEqual, doesNotMatch, match, strictEqual } from "node:assert/strict";
import { startOpenAIServer } from "../fixtures/openai_server.ts";
import { openHome } from "./cli_process.ts";
import { screenRows } from "./screen.ts";
import { HAS_TERMINAL, openTerminal } from "./terminal.ts";

const ANSWER = `# Result

The **sum** is \`42\`, as [the manual](https://example.com/sum) says in so many words.

- [x] read
- [ ] written
  1. first of a list that is long enough to be broken

> quoted

\`\`\`sh
make test --with --many --options --so --that --no --line --could --hold --it --all
\`\`\`

| name | value |
|------|------:|
| 日本 | 1 |
| \u001b[2Jevil &#8238;[1m \u202e | 20 |
`;

const AT_40 = [
  "# Result",
  "",
  "The **sum** is `42`, as the manual",
  "(https://example.com/sum) says in so",
  "many words.",
  "",
  "• [x] read",
  "• [ ] written",
  "  1. first of a list that is long",
  "     enough to be broken",
  "",
  "│ quoted",
  "",
  "  make test --with --many --options --so",
  " --that --no --line --could --hold --it",
  "--all",
  "",
  "name                         │ value",
  "─────────────────────────────┼──────",
  "日本                         │     1",
  "\\x1b[2Jevil \\u202e[1m \\u202e │    20",
];

async function answerRows(
  args: readonly string[],
  { columns, env = {} }: { readonly columns: number; readonly env?: Record<string, string> },
): Promise<{ readonly rows: string[]; readonly shown: string }> {
  await using server = await startOpenAIServer({ replies: [ANSWER] });
  await using home = await openHome(server.baseUrl);
  await using terminal = openTerminal(home, [...args, "--quiet", "go"], env, { columns });
  strictEqual(await terminal.ended(), 0);
  return { rows: screenRows(terminal.shown, columns), shown: terminal.shown };
}

Deno.test(
  "an answer is rendered for 40 columns and for 80, without styles where there are no colors",
  {
    ignore: !HAS_TERMINAL,
  },
  async () => {
    const narrow = await answerRows([], { columns: 40 });
    deepStrictEqual(narrow.rows, AT_40);
    doesNotMatch(narrow.shown, /\x1b|\u202e/);
    const wide = await answerRows([], { columns: 80 });
    deepStrictEqual(wide.rows.slice(2, 4), [
      "The **sum** is `42`, as the manual (https://example.com/sum) says in so many",
      "words.",
    ]);
    match(wide.rows.join("\n"), /^ {4}make test --with --many/m);
  },
);

Deno.test("an answer has the terminal's styles where it has any, and nothing of the model's", {
  ignore: !HAS_TERMINAL,
}, async () => {
  const { rows, shown } = await answerRows([], { columns: 80, env: { NO_COLOR: "" } });
  strictEqual(rows[0], "Result");
  match(shown, /\x1b\[1;4mResult\x1b\[0m\r\n/);
  match(shown, /The \x1b\[1msum\x1b\[0m is \x1b\[36m42\x1b\[0m/);
  match(shown, /\x1b\[4mthe manual\x1b\[0m\x1b\[2m \(https:\/\/example\.com\/sum\)\x1b\[0m/);
  match(shown, /\\x1b\[2Jevil \\u202e\[1m \\u202e/);
  doesNotMatch(shown, /\x1b\[2J|\u202e/);
});

Deno.test("a terminal that can do nothing gets no escape sequence", {
  ignore: !HAS_TERMINAL,
}, async () => {
  const { shown } = await answerRows([], { columns: 40, env: { TERM: "dumb", NO_COLOR: "" } });
  doesNotMatch(shown, /\x1b/);
  match(shown, /^• \[x\] read\r$/m);
});

Deno.test("--raw shows an answer as it came, with control characters to be seen", {
  ignore: !HAS_TERMINAL,
}, async () => {
  const { shown } = await answerRows(["--raw"], { columns: 40, env: { NO_COLOR: "" } });
  const expected = ANSWER.trimEnd().replace("\u001b", "\\x1b").replace("\u202e", "\\u202e");
  strictEqual(shown.replaceAll("\r\n", "\n"), `${expected}\n`);
});

Deno.test("an answer in a pipe is what the model wrote, byte for byte", async () => {
  await using server = await startOpenAIServer({ otherwise: ANSWER });
  await using home = await openHome(server.baseUrl);
  strictEqual((await home.run(["-q", "go"])).stdout, `${ANSWER.trimEnd()}\n`);
  const { stdout } = await home.run(["chat", "-q"], { stdin: "go\n" });
  strictEqual(stdout, `${ANSWER.trimEnd()}\n`);
});

Deno.test("an answer that is shown live as it comes stands on the screen once", {
  ignore: !HAS_TERMINAL,
}, async () => {
  await using server = await startOpenAIServer({
    replies: [{ chunks: ["**All", " of", " it**", " is well."] }],
  });
  await using home = await openHome(server.baseUrl);
  await using terminal = openTerminal(home, ["--session", "s", "go"], { NO_COLOR: "" });
  strictEqual(await terminal.ended(), 0);
  const rows = screenRows(terminal.shown, 100);
  strictEqual(rows.filter((row) => row.includes("is well")).join("\n"), "All of it is well.");
});
