import { deepEqual, equal, ok } from "node:assert/strict";
import { HeadAndTail } from "../../../ext/exec/output_capture.ts";
import { makeWorkspace } from "./workspace.ts";

const LEFT_OUT = /\n\[\.\.\. (\d+) bytes left out \.\.\.\]\n/;

Deno.test("exec: the result has both outputs, the code, and nothing else to say", async () => {
  await using workspace = await makeWorkspace();
  deepEqual(await workspace.exec([["sh", "-c", "echo out; echo err >&2; exit 3"]]), {
    stdout: "out\n",
    stderr: "err\n",
    code: 3,
    signal: null,
    timedOut: false,
    truncated: false,
  });
});

Deno.test("exec: a signal that ends the command is named", async () => {
  await using workspace = await makeWorkspace();
  const { code, signal, timedOut } = await workspace.exec([["sh", "-c", "kill -s USR1 $$"]]);
  deepEqual([code, signal, timedOut], [138, "SIGUSR1", false]);
});

Deno.test("EXE-03 exec: more than a pipe holds on both outputs arrives", async () => {
  await using workspace = await makeWorkspace();
  const command =
    "head -c 300000 /dev/zero | tr '\\0' x; head -c 300000 /dev/zero | tr '\\0' y 1>&2";
  const whole = await workspace.exec([["sh", "-c", command]], { maxOutputBytes: 400_000 });
  equal(whole.stdout, "x".repeat(300_000));
  equal(whole.stderr, "y".repeat(300_000));
  equal(whole.truncated, false);
  const cut = await workspace.exec([["sh", "-c", command]]);
  for (const text of [cut.stdout, cut.stderr]) {
    equal(Number(LEFT_OUT.exec(text)?.[1]), 300_000 - 65_536);
    equal(text.replace(LEFT_OUT, "").length, 65_536);
  }
  equal(cut.truncated, true);
});

Deno.test("EXE-04 exec: output without end is bounded in memory and ended by the time", async () => {
  await using workspace = await makeWorkspace();
  const before = Deno.memoryUsage().rss;
  const { stdout, truncated, timedOut, signal } = await workspace.exec(
    [["yes", "0123456789"], { timeoutMs: 2000 }],
    { maxOutputBytes: 10_000 },
  );
  const leftOut = Number(LEFT_OUT.exec(stdout)?.[1]);
  ok(leftOut > 1_000_000, `${leftOut} bytes left out`);
  equal(stdout.replace(LEFT_OUT, "").length, 10_000);
  deepEqual([truncated, timedOut, signal], [true, true, "SIGTERM"]);
  const grown = Deno.memoryUsage().rss - before;

  ok(grown < 80_000_000, `grew by ${grown} bytes`);
});

Deno.test("exec: 50 MB on each output at once, with 10 MB of input, does not get stuck", async () => {
  await using workspace = await makeWorkspace();
  const { stdout, stderr, code } = await workspace.exec([
    [
      "sh",
      "-c",
      "head -c 50000000 /dev/zero | tr '\\0' e >&2 & head -c 50000000 /dev/zero | tr '\\0' o; wait; wc -c",
    ],
    { stdin: "i".repeat(10_000_000) },
  ]);
  equal(code, 0);
  equal(Number(stdout.trim().split("\n").at(-1)!.slice(-8)), 10_000_000);
  equal(Number(LEFT_OUT.exec(stderr)?.[1]), 50_000_000 - 65_536);
  equal(Number(LEFT_OUT.exec(stdout)?.[1]) > 50_000_000 - 65_536, true);
});

Deno.test("exec: a command that echoes its input while it comes does not get stuck", async () => {
  await using workspace = await makeWorkspace();
  const stdin = "äöü€𝄞\n".repeat(500_000);
  const { stdout } = await workspace.exec([["cat"], { stdin }], { maxOutputBytes: 20_000_000 });
  equal(stdout === stdin, true);
});

Deno.test("EXE-07 exec: a command that does not read its input, or stops, does no harm", async () => {
  await using workspace = await makeWorkspace();
  const stdin = "x".repeat(8_000_000);
  const ignoring = await workspace.exec([["true"], { stdin }]);
  deepEqual([ignoring.code, ignoring.stdout], [0, ""]);
  const stopping = await workspace.exec([["head", "-c", "1"], { stdin }]);
  deepEqual([stopping.code, stopping.stdout], [0, "x"]);
  const closing = await workspace.exec([["sh", "-c", "exec 0<&-; sleep 0.2; echo on"], { stdin }]);
  deepEqual([closing.code, closing.stdout], [0, "on\n"]);
});

Deno.test("exec: without an input the command reads its end, and so it does after an empty one", async () => {
  await using workspace = await makeWorkspace();
  equal((await workspace.exec([["cat"]])).stdout, "");
  equal((await workspace.exec([["cat"], { stdin: "" }])).stdout, "");
});

Deno.test("exec: characters at the cuts are left out whole", async () => {
  await using workspace = await makeWorkspace();
  for (let maxOutputBytes = 20; maxOutputBytes < 32; maxOutputBytes++) {
    for (const character of ["ä", "€", "𝄞"]) {
      const stdin = character.repeat(100);
      const { stdout } = await workspace.exec([["cat"], { stdin }], { maxOutputBytes });
      const kept = stdout.replace(LEFT_OUT, "");
      equal(kept, character.repeat([...kept].length), `${maxOutputBytes} of ${character}`);
      const bytes = new TextEncoder().encode(kept).length;
      equal(bytes <= maxOutputBytes, true);
      equal(bytes + Number(LEFT_OUT.exec(stdout)?.[1]), new TextEncoder().encode(stdin).length);
    }
  }
});

Deno.test("exec: bytes that are no text become U+FFFD", async () => {
  await using workspace = await makeWorkspace();
  const { stdout } = await workspace.exec([["printf", "a\\377b"]]);
  equal(stdout, "a\ufffdb");
});

Deno.test("exec: what is kept does not depend on the pieces that it came in", () => {
  const all = Uint8Array.from({ length: 500 }, (_, index) => 97 + index % 26);
  for (const maxBytes of [1, 2, 7, 50, 499, 500, 501]) {
    const whole = new HeadAndTail(maxBytes);
    whole.add(all);
    for (const size of [1, 3, 10, 64, 499]) {
      const pieces = new HeadAndTail(maxBytes);
      for (let at = 0; at < all.length; at += size) pieces.add(all.subarray(at, at + size));
      deepEqual(pieces.read(), whole.read(), `${maxBytes} bytes in pieces of ${size}`);
    }
    equal(whole.read().truncated, maxBytes < 500);
    const text = new TextDecoder().decode(all);
    const [head, tail] = whole.read().text.split(/\n\[.*\]\n/);
    equal(text.startsWith(head!), true);
    equal(text.endsWith(tail ?? head!), true);
  }
});
