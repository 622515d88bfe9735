// deno-lint-ignore-file no-control-regex -- a terminal is told what to do by control characters
import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { terminalLines } from "./terminal_lines.ts";

/** A keyboard that sends what it is given, and a display that keeps what is written to it. */
function openDesk() {
  const modes: string[] = [];
  let send: (text: string) => void = () => {};
  let end = () => {};
  const readable = new ReadableStream<Uint8Array>({
    start(controller) {
      send = (text) => controller.enqueue(new TextEncoder().encode(text));
      end = () => controller.close();
    },
  });
  let written = "";
  const keyboard = {
    readable,
    setRaw(raw: boolean, options?: { cbreak: boolean }) {
      modes.push(options?.cbreak ? "cbreak" : raw ? "raw" : "cooked");
    },
  };
  const display = {
    write: (text: string) => void (written += text),
    size: () => ({ columns: 40, rows: 10 }),
  };
  return {
    lines: terminalLines(keyboard, display),
    send,
    end,
    modes,
    get written() {
      return written;
    },
  };
}

const NEVER = new AbortController().signal;

Deno.test("the terminal is raw while a message is written and given back at the end", async () => {
  const desk = openDesk();
  {
    using lines = desk.lines;
    desk.send("hello\r");
    deepStrictEqual(await lines.read("> ", NEVER), { line: "hello" });
  }
  deepStrictEqual(desk.modes, ["raw", "cbreak", "cooked"]);
  match(desk.written, /^\x1b\[\?2004h[^]*> hello[^]*\r\n\x1b\[\?2004l$/);
});

Deno.test("what came behind a message waits for the next prompt", async () => {
  const desk = openDesk();
  using lines = desk.lines;
  desk.send("one\r\x1b[200~two\nthree\x1b[201~");
  deepStrictEqual(await lines.read("> ", NEVER), { line: "one" });
  desk.send("!\r");
  deepStrictEqual(await lines.read("> ", NEVER), { line: "two\nthree!" });
});

Deno.test("a paste that comes in pieces is one message, wherever a line ends", async () => {
  const desk = openDesk();
  using lines = desk.lines;
  const reading = lines.read("> ", NEVER);
  desk.send("one\ntwo\n");
  desk.send("three\r");
  deepStrictEqual(await reading, { line: "one\ntwo\nthree" });
});

Deno.test("up and down walk through what was sent before, and the draft is not lost", async () => {
  const desk = openDesk();
  using lines = desk.lines;
  for (const line of ["first", "second"]) {
    desk.send(`${line}\r`);
    await lines.read("> ", NEVER);
  }
  desk.send("draft\x1b[A\x1b[A\x1b[A\x1b[B\x1b[B\x1b[A\x1b[A!\r");
  deepStrictEqual(await lines.read("> ", NEVER), { line: "first!" });
  desk.send("\x10\x10\x0e\x0e\x0enew\r");
  deepStrictEqual(await lines.read("> ", NEVER), { line: "new" });
});

Deno.test("Ctrl-C empties the line first, Ctrl-D deletes first; then both end", async () => {
  const desk = openDesk();
  using lines = desk.lines;
  desk.send("half\x03\x03");
  strictEqual(await lines.read("> ", NEVER), "interrupt");
  desk.send("x\x1b[D\x04\x04");
  strictEqual(await lines.read("> ", NEVER), "end");
});

Deno.test("the signal and the end of input end the wait", async () => {
  const desk = openDesk();
  using lines = desk.lines;
  const controller = new AbortController();
  const reading = lines.read("> ", controller.signal);
  controller.abort();
  strictEqual(await reading, "interrupt");
  desk.end();
  strictEqual(await lines.read("> ", NEVER), "end");
});

Deno.test("a megabyte that is pasted is drawn once", async () => {
  const desk = openDesk();
  using lines = desk.lines;
  const text = "word ".repeat(200_000);
  desk.send(`\x1b[200~${text}\x1b[201~`);
  const reading = lines.read("> ", NEVER);
  desk.send("\r");
  deepStrictEqual(await reading, { line: text });
  strictEqual(desk.written.length < 5000, true, `${desk.written.length} characters were drawn`);
});
