/** What is kept of a body while it is read. */
import { equal } from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import { readBody } from "./read_body.ts";

/** An answer in pieces of one byte, which lie in the same buffer one after the other. */
function answerInPieces(bytes: Uint8Array): IncomingMessage {
  const answer = Object.assign(new PassThrough({ objectMode: true }), { headers: {} });
  const buffer = new Uint8Array(1);
  const send = (at: number): void => {
    if (at === bytes.length) return void answer.end();
    buffer[0] = bytes[at]!;
    answer.write(buffer, () => setImmediate(send, at + 1));
  };
  send(0);
  return answer as unknown as IncomingMessage;
}

Deno.test("body: of a piece only its bytes are kept, not what they lie in", async () => {
  const bytes = new TextEncoder().encode("one byte at a time");
  const read = await readBody(answerInPieces(bytes), { maxBytes: 100 });
  equal(new TextDecoder().decode(read), "one byte at a time");
});
