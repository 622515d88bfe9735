import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { openStatus, type StatusOptions } from "./status.ts";

function recorded(options: StatusOptions = {}) {
  const writes: string[] = [];
  const stream = {
    writeSync(bytes: Uint8Array) {
      writes.push(new TextDecoder().decode(bytes));
      return bytes.length;
    },
  };
  return { writes, status: openStatus(stream, options) };
}

Deno.test("the live line is taken away before a line is printed, and drawn only where it is not", () => {
  const { writes, status } = recorded({ live: true });
  status.setLive("turn 1");
  status.setLive("turn 1");
  status.line("hello");
  status.line("again");
  status.setLive("turn 1");
  status.setLive();
  status.setLive();
  deepStrictEqual(writes, [
    "\r\x1b[2Kturn 1",
    "\r\x1b[2Khello\n",
    "again\n",
    "\r\x1b[2Kturn 1",
    "\r\x1b[2K",
  ]);
});

Deno.test("the live line never fills the last column", () => {
  const { writes, status } = recorded({ live: true, columns: () => 12 });
  status.setLive("0123456789abcdef");
  strictEqual(writes.at(-1), "\r\x1b[2K0123456789…");
});

Deno.test("nothing that was handed in reaches the terminal as a control character", () => {
  const { writes, status } = recorded({ live: true });
  status.line("a\x1b[2Jb");
  status.setLive("c\x1b]0;title\x07\nd");
  status.warning("e\x9bf");
  deepStrictEqual(writes, [
    "a\\x1b[2Jb\n",
    "\r\x1b[2Kc\\x1b]0;title\\x07 d",
    "\r\x1b[2Kwarning: e\\x9bf\n",
  ]);
});

Deno.test("quiet keeps warnings and errors only", () => {
  const { writes, status } = recorded({ level: "quiet", live: true });
  status.line("line");
  status.detail("detail");
  status.setLive("live");
  status.warning("careful");
  status.error("broken");
  deepStrictEqual(writes, ["warning: careful\n", "broken\n"]);
});

Deno.test("colors surround each line and only where they are wanted", () => {
  const { writes, status } = recorded({ color: true });
  status.line("a\n\nb", "error");
  deepStrictEqual(writes, ["\x1b[31ma\x1b[0m\n\n\x1b[31mb\x1b[0m\n"]);
});

Deno.test("a stream that nobody reads is no failure", () => {
  const status = openStatus({
    writeSync() {
      throw new Deno.errors.BrokenPipe("gone");
    },
  });
  status.line("hello");
});
