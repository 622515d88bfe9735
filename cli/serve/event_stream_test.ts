import { deepStrictEqual, match, rejects, strictEqual } from "node:assert/strict";
import { openEventStream, type StreamedLine } from "./event_stream.ts";

const chunk = (content: string): StreamedLine => ({ type: "response_chunk", content });
const response = (content: string): StreamedLine => ({ type: "response", content });

async function textOf(body: ReadableStream<Uint8Array>): Promise<string> {
  return (await Array.fromAsync(body.pipeThrough(new TextDecoderStream()))).join("");
}

Deno.test("event stream: each object is an event, line feeds in it are none of the stream's", async () => {
  const stream = openEventStream();
  stream.send(chunk("a\n\nevent: result\ndata: {}\r\n"));
  stream.send({ type: "result", text: "b" });
  stream.end();
  stream.send(chunk("too late"));
  strictEqual(
    await textOf(stream.body),
    'event: response_chunk\ndata: {"type":"response_chunk","content":"a\\n\\nevent: result\\ndata: {}\\r\\n"}\n\n' +
      'event: result\ndata: {"type":"result","text":"b"}\n\n',
  );
  strictEqual(stream.gone.aborted, false);
});

Deno.test("event stream: where nobody reads, pieces of the answer are left out and the answer is not", async () => {
  const stream = openEventStream({ tightBytes: 200 });
  const piece = "x".repeat(60);
  for (let count = 0; count < 1000; count++) stream.send(chunk(piece));
  stream.send(response(piece.repeat(1000)));
  stream.end();
  const text = await textOf(stream.body);
  strictEqual(text.match(/^event: response_chunk$/gm)?.length, 2);
  strictEqual(text.match(/^event: response$/gm)?.length, 1);
});

Deno.test("event stream: a client for which too much waits is gone", async () => {
  const stream = openEventStream({ maxBytes: 1000 });
  // However large, one event is sent where nothing else waits.
  stream.send(response("x".repeat(5000)));
  strictEqual(stream.gone.aborted, false);
  stream.send(response("y"));
  strictEqual(stream.gone.aborted, true);
  match(String(stream.gone.reason), /reads too slowly/);
  await rejects(textOf(stream.body), /reads too slowly/);
});

Deno.test("event stream: a client that stops reading is gone after a while", async () => {
  const stream = openEventStream({ stallMs: 20 });
  const gone = new Promise((resolve) => stream.gone.addEventListener("abort", resolve));
  stream.send(response("x"));
  stream.end();
  await gone;
  match(String(stream.gone.reason), /reads nothing/);
});

Deno.test("event stream: comments keep it alive while nothing happens", async () => {
  const stream = openEventStream({ heartbeatMs: 10 });
  const reader = stream.body.getReader();
  const decoder = new TextDecoder();
  const parts: string[] = [];
  for (let count = 0; count < 2; count++) parts.push(decoder.decode((await reader.read()).value));
  deepStrictEqual(parts, [":\n\n", ":\n\n"]);
  await reader.cancel();
  match(String(stream.gone.reason), /went away/);
  stream.send(response("nobody gets it"));
});
