/** Attempts as text: the transcript of one, and the table over all of them. Pure. */
import type { Completion, Message } from "../../contracts/model.ts";
import type { Attempt } from "./attempt.ts";

/** Everything that was said in an attempt, the system prompt once. */
export function writeTranscript(attempt: Attempt): string {
  const { task, seed, problem, finalText, systemPrompt, calls } = attempt;
  const parts = [
    `# ${task.name}, seed ${seed}: ${problem ?? "solved"}`,
    `## system\n\n${systemPrompt}`,
    ...calls.flatMap(({ messages, completion }, index) => [
      ...newMessages(messages).map((message) => `## ${message.role}\n\n${message.content}`),
      `## reply ${
        index + 1
      } (${completion.usage.prompt} + ${completion.usage.completion} tokens, ${completion.finishReason})\n\n${
        replyText(completion)
      }`,
    ]),
    `## final text\n\n${finalText}`,
  ];
  return `${parts.join("\n\n")}\n`;
}

/** A Markdown table with one row a task, and the counts that a report gives. */
export function writeTable(attempts: readonly Attempt[]): string {
  const tasks = [...new Set(attempts.map((attempt) => attempt.task))];
  const rows = tasks.map((task) => {
    const own = attempts.filter((attempt) => attempt.task === task);
    const cells = [
      task.name,
      `${solvedOf(own)} of ${own.length}`,
      own.map((attempt) => attempt.calls.length).join(", "),
      `${sum(own.map(({ tokens }) => tokens.prompt))} + ${
        sum(own.map(({ tokens }) => tokens.completion))
      }`,
      sum(own.map((attempt) => attempt.seconds)).toFixed(0),
      [...new Set(own.flatMap(({ problem }) => problem === undefined ? [] : [problem]))].join("; "),
    ];
    return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  });
  const once = tasks.filter((task) =>
    solvedOf(attempts.filter((attempt) => attempt.task === task)) > 0
  );
  return [
    "| task | solved | turns | tokens (prompt + reply) | seconds | what was wrong |",
    "| --- | --- | --- | --- | --- | --- |",
    ...rows,
    "",
    `${once.length} of ${tasks.length} tasks solved at least once, ${
      solvedOf(attempts)
    } of ${attempts.length} attempts.`,
    `The requests had ${
      sum(attempts.flatMap(({ calls }) => calls.map(({ requestBytes }) => requestBytes)))
    } bytes.`,
  ].join("\n");
}

function replyText({ text, toolCalls = [] }: Completion): string {
  const calls = toolCalls.map(({ name, argumentsJson }) => `call: ${name} ${argumentsJson}`);
  return [text, ...calls].filter((part) => part !== "").join("\n");
}

/** What was said since the model last replied. */
function newMessages(messages: readonly Message[]): readonly Message[] {
  const last = messages.findLastIndex((message) => message.role === "assistant");
  return messages.slice(last + 1).filter((message) => message.role !== "system");
}

function solvedOf(attempts: readonly Attempt[]): number {
  return attempts.filter((attempt) => attempt.problem === undefined).length;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
