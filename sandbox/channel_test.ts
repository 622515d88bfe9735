import assert from "node:assert/strict";
import {
  bodyText,
  createFrameReader,
  encodeFrame,
  type Frame,
  type GuestMessage,
  type HostMessage,
} from "./channel.ts";

/** A source of numbers that is the same in every run. */
function createRandom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const TEXTS = ["", "{}", '"é€🎉\\u0000"', "x".repeat(300), "[1,2,3]", '"\u2028\ufeff"'];

function makeFrames(random: (below: number) => number, count: number): [GuestMessage, string][] {
  return Array.from({ length: count }, (_, i) => {
    const body = TEXTS[random(TEXTS.length)]!.repeat(random(4));
    const message: GuestMessage = random(2) === 0
      ? { type: "call", id: i, sequence: random(1000), name: "a é🎉\u0000" }
      : { type: "answer", id: i };
    return [message, body];
  });
}

function join(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

function collect(pieces: Iterable<Uint8Array>): [GuestMessage, string][] {
  const reader = createFrameReader<GuestMessage>(() => 1_000_000);
  const read: [GuestMessage, string][] = [];
  for (const piece of pieces) {
    reader.push(piece, ({ message, body }) => read.push([message, bodyText(body)]));
  }
  return read;
}

Deno.test("frames are read alike however a pipe splits them", () => {
  for (let seed = 1; seed <= 300; seed++) {
    const random = createRandom(seed);
    const frames = makeFrames(random, 1 + random(12));
    const bytes = join(frames.map(([message, body]) => encodeFrame(message, body)));
    const pieces: Uint8Array[] = [];
    const longest = 1 + random(random(3) === 0 ? 5 : 500);
    for (let at = 0; at < bytes.length;) {
      const end = Math.min(bytes.length, at + random(longest + 1));
      pieces.push(bytes.slice(at, end));
      at = end;
    }
    assert.deepEqual(collect(pieces), frames, `seed ${seed}`);
  }
});

Deno.test("frames are read byte by byte and all at once", () => {
  const frames = makeFrames(createRandom(7), 20);
  const bytes = join(frames.map(([message, body]) => encodeFrame(message, body)));
  assert.deepEqual(collect([bytes]), frames);
  assert.deepEqual(collect(Array.from(bytes, (byte) => Uint8Array.of(byte))), frames);
});

Deno.test("a piece may be used again once it was pushed", () => {
  const frames = makeFrames(createRandom(3), 10);
  const bytes = join(frames.map(([message, body]) => encodeFrame(message, body)));
  const reader = createFrameReader<GuestMessage>(() => 1_000_000);
  const read: unknown[] = [];
  const piece = new Uint8Array(13);
  for (let at = 0; at < bytes.length; at += piece.length) {
    const part = bytes.subarray(at, at + piece.length);
    piece.set(part);
    reader.push(
      piece.subarray(0, part.length),
      ({ message, body }) => read.push([message, bodyText(body)]),
    );
    piece.fill(0xff);
  }
  assert.deepEqual(read, frames);
});

Deno.test("a frame without a body has an empty one", () => {
  const message: HostMessage = { type: "cancel", id: 1 };
  const read: Frame<HostMessage>[] = [];
  createFrameReader<HostMessage>(() => 1000).push(
    encodeFrame(message),
    (frame) => read.push(frame),
  );
  assert.equal(read.length, 1);
  assert.deepEqual(read[0]!.message, message);
  assert.equal(read[0]!.body.length, 0);
});

Deno.test("a frame of the bound passes, one byte more is refused before its body came", () => {
  const frame = encodeFrame({ type: "answer", id: 1 }, "12345");
  let read = 0;
  createFrameReader<GuestMessage>(() => frame.length).push(frame, () => read++);
  assert.equal(read, 1);
  const narrow = createFrameReader<GuestMessage>(() => frame.length - 1);
  assert.throws(() => narrow.push(frame.subarray(0, 8), () => read++), RangeError);
  assert.equal(read, 1);
});

Deno.test("lengths of more than a gigabyte are refused and allocate nothing", () => {
  for (const at of [0, 4]) {
    const lengths = new Uint8Array(8);
    new DataView(lengths.buffer).setUint32(at, 0xffff_ffff, true);
    const reader = createFrameReader<GuestMessage>(() => 1_000_000);
    assert.throws(() => reader.push(lengths, () => {}), RangeError);
  }
});

Deno.test("a head that is no JSON is an error", () => {
  const frame = encodeFrame({ type: "ready" });
  frame[8] = 0x5d;
  assert.throws(
    () => createFrameReader<GuestMessage>(() => 1000).push(frame, () => {}),
    SyntaxError,
  );
});

Deno.test("the bound is asked for each frame: it may grow while the pipe is open", () => {
  let bound = 100;
  const reader = createFrameReader<GuestMessage>(() => bound);
  const bodies: number[] = [];
  const take = ({ body }: Frame<GuestMessage>): void => void bodies.push(body.length);
  reader.push(encodeFrame({ type: "answer", id: 1 }, "x"), take);
  bound = 100_000;
  reader.push(encodeFrame({ type: "answer", id: 1 }, "x".repeat(50_000)), take);
  assert.deepEqual(bodies, [1, 50_000]);
});
