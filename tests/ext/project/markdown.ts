/** For the tests of project instructions: documents, and Markdown of any size. */
import { byteLength } from "../../../ext/project/clean_text.ts";
import type { ProjectDocument } from "../../../ext/project/mod.ts";

/** A document with a text. */
export function documentOf(text: string, name: string = "AGENTS.md"): ProjectDocument {
  return { name, text, bytes: byteLength(text) };
}

/** Numbers below a bound, the same ones for the same seed. */
export function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % below;
  };
}

/** Instructions as people write them, of about this many bytes: headings, paragraphs, lists, code, a table. */
export function longMarkdown(bytes: number, seed: number = 1): string {
  const random = randomNumbers(seed);
  const words = "the tests run before a change lands and every file has one idea café naïve".split(
    " ",
  );
  const sentence = (length: number) =>
    Array.from({ length }, () => words[random(words.length)]).join(" ") + ".";
  const blocks: (() => string)[] = [
    () => `${"#".repeat(1 + random(4))} Part ${random(100)} of it`,
    () => `Title ${random(100)}\n${random(2) === 0 ? "=====" : "---"}`,
    () => sentence(10 + random(60)),
    () => `${sentence(9)}\n${sentence(9)}\n${sentence(9)}`,
    () => Array.from({ length: 1 + random(8) }, () => `- ${sentence(6)}`).join("\n"),
    () => `1. ${sentence(4)}\n\n   \`\`\`sh\n   make test\n\n   # no heading\n   \`\`\`\n2. Done.`,
    () =>
      `\`\`\`ts\nconst a = 1;\n\n# ${sentence(3)}\n~~~\n\n${"code();\n".repeat(random(20))}\`\`\``,
    () => `~~~~\n\`\`\`\n\n~~~\n~~~~`,
    () => `| a | b |\n| - | - |\n| 1 | ${sentence(3)} |`,
    () => `> ${sentence(8)}`,
  ];
  const text: string[] = [];
  for (let length = 0; length < bytes;) {
    const block = blocks[random(blocks.length)]?.() ?? "";
    text.push(block);
    length += byteLength(block) + 2;
  }
  return text.join("\n\n");
}
