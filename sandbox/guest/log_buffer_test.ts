import assert from "node:assert/strict";
import { createLogBuffer } from "./log_buffer.ts";

const MARKER = /^\[log truncated: (\d+) lines?, (\d+) bytes left out\]$/;

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** A source of numbers that is the same in every run. */
function createRandom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function fill(maxBytes: number, lines: readonly string[]): string {
  const log = createLogBuffer(maxBytes);
  for (const line of lines) log.add(line);
  return log.text();
}

Deno.test("what fits is kept as it is, to the last byte", () => {
  const lines = ["one", "", "drei €", "🎉"];
  const bytes = lines.reduce((sum, line) => sum + byteLength(line) + 1, 0);
  assert.equal(fill(bytes, lines), lines.join("\n"));
  assert.equal(fill(-1, lines), lines.join("\n"));
  assert.equal(createLogBuffer(100).text(), "");
  assert.equal(fill(100, [""]), "");
});

Deno.test("of short lines whole ones are kept at both ends, and what is left out is counted", () => {
  for (let seed = 1; seed <= 200; seed++) {
    const random = createRandom(seed);
    const maxBytes = 40 + random(300);
    const lines = Array.from({ length: random(200) }, (_, i) => `${i}:${"ab€"[random(3)]}`);
    const shown = fill(maxBytes, lines).split("\n");
    const at = shown.findIndex((line) => MARKER.test(line));
    if (at < 0) {
      assert.deepEqual(shown, lines.length === 0 ? [""] : lines, `seed ${seed}`);
      continue;
    }
    const [head, tail] = [shown.slice(0, at), shown.slice(at + 1)];
    const middle = lines.slice(head.length, lines.length - tail.length);
    assert.deepEqual(head, lines.slice(0, head.length), `seed ${seed}`);
    assert.deepEqual(tail, lines.slice(lines.length - tail.length), `seed ${seed}`);
    const [, count, bytes] = MARKER.exec(shown[at]!)!;
    assert.equal(Number(count), middle.length, `seed ${seed}`);
    assert.equal(
      Number(bytes),
      middle.reduce((sum, line) => sum + byteLength(line) + 1, 0),
      `seed ${seed}`,
    );
    const kept = [...head, ...tail].reduce((sum, line) => sum + byteLength(line) + 1, 0);
    assert.ok(kept <= maxBytes, `seed ${seed}: ${kept} of ${maxBytes} bytes`);
    assert.ok(head.length > 0 && tail.length > 0, `seed ${seed}`);
  }
});

Deno.test("of lines of every length nothing but the middle is left out, between characters", () => {
  for (let seed = 1; seed <= 300; seed++) {
    const random = createRandom(seed);
    const maxBytes = random(400);
    const lines = Array.from(
      { length: 1 + random(12) },
      () =>
        Array.from({ length: random(200) }, () => "aé€🎉"[Symbol.iterator]().toArray()[random(4)])
          .join(""),
    );
    const text = fill(maxBytes, lines);
    assert.ok(text.isWellFormed(), `seed ${seed}`);
    assert.doesNotMatch(text, /\ufffd/, `seed ${seed}`);
    const marker = text.split("\n").find((line) => MARKER.test(line));
    if (marker === undefined) {
      assert.equal(text, lines.join("\n"), `seed ${seed}`);
      continue;
    }
    assert.ok(
      byteLength(text) <= maxBytes + marker.length + 2,
      `seed ${seed}: ${byteLength(text)} of ${maxBytes} bytes`,
    );
    const whole = lines.join("\n");
    const [head, tail] = text.split(marker) as [string, string];
    assert.ok(whole.startsWith(head.replace(/\n$/, "")), `seed ${seed}`);
    assert.ok(whole.endsWith(tail.replace(/^\n/, "")), `seed ${seed}`);
    const count = Number(MARKER.exec(marker)![1]);
    assert.ok(
      count >= 1 && count <= lines.length,
      `seed ${seed}: ${count} of ${lines.length} lines`,
    );
  }
});

Deno.test("a line that is cut is one line left out, in part", () => {
  const text = fill(20, ["abcdefghijklmnopqrstuvwxyz"]);
  assert.equal(text, "abcdefghi\n[log truncated: 1 lines, 8 bytes left out]\nrstuvwxyz");
});

Deno.test("with no room nothing is kept and all is counted", () => {
  assert.equal(
    fill(0, Array(3000).fill("0123456789")),
    "[log truncated: 3000 lines, 33000 bytes left out]",
  );
});

Deno.test("a million lines take no more memory than what is kept", () => {
  const log = createLogBuffer(1000);
  for (let i = 0; i < 1_000_000; i++) log.add("line");
  assert.ok(log.text().length < 1100);
});
