import { equal, match, ok } from "node:assert/strict";
import { composeSystemPrompt, textEmissionSystemPrompt } from "./prompt.ts";
import { extractJsBlock } from "./extract.ts";
import { utf8Bytes } from "./utf8.ts";

Deno.test("prompt: the protocol takes at most 2 KB", () => {
  ok(utf8Bytes(textEmissionSystemPrompt()) <= 2048, `${utf8Bytes(textEmissionSystemPrompt())}`);
});

Deno.test("prompt: protocol, persona, sandbox API, context, in this order", () => {
  equal(
    composeSystemPrompt("You are Ada.", "declare function now(): string;", "Project: x"),
    `${textEmissionSystemPrompt()}\n\nYou are Ada.\n\n## Sandbox API\n\ndeclare function now(): string;\n\nProject: x`,
  );
});

Deno.test("prompt: empty parts leave nothing behind", () => {
  equal(composeSystemPrompt("", ""), textEmissionSystemPrompt());
  equal(composeSystemPrompt(" ", "\n", " "), textEmissionSystemPrompt());
  equal(composeSystemPrompt("", "", "c"), `${textEmissionSystemPrompt()}\n\nc`);
});

Deno.test("prompt: its example is a script that the loop would run", () => {
  match(extractJsBlock(textEmissionSystemPrompt()), /function run\(args\)/);
});
