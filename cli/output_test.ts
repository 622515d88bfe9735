import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { CliError } from "./failure.ts";
import { openOutput, type OutputStream, ReaderGone } from "./output.ts";

/** A stream that takes at most `chunk` bytes at once, waits for `gate`, and fails with `error` if there is one. */
function recorded(
  { chunk = Infinity, gate, error, terminal = false }: {
    chunk?: number;
    gate?: Promise<void>;
    error?: Error;
    terminal?: boolean;
  } = {},
) {
  const decoder = new TextDecoder();
  let written = "";
  function take(bytes: Uint8Array): number {
    if (error !== undefined) throw error;
    const part = bytes.subarray(0, Math.min(chunk, bytes.length));
    written += decoder.decode(part, { stream: true });
    return part.length;
  }
  const stream: OutputStream = {
    async write(bytes) {
      await gate;
      return take(bytes);
    },
    writeSync: take,
    isTerminal: () => terminal,
  };
  return { stream, written: () => written };
}

Deno.test("text and lines are for one mode each", async () => {
  const plain = recorded();
  const text = openOutput(plain.stream, false);
  text.text("a\n");
  text.line({ type: "x" });
  await text.flush();
  strictEqual(plain.written(), "a\n");

  const json = recorded();
  const lines = openOutput(json.stream, true);
  lines.text("a\n");
  lines.line({ type: "x" });
  await lines.flush();
  strictEqual(json.written(), '{"type":"x"}\n');
});

Deno.test("what a stream takes in pieces arrives whole and in order", async () => {
  const { stream, written } = recorded({ chunk: 3 });
  const output = openOutput(stream, false);
  output.text("første ");
  output.text("日本\n");
  await output.flush();
  strictEqual(written(), "første 日本\n");
});

Deno.test("control characters are escaped at a terminal and nowhere else", async () => {
  for (const terminal of [true, false]) {
    const { stream, written } = recorded({ terminal });
    const output = openOutput(stream, false);
    output.text("\x1b[2J");
    await output.flush();
    strictEqual(written(), terminal ? "\\x1b[2J" : "\x1b[2J");
  }
});

Deno.test("lines hold nothing at a terminal that it would obey or hide, and are the same objects", async () => {
  const value = { type: "x", "k\x7f": "\x9b2J \u202e \u200b \u{e0041} 日本 🎉" };
  for (const terminal of [true, false]) {
    for (const last of [true, false]) {
      const { stream, written } = recorded({ terminal });
      const output = openOutput(stream, true);
      if (last) output.lastLine(value);
      else output.line(value);
      await output.flush();
      strictEqual(/[\x7f-\x9f]|\p{Cf}/u.test(written()), !terminal);
      deepStrictEqual(JSON.parse(written()), value);
    }
  }
});

Deno.test("a reader that pauses holds nobody up, and the last line waits for no one", async () => {
  const gate = Promise.withResolvers<void>();
  const { stream, written } = recorded({ gate: gate.promise });
  const output = openOutput(stream, true);
  output.line({ n: 1 });
  output.line({ n: 2 });
  output.lastLine({ n: 3 });
  strictEqual(written(), "");
  gate.resolve();
  await output.flush();
  output.lastLine({ n: 4 });
  strictEqual(written(), '{"n":1}\n{"n":2}\n{"n":4}\n');
});

Deno.test("a reader that went away and a full disk are told apart", async () => {
  const reasons = [];
  for (const error of [new Deno.errors.BrokenPipe("gone"), new Error("No space left")]) {
    const output = openOutput(recorded({ error }).stream, false);
    output.text("a");
    await output.flush();
    ok(output.closed.aborted);
    output.text("b");
    await output.flush();
    reasons.push(output.closed.reason);
  }
  deepStrictEqual(reasons.map((reason) => reason instanceof ReaderGone), [true, false]);
  deepStrictEqual(reasons.map((reason) => reason instanceof CliError), [false, true]);
});
