import assert from "node:assert/strict";
import type { Message } from "./model.ts";
import { assertToolOrder } from "./tool_order.ts";

const USER: Message = { role: "user", content: "go" };

function calls(...ids: readonly string[]): Message {
  const toolCalls = ids.map((id) => ({ id, name: "f", argumentsJson: "{}" }));
  return { role: "assistant", content: "", toolCalls };
}

function result(toolCallId: string): Message {
  return { role: "tool", content: "x", toolCallId };
}

Deno.test("results may stand behind their calls in any order, and an id may come again later", () => {
  assertToolOrder([]);
  assertToolOrder([USER, { role: "assistant", content: "x", toolCalls: [] }, USER]);
  assertToolOrder([USER, calls("a", "b"), result("b"), result("a"), calls("a"), result("a"), USER]);
});

Deno.test("a conversation in which calls and results do not meet is refused, with the place", () => {
  const broken: [Message[], RegExp][] = [
    [[USER, calls("a", "b"), result("a")], /messages\[3\] must be the result of "b"/],
    [[calls("a"), USER, result("a")], /messages\[1\] stands where the results of "a"/],
    [[calls("a"), calls("b"), result("b")], /messages\[1\] stands where the results of "a"/],
    [[USER, result("a")], /messages\[1\] answers "a", which is no open call/],
    [[calls("a"), result("a"), result("a")], /messages\[2\] answers "a", which is no open call/],
    [[calls("a"), result("a"), USER, result("a")], /messages\[3\] answers "a"/],
    [[calls("a"), { role: "tool", content: "" }], /messages\[1\] answers no call/],
    [[calls("a", "a"), result("a")], /messages\[0\] makes two calls of the same id/],
    [[calls(""), result("")], /messages\[0\] makes a call without an id/],
    [[calls(undefined as unknown as string), USER], /messages\[0\] makes a call without an id/],
    [[{ ...calls("a"), role: "user" }, result("a")], /messages\[0\] makes calls .* "user"/],
    [[{ ...USER, toolCallId: "a" }], /messages\[0\] is no tool message/],
  ];
  for (const [messages, problem] of broken) {
    assert.throws(() => assertToolOrder(messages), (error) => {
      assert.ok(error instanceof TypeError);
      assert.match(error.message, problem);
      return true;
    });
  }
});
