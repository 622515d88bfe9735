import { equal, ok } from "node:assert/strict";
import { randomText, seededRandom } from "./_random_text.ts";
import { AnswerStream } from "./answer_stream.ts";
import { definesRun, maskCode } from "./code_scan.ts";
import { extractDoneMarker, extractJsBlock } from "./extract.ts";
import { scanReply } from "./fences.ts";
import { interpretReply } from "./reply.ts";

const RUNS = 3000;

function forRandomTexts(seed: number, check: (text: string, random: () => number) => void): void {
  const random = seededRandom(seed);
  for (let run = 0; run < RUNS; run++) {
    const text = randomText(random);
    try {
      check(text, random);
    } catch (error) {
      throw new Error(`for ${JSON.stringify(text)}`, { cause: error });
    }
  }
}

Deno.test("reply property: any text is something, and what runs is in it and defines run", () => {
  const kinds = new Set<string>();
  forRandomTexts(1, (text) => {
    const reply = interpretReply(text, "stop", { functions: ["word"] });
    kinds.add(reply.kind);
    equal(extractJsBlock(text), reply.kind === "code" ? reply.source : "");
    if (reply.kind !== "code") return;
    ok(definesRun(reply.source));
    for (const line of reply.source.split("\n")) ok(text.includes(line.trim()));
  });
  // The texts are worth something only when they reach most of what there is.
  for (
    const kind of ["code", "final", "done", "cut", "missing_run", "unfinished_reasoning", "empty"]
  ) {
    ok(kinds.has(kind), kind);
  }
});

Deno.test("reply property: a reply at the output limit never runs", () => {
  forRandomTexts(2, (text) => equal(interpretReply(text, "length").kind, "cut"));
});

Deno.test("reply property: reasoning put before a reply changes nothing about it", () => {
  forRandomTexts(3, (text) => {
    // A closing tag in the text would void what stands before it in both, an open section swallows the rest.
    const inner = text.replaceAll("</", "<");
    const before = JSON.stringify(interpretReply(inner, "stop"));
    equal(JSON.stringify(interpretReply(`<think>${"```js\n"}</think>\n${inner}`, "stop")), before);
  });
});

Deno.test("reply property: the parts that are visible come from the text in their order", () => {
  forRandomTexts(4, (text) => {
    const { visible, prose } = scanReply(text);
    ok(isSubsequence(visible, text));
    ok(isSubsequence(prose, visible));
    equal(typeof extractDoneMarker(text).final, "string");
  });
});

Deno.test("reply property: a mask keeps length and line ends, and a second one changes nothing that is code", () => {
  forRandomTexts(5, (text) => {
    const mask = maskCode(text);
    equal(mask.length, text.length);
    equal(mask.replace(/[^\n\r]/g, ""), text.replace(/[^\n\r]/g, ""));
  });
});

Deno.test("reply property: streamed in any pieces, the pieces that stand make up the answer or are taken back", () => {
  forRandomTexts(6, (text, random) => {
    let shown = "";
    const stream = new AnswerStream({
      onChunk: (piece) => shown += piece,
      onDiscard: () => shown = "",
    });
    for (let at = 0; at < text.length;) {
      const size = 1 + Math.floor(random() * 8);
      stream.feed(text.slice(at, at + size));
      at += size;
    }
    const reply = interpretReply(text, "stop");
    const answer = reply.kind === "final" || reply.kind === "done" ? reply.text : undefined;
    stream.finish(answer);
    ok(shown === "" || shown === answer, `shown ${JSON.stringify(shown)}`);
  });
});

Deno.test("reply property: a megabyte of anything is read; in time that is not linear this would take hours", () => {
  const shapes = [
    ...'` < <think> </think> <think></think> [ function{run( {"name":'.replace("{", " ").split(" "),
    ...["```\n", "``` `` ` ", "<\n", " ", "\r", "answer(\n", "DONE\n", "~~~\n```\n"],
    ...["```js\n/[/=", "```js\nfunction run(){}\n```\n", "```js\n`${", '```js\n"\\', "```py\na ("],
  ];
  for (const shape of shapes) {
    const text = `${shape.repeat(2 ** 20 / shape.length)}\n\`\`\``;
    ok(interpretReply(text, "stop").kind);
    const stream = new AnswerStream({ onChunk: () => {}, onDiscard: () => {} });
    for (let at = 0; at < text.length; at += 1000) stream.feed(text.slice(at, at + 1000));
    stream.finish();
  }
});

function isSubsequence(part: string, whole: string): boolean {
  let at = 0;
  for (const character of whole) {
    if (at < part.length && part.startsWith(character, at)) at += character.length;
  }
  return at === part.length;
}
