import { deepEqual, equal } from "node:assert/strict";
import { ByteSource } from "./byte_source.ts";

/** A body of bytes that gives one part at each pull, and then ends, or is held open. */
function bodyOf(parts: readonly string[], end: "ends" | "stays open" = "ends") {
  const left = parts.map((part) => new TextEncoder().encode(part));
  return new ReadableStream({
    type: "bytes",
    pull(controller) {
      const part = left.shift();
      if (part !== undefined) controller.enqueue(part);
      else if (end === "ends") {
        controller.close();
        controller.byobRequest?.respond(0);
      }
      return end === "ends" || part !== undefined ? undefined : new Promise(() => {});
    },
  });
}

async function readAll(bytes: ByteSource): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const part = await bytes.next(1000);
    if (part.kind !== "bytes") return `${text}|${part.kind}`;
    text += decoder.decode(part.bytes, { stream: true });
  }
}

const LONG = "ä".repeat(100_000);

Deno.test("byte source: parts are given in their order, long ones and ones cut in a character too", async () => {
  for (let round = 0; round < 3; round++) {
    await using bytes = new ByteSource(bodyOf(["one ", LONG, "two"]));
    equal(await readAll(bytes), `one ${LONG}two|end`);
  }
});

Deno.test("byte source: bodies that are read at once keep to themselves", async () => {
  const texts = Array.from({ length: 5 }, (_, at) => String(at).repeat(70_000));
  const read = texts.map(async (text) => {
    await using bytes = new ByteSource(bodyOf([text, text]));
    return await readAll(bytes);
  });
  deepEqual(await Promise.all(read), texts.map((text) => `${text}${text}|end`));
});

Deno.test("byte source: a body that was given up in silence does not spoil the next", async () => {
  for (let round = 0; round < 2; round++) {
    await using silent = new ByteSource(bodyOf(["a"], "stays open"));
    equal((await silent.next(1000)).kind, "bytes");
    equal((await silent.next(5)).kind, "silence");
    await silent[Symbol.asyncDispose]();
    await using next = new ByteSource(bodyOf(["b"]));
    equal(await readAll(next), "b|end");
  }
});

Deno.test("byte source: a stream that is none of bytes, and no body at all, are read too", async () => {
  const plain = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode("plain"));
      controller.close();
    },
  });
  await using bytes = new ByteSource(plain);
  equal(await readAll(bytes), "plain|end");
  await using none = new ByteSource(null);
  equal(await readAll(none), "|end");
});

Deno.test("byte source: to ask again behind the end takes nothing from those that read then", async () => {
  for (let round = 0; round < 2; round++) {
    const ended = new ByteSource(bodyOf(["a"]));
    equal(await readAll(ended), "a|end");
    const first = new ByteSource(bodyOf(["b"]));
    equal((await ended.next(1000)).kind, "end");
    const second = new ByteSource(bodyOf(["c"]));
    deepEqual(await Promise.all([first, second].map(readAll)), ["b|end", "c|end"]);
  }
});

Deno.test("byte source: a stream of bytes that closes without an answer to who waits has ended", async () => {
  const closing = new ReadableStream({
    type: "bytes",
    async start(controller) {
      for (const part of ["a", "b"]) {
        await new Promise((resolve) => setTimeout(resolve, 1));
        controller.enqueue(new TextEncoder().encode(part));
      }
      await new Promise((resolve) => setTimeout(resolve, 1));
      controller.close();
    },
  });
  await using bytes = new ByteSource(closing);
  equal(await readAll(bytes), "ab|end");
});

Deno.test("byte source: a response without a body at all, as made-up ones have none, is empty", async () => {
  const { body } = {} as Response;
  await using bytes = new ByteSource(body);
  equal(await readAll(bytes), "|end");
});

Deno.test("byte source: what is no part at all breaks the body, with nothing left to reject later", async () => {
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(null as unknown as Uint8Array),
  });
  await using bytes = new ByteSource(body);
  equal((await bytes.next(1000)).kind, "broken");
});

Deno.test("byte source: to ask again while a read is under way breaks the body and never rejects", async () => {
  await using bytes = new ByteSource(bodyOf([], "stays open"));
  equal((await bytes.next(5)).kind, "silence");
  equal((await bytes.next(1000)).kind, "broken");
});
