import assert from "node:assert/strict";
import { type ServerSentEvent, ServerSentEventReader } from "./sse.ts";

function readAll(pieces: readonly string[]): ServerSentEvent[] {
  const reader = new ServerSentEventReader();
  return [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()];
}

const STREAM = ": hello\n\nid: 1\ndata: one\n\nevent: named\ndata:two\ndata:  lines\n\ndata\n\n" +
  "event: keepalive\n\nretry: 5\nunknown: x\ndata: é😀\n\n";
const EVENTS = [
  { name: "", data: "one" },
  { name: "named", data: "two\n lines" },
  { name: "", data: "é😀" },
];

Deno.test("ServerSentEventReader gives the same events however the text is cut", () => {
  for (const lineEnd of ["\n", "\r\n", "\r"]) {
    const stream = STREAM.replaceAll("\n", lineEnd);
    assert.deepEqual(readAll([stream]), EVENTS);
    assert.deepEqual(readAll([...stream]), EVENTS, "one character at a time");
    for (let at = 0; at <= stream.length; at++) {
      assert.deepEqual(readAll([stream.slice(0, at), stream.slice(at)]), EVENTS, `cut at ${at}`);
    }
  }
});

Deno.test("ServerSentEventReader gives an event at once, before the next text comes", () => {
  for (const end of ["\n\n", "\r\n\r\n", "\r\r"]) {
    assert.equal(new ServerSentEventReader().push(`data: x${end}`).length, 1);
  }
});

Deno.test("SSE-04 comments, nameless pings and empty data are no events", () => {
  const stream =
    ": ping\n\n: OPENROUTER PROCESSING\n\nevent: keepalive\n\ndata:\n\ndata: [DONE]\n\n";
  assert.deepEqual(readAll([stream]), [{ name: "", data: "[DONE]" }]);
});

Deno.test("SSE-11 the last event counts without a blank line or a line end behind it", () => {
  for (const end of ["", "\n", "\r", "\r\n"]) {
    assert.deepEqual(readAll([`data: a\n\ndata: b${end}`]).map((event) => event.data), ["a", "b"]);
  }
});

Deno.test("ServerSentEventReader tells how much of an unfinished event it holds", () => {
  const reader = new ServerSentEventReader();
  reader.push("data: 12345\nda");
  assert.equal(reader.heldLength, 7);
  reader.push("ta: 6\n\n");
  assert.equal(reader.heldLength, 0);
});
