import { deepEqual, equal } from "node:assert/strict";
import { interpretReply, type Reply } from "./reply.ts";

const RUN = "function run(args) { return 1; }";

function block(source: string, info = "javascript", fence = "```"): string {
  return `${fence}${info}\n${source}\n${fence}`;
}

function read(text: string): Reply {
  return interpretReply(text, "stop");
}

function code(source: string, ignoredBlocks = 0): Reply {
  return { kind: "code", source, ignoredBlocks };
}

Deno.test("EXT-01: the marked block that defines run is the script, a quoted fence before it is not", () => {
  const quoted = "Plan: the broken config looked like\n```\nretries = = 3\n```\nso I will count.\n";
  deepEqual(
    read(quoted + block("function run(args) { return 7; }")),
    code("function run(args) { return 7; }"),
  );
});

Deno.test("EXT-01: an unmarked fence that defines run gives way to a marked one, and counts without one", () => {
  const draft = block("function run() { return 0; }", "");
  deepEqual(read(`${draft}\n${block(RUN, "js")}`), code(RUN, 1));
  deepEqual(read(`${draft}\n${block("const x = 1;")}`), code("function run() { return 0; }", 1));
  deepEqual(read(draft), code("function run() { return 0; }"));
});

Deno.test("EXT-04: the first of several blocks runs, the others are counted", () => {
  const second = "function run() { return 2; }";
  deepEqual(read(`First:\n${block(RUN)}\nThen:\n${block(second)}`), code(RUN, 1));
  deepEqual(read(`${block("const a = 1;")}\n${block(RUN)}\n${block(second, "")}`), code(RUN, 2));
  deepEqual(read(`${block("x", "text")}\n${block(RUN)}\n${block("y", "json")}`), code(RUN));
});

Deno.test("EXT-05: a draft inside reasoning is not run, the text after it is the answer", () => {
  const draft = `<think>maybe\n${block("function run(){ return removeAll(); }")}\nno.</think>\n`;
  deepEqual(read(`${draft}The total is 4.`), { kind: "final", text: "The total is 4." });
  deepEqual(read(draft + block(RUN)), code(RUN));
});

Deno.test("EXT-05: reasoning that is not ended gives neither a script nor an answer", () => {
  const cut = `<think>try\n${block("function run(){ return removeAll(); }")}`;
  deepEqual(read(cut), { kind: "unfinished_reasoning" });
  deepEqual(read(`The total is 4.\n<reasoning>or`), { kind: "unfinished_reasoning" });
});

Deno.test("EXT-05: a draft before a lone closing tag is not run", () => {
  deepEqual(read(`${block("function run(){ return removeAll(); }")}\n</think>\n4`), {
    kind: "final",
    text: "4",
  });
});

const SOURCE = "function run(){ return 1; }";
const SHAPES: { readonly [name: string]: string } = {
  "a longer fence": block(SOURCE, "javascript", "````"),
  "tildes": block(SOURCE, "js", "~~~"),
  "indentation": `  \`\`\`javascript\n  ${SOURCE}\n  \`\`\``,
  "an upper-case language": block(SOURCE, "JavaScript"),
  "words after the language": block(SOURCE, 'javascript title="step 1"'),
  "CRLF": block(SOURCE).replaceAll("\n", "\r\n") + "\r\n",
  "spaces after the closing fence": `${block(SOURCE)}  `,
  "no line end after the closing fence": `x\n${block(SOURCE)}`,
  "white space before the language": block(SOURCE, "  js"),
  "blank lines in the block": block(`\n\n${SOURCE}\n\n`),
};
for (const [name, text] of Object.entries(SHAPES)) {
  Deno.test(`EXT-06: a fence with ${name} is a block`, () => {
    deepEqual(read(text), code(SOURCE));
  });
}

Deno.test("EXT-06: four backticks are not closed by three, nor tildes by backticks", () => {
  const inner = `${SOURCE}\nconst s = \`\n\`\`\`\n\`;`;
  deepEqual(read(block(inner, "js", "````")), code(inner));
  deepEqual(read(block(inner, "js", "~~~")), code(inner));
  deepEqual(read(`~~~js\n${SOURCE}\n\`\`\``), { kind: "cut", at: "fence" });
});

Deno.test("EXT-07: a DONE in a sentence ends nothing, and a block beats it", () => {
  const source = 'function run(){ return "copy next"; }';
  deepEqual(read(`Two files remain, so I am not replying DONE\n${block(source)}`), code(source));
  deepEqual(read(`I will write DONE once tests pass.\n${block(source)}`), code(source));
  deepEqual(read(`DONE\n${block(source)}\nDONE`), code(source));
  deepEqual(read("I am not replying DONE"), { kind: "final", text: "I am not replying DONE" });
});

Deno.test("reply: after DONE the text that follows is the answer, before it when nothing follows", () => {
  deepEqual(read("checking\n  DONE  \nThe total is 4.\n"), {
    kind: "done",
    text: "The total is 4.",
  });
  deepEqual(read("The total is 4.\r\nDONE\r\n"), { kind: "done", text: "The total is 4." });
  deepEqual(read("DONE"), { kind: "done", text: "" });
});

Deno.test("EXT-12: a reply at the output limit is cut, whatever it holds", () => {
  const cut =
    '```javascript\nfunction run(){\n  writeFile("guide.md", "# Guide");\n  writeFile("gu';
  for (const text of [cut, `${block(RUN)}\nand then`, block(RUN), "The total is", "", "<think>a"]) {
    deepEqual(interpretReply(text, "length"), { kind: "cut", at: "length" }, text);
  }
});

Deno.test("EXT-12: a block without its closing fence is cut, an earlier closed one still runs", () => {
  deepEqual(read(`\`\`\`js\n${RUN}`), { kind: "cut", at: "fence" });
  deepEqual(read(`Look:\n\`\`\`\nabc`), { kind: "cut", at: "fence" });
  deepEqual(read(`${block(RUN)}\nOutput:\n\`\`\`\n1`), code(RUN));
});

Deno.test("reply: a marked block that defines no run is said to miss it", () => {
  for (
    const source of [
      "answer(4)",
      "// function run() {}",
      "const s = 'function run() {}';",
      "class A { run() {} }",
    ]
  ) {
    deepEqual(read(`Here:\n${block(source)}`), { kind: "missing_run" }, source);
  }
  deepEqual(read(`${block("answer(4)")}\nDONE\n4`), { kind: "missing_run" });
});

Deno.test("reply: prose is the answer, with the fences of other languages that it quotes", () => {
  const answer = "Use this:\n\n```python\nprint(1)\n```\n\nand `function run()` is its name.";
  deepEqual(read(`\n${answer}\n `), { kind: "final", text: answer });
});

Deno.test("reply: nothing beside reasoning is empty, unless a tool was called natively", () => {
  for (const text of ["", " \n\t", "<think>x</think>\n"]) {
    equal(read(text).kind, "empty");
    deepEqual(interpretReply(text, "tool_calls"), { kind: "wrong_form", form: "tool_call" });
  }
});
