import assert from "node:assert/strict";
import { chunkOf, deltaChunk, sseEvent, wireCall } from "../tests/fixtures/openai_server.ts";
import { ByteSource } from "./byte_source.ts";
import { ReplyBuilder } from "./reply.ts";
import { readReply } from "./reply_reader.ts";

const LONG = "x".repeat(1024 * 1024);

/** A body that never ends, and how many of its pieces were asked for. */
function endless(piece: (index: number) => string) {
  const encoder = new TextEncoder();
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(encoder.encode(piece(sent++))),
  });
  return { body, sent: () => sent };
}

/** One event with this many calls, each with an id of its own. */
function manyCalls(index: number, count: number): string {
  const calls = Array.from({ length: count }, (_, at) => ({
    index: index * count + at,
    ...wireCall({ id: `c${index}-${at}`, name: "f", args: "{}" }),
  }));
  return sseEvent(deltaChunk({ tool_calls: calls }));
}

const ENDLESS: Readonly<Record<string, (index: number) => string>> = {
  "one event": (index) => index === 0 ? `data: ${LONG}` : LONG,
  "text": () => sseEvent(chunkOf(LONG)),
  "text of the old form": () => sseEvent({ choices: [{ index: 0, text: LONG }] }),
  "reasoning": () => sseEvent(deltaChunk({ reasoning_content: LONG })),
  "arguments of one call": (index) =>
    sseEvent(
      deltaChunk({
        tool_calls: [{
          index: 0,
          ...(index === 0 ? wireCall({ id: "a", name: "f", args: LONG }) : {
            function: { arguments: LONG },
          }),
        }],
      }),
    ),
  "the name of a call": (index) =>
    sseEvent(
      deltaChunk({ tool_calls: [{ index: 0, function: { name: `${index}${LONG}` } }] }),
    ),
  "arguments of the old form": () =>
    sseEvent(deltaChunk({ function_call: { name: "f", arguments: LONG } })),
  "calls": (index) => manyCalls(index, 1),
  "calls in one event": (index) => manyCalls(index, 200_000),
  "JSON": (index) => index === 0 ? `{"a":"${LONG}` : LONG,
};

for (const [what, piece] of Object.entries(ENDLESS)) {
  Deno.test(`a reply that does not end is given up while it still fits into memory: ${what}`, async () => {
    const { body, sent } = endless(piece);
    let heard = 0;
    const builder = new ReplyBuilder((text) => void (heard += text.length));
    await using bytes = new ByteSource(body);
    const failure = await readReply(bytes, { builder, idleTimeoutMs: 60_000 });
    assert.match(failure?.reason ?? "", /the reply is endless/);
    assert.equal(failure?.retryable, false);
    assert.ok(heard <= 64 * LONG.length, String(heard));
    assert.ok(sent() < 10_000, String(sent()));
  });
}

Deno.test("the longest reply that is taken is taken whole", async () => {
  const whole = Array.from({ length: 64 }, () => sseEvent(chunkOf(LONG)));
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const next = whole.shift();
      if (next !== undefined) return controller.enqueue(new TextEncoder().encode(next));
      controller.enqueue(new TextEncoder().encode(sseEvent(chunkOf(null, "stop"))));
      controller.close();
    },
  });
  const builder = new ReplyBuilder();
  await using bytes = new ByteSource(body);
  assert.equal(await readReply(bytes, { builder, idleTimeoutMs: 60_000 }), undefined);
  assert.equal(builder.finish("m").text.length, 64 * LONG.length);
});
