/** The transcript shows each thing once; the table counts. */
import assert from "node:assert/strict";
import type { Message } from "../../contracts/model.ts";
import type { Attempt } from "./attempt.ts";
import type { RecordedCall } from "./recording_client.ts";
import { writeTable, writeTranscript } from "./report.ts";
import type { Task } from "./task.ts";

const TASK: Task = { name: "sum", message: "Add 1 and 2.", check: () => undefined };

Deno.test("a transcript shows the system prompt once and every reply with what led to it", () => {
  const system: Message = { role: "system", content: "PROMPT" };
  const user: Message = { role: "user", content: "Add 1 and 2." };
  const transcript = writeTranscript(attempt({
    calls: [
      call([system, user], "first reply"),
      call(
        [system, user, { role: "assistant", content: "elided" }, { role: "user", content: "seen" }],
        "3",
      ),
    ],
  }));
  assert.equal(transcript.split("PROMPT").length, 2);
  assert.equal(transcript.split("Add 1 and 2.").length, 2);
  assert.ok(!transcript.includes("elided"));
  assert.match(
    transcript,
    /first reply[^]*## user\n\nseen[^]*## reply 2 \(10 \+ 5 tokens, stop\)\n\n3/,
  );
});

Deno.test("a table has a row for each task and counts tasks and attempts", () => {
  const other: Task = { ...TASK, name: "other" };
  const table = writeTable([
    attempt({ calls: [call([], "3")] }),
    attempt({ problem: "lacks 3 | 4" }),
    attempt({ task: other, problem: "no" }),
  ]);
  assert.match(table, /\| sum \| 1 of 2 \| 1, 0 \| 20 \+ 10 \| 4 \| lacks 3 \\\| 4 \|/);
  assert.match(table, /1 of 2 tasks solved at least once, 1 of 3 attempts\./);
  assert.match(table, /The requests had 100 bytes\./);
});

function attempt(fields: Partial<Attempt>): Attempt {
  return {
    task: TASK,
    seed: 1,
    finalText: "3",
    systemPrompt: "PROMPT",
    calls: [],
    tokens: { prompt: 10, completion: 5 },
    seconds: 2,
    ...fields,
  };
}

function call(messages: readonly Message[], text: string): RecordedCall {
  return {
    messages,
    requestBytes: 100,
    completion: {
      text,
      finishReason: "stop",
      usage: { prompt: 10, completion: 5 },
      model: "m",
    },
  };
}
