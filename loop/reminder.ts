/**
 * What a model is told whose reply was neither a script nor an answer: what was missing, and what to send instead. One or two sentences,
 * since small models read no more.
 */
import type { Reply } from "./reply.ts";
import type { WrongForm } from "./wrong_form.ts";

/** The replies that are answered with a reminder. */
export type UnusableReply = Extract<
  Reply,
  { readonly kind: "cut" | "missing_run" | "wrong_form" | "unfinished_reasoning" }
>;

/** What a model that writes scripts is told at its last turn. */
export const LAST_SCRIPT =
  "[This is the last turn: nothing that a script returns can be told to you any more. Answer now from what you have, in prose or with answer(...), and say what is missing.]";

const SEND_BLOCK = "Send one ```javascript block that defines function run(args).";

/** The reminder for a reply. */
export function writeReminder(reply: UnusableReply): string {
  switch (reply.kind) {
    case "cut":
      return reply.at === "length"
        ? "Your reply hit the output limit and was cut off, so nothing was run. Take a smaller step: send a shorter block, or a shorter answer."
        : "Your code block was not closed, so nothing was run. Send the whole block again and end it with ``` on a line of its own.";
    case "missing_run":
      return "Nothing was run: the block does not define run. Put the code into function run(args) { … } in one ```javascript block.";
    case "wrong_form":
      return `Nothing was run: ${WRONG_FORM[reply.form]} ${SEND_BLOCK}`;
    case "unfinished_reasoning":
      return `Your reply ended before your reasoning did, so there was nothing to run and no answer. Reason briefly. ${SEND_BLOCK}`;
  }
}

const WRONG_FORM: { readonly [form in WrongForm]: string } = {
  language: "only blocks marked javascript are.",
  bare_code: "the code stood outside a block.",
  tool_call: "there are no tool calls here; call functions from JavaScript.",
  elided: "that line only stands for an older script.",
};
