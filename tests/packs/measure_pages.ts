/** Prints the table of docs/verified.md: the pages of the tests with their sizes, and what their conversion takes. */
import { createConverter } from "../../sandbox/packs/converter/converter.ts";
import { readPackagePages } from "./package_pages.ts";

const ROUNDS = 5;

async function main(): Promise<void> {
  await using converter = createConverter({ timeoutMs: 60_000 });
  const { signal } = new AbortController();
  const run = converter.forRun(signal);
  const convert = (text: string): Promise<string> =>
    run.convert({
      name: { call: "htmlToMarkdown", input: "the HTML" },
      task: { type: "html" },
      text,
    }, signal);
  const pages = await readPackagePages();
  const start = performance.now();
  await convert("<p>the start of the process");
  console.log(`start of the process and the first conversion: ${since(start)} ms\n`);
  console.log(
    "| page | HTML, KiB | Markdown, KiB | first, ms | again, ms |\n|---|--:|--:|--:|--:|",
  );
  for (const { name, html } of pages) {
    const times: number[] = [];
    let markdown = "";
    for (let round = 0; round < ROUNDS; round++) {
      const start = performance.now();
      markdown = await convert(html);
      times.push(since(start));
    }
    const [first] = times;
    const median = times.toSorted((a, b) => a - b)[ROUNDS >> 1];
    console.log(`| ${name} | ${kib(html)} | ${kib(markdown)} | ${first} | ${median} |`);
  }
}

function since(start: number): number {
  return Math.round(performance.now() - start);
}

function kib(text: string): string {
  return (new TextEncoder().encode(text).length / 1024).toFixed(1);
}

if (import.meta.main) await main();
