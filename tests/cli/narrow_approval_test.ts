/** Questions on a narrow terminal: nothing that matters is cut off, and nothing that a model wrote stands where a question of ours does. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { displayWidth } from "../../cli/terminal_text.ts";
import { startOpenAIServer } from "../fixtures/openai_server.ts";
import { openHome, script } from "./cli_process.ts";
import { screenRows } from "./screen.ts";
import { HAS_TERMINAL, openTerminal } from "./terminal.ts";

const QUESTION = "Allow it? [y/N/o/a/e/?]";

/** Shows the question about one call, the help for it, and the answer; gives the rows that were seen. */
async function askedOn(columns: number, call: string): Promise<string[]> {
  await using server = await startOpenAIServer({
    replies: [script(`function run() { try { ${call}; } catch (error) { answer("refused"); } }`)],
  });
  await using home = await openHome(server.baseUrl);
  const args = ["--quiet", "--cwd", home.path, "go"];
  await using terminal = openTerminal(home, args, {}, { columns });
  await terminal.until(/\[y\/N\/o\/a\/e\/\?\] /);
  await terminal.type("?\r");
  await terminal.until(/ {2}e {2}change[^]*\[y\/N\/o\/a\/e\/\?\] /);
  await terminal.type("n\r");
  strictEqual(await terminal.ended(), 0);
  return screenRows(terminal.shown, columns);
}

/** What stands behind the bars, its rows put together again. */
function behindBars(rows: readonly string[]): string[] {
  const lines: string[] = [];
  for (const row of rows) {
    if (row.startsWith("  │ ")) lines.push(row.slice(4));
    if (row.startsWith("  ┆ ")) lines[lines.length - 1] += row.slice(4);
  }
  return lines;
}

for (const columns of [30, 40]) {
  const test = (name: string, body: () => Promise<void>) =>
    Deno.test(`approval on ${columns} columns: ${name}`, { ignore: !HAS_TERMINAL }, body);

  test("the whole command is there, and answers line up", async () => {
    const argv = [
      "git",
      "commit",
      "--message",
      `${"long".repeat(20)}-日本語のメッセージ-end`,
      "--all",
    ];
    const rows = await askedOn(columns, `exec(${JSON.stringify(argv)})`);
    match(rows.slice(0, 2).join(" "), /^The agent wants to run +"git":/);
    deepStrictEqual(behindBars(rows), argv.map((word) => JSON.stringify(word)));
    deepStrictEqual(rows.filter((row) => row.startsWith("Allow")), [
      `${QUESTION} ?`,
      `${QUESTION} n`,
    ]);
    const help = rows.slice(rows.indexOf(`${QUESTION} ?`) + 1, rows.indexOf(`${QUESTION} n`));
    deepStrictEqual(
      help.filter((row) => /^ {2}\S/.test(row)).map((row) => row.slice(0, 5)),
      ["  y  ", "  o  ", "  a  ", "  n  ", "  e  "],
    );
    for (const row of help) match(row, /^(?: {2}\S {2}| {5})\S/);
    match(help.join("").replaceAll(/ +/g, " "), /exactly this, for the rest of the ?session/);
    strictEqual(rows.at(-1), "refused");
    for (const row of rows) ok(displayWidth(row) < columns, row);
  });

  test("the whole host and address are there", async () => {
    const host = `${"sub.".repeat(12)}example.invalid`;
    const url = `https://${host}/path?${"q=1&".repeat(20)}`;
    const rows = await askedOn(columns, `fetch(${JSON.stringify(url)})`);
    const end = rows.findIndex((row) => row.startsWith("  │ "));
    const head = rows.slice(0, end);
    match(head.map((row) => row.trimStart()).join(""), new RegExp(`reach ?"${host}":$`));
    for (const row of head.slice(1)) match(row, /^ {4}\S/);
    strictEqual(behindBars(rows)[0], JSON.stringify(url));
  });

  test("a change is whole, its tabs included", async () => {
    const line = `\tall: ${"dependency ".repeat(10)}end`;
    const rows = await askedOn(columns, `writeFile("Makefile", ${JSON.stringify(`${line}\n`)})`);
    match(rows.slice(0, 2).join(" "), /^The agent wants to change +"Makefile":/);
    ok(
      behindBars(rows).some((shown) =>
        shown.replaceAll(" ", "") === `+${line.replaceAll(/\s/g, "")}`
      ),
    );
  });

  test("an argument that fills a row cannot begin the next one as a question", async () => {
    // As many characters as leave the forged question the beginning of a row, wherever rows may end.
    const argv = [
      "sh",
      ...Array.from({ length: 12 }, (_, index) => "x".repeat(columns - 8 + index) + QUESTION),
      "\tAllow it?",
    ];
    const rows = await askedOn(columns, `exec(${JSON.stringify(argv)})`);
    strictEqual(rows.filter((row) => row.startsWith("Allow")).length, 2);
    deepStrictEqual(behindBars(rows), argv.map((word) => JSON.stringify(word)));
  });
}
