/**
 * The conversation as a model sees it, made of steps. A run adds its own steps to it in the same way in which the next run adds them from
 * the store, so both send the same bytes and a provider's prefix cache goes on hitting. Only the newest script stays verbatim: when one is
 * added, the one before becomes a short line, and stays that line.
 */
import type { Message } from "../contracts/model.ts";
import { type NewRunStep, STEP_TYPE_SUMMARY } from "../contracts/step.ts";
import { elideScript } from "./elide.ts";

/** What the loop says in the user's place where a run broke off. Part of stored conversations' prompts: a change moves their prefix. */
const NO_RESULT = "[The run ended before this script's result was kept.]";
const NO_ANSWER = "[The run ended without an answer.]";

/** The conversation of one run. */
export class Conversation {
  #messages: Message[] = [];
  /** The script that still stands verbatim, and where. */
  #script: { readonly at: number; readonly source: string } | undefined;
  /** What the conversation waits for: nothing, an answer, or the result of a script. */
  #open: "none" | "answer" | "result" = "none";

  /** Adds a step; kinds that are not replayed (errors) leave the conversation as it is. */
  add(step: Pick<NewRunStep, "stepType" | "content">): void {
    switch (step.stepType) {
      case "user":
        return this.addUser(step.content);
      case "execute_js":
        this.#settleScript();
        this.#addScript(step.content);
        this.#open = "result";
        return;
      case "execute_js_result":
        this.#push("user", step.content);
        this.#open = "answer";
        return;
      case "response":
        this.#settleScript();
        this.#push("assistant", step.content);
        this.#open = "none";
        return;
      case STEP_TYPE_SUMMARY:
        this.#push("user", `[Summary of the conversation so far]\n${step.content}`);
        return;
      case "error":
        return;
    }
  }

  /**
   * Adds what the user says.
   *
   * @param appendix stands behind the message in this run only; the next run adds the message without it
   */
  addUser(message: string, appendix = ""): void {
    this.#settleScript();
    if (this.#open === "answer") this.#push("user", NO_ANSWER);
    this.#push("user", appendix === "" ? message : `${message}\n\n${appendix}`);
    this.#open = "answer";
  }

  /** The messages, oldest first. `unsettled` follow them in this request only. */
  messages(unsettled: readonly Message[] = []): Message[] {
    const messages = [...this.#messages];
    for (const message of unsettled) push(messages, message);
    return messages;
  }

  /** Says in the place of a result that there is none. */
  #settleScript(): void {
    if (this.#open !== "result") return;
    this.#push("user", NO_RESULT);
    this.#open = "answer";
  }

  #addScript(source: string): void {
    const old = this.#script;
    if (old !== undefined) {
      this.#messages[old.at] = { role: "assistant", content: elideScript(old.source) };
    }
    this.#script = { at: this.#messages.length, source };
    // Never merged with what stands before it, or its place could not be found again.
    this.#messages.push({ role: "assistant", content: fenced(source).toWellFormed() });
  }

  #push(role: Message["role"], content: string): void {
    push(this.#messages, { role, content: content.toWellFormed() });
  }
}

/** Adds a message; one that follows another of the same role is joined to it, since many chat templates demand that roles alternate. */
function push(messages: Message[], message: Message): void {
  const last = messages.at(-1);
  if (last?.role !== message.role) return void messages.push(message);
  messages[messages.length - 1] = {
    role: message.role,
    content: `${last.content}\n\n${message.content}`,
  };
}

/** A script as the block that the model sent: in a fence longer than any that it holds. */
function fenced(source: string): string {
  let longest = 2;
  for (const [marks] of source.matchAll(/^ {0,3}`{3,}/gm)) {
    longest = Math.max(longest, marks.trimStart().length);
  }
  const fence = "`".repeat(longest + 1);
  return `${fence}javascript\n${source}\n${fence}`;
}
