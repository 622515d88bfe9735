/** Collects the log of one execution under a byte cap: head and tail are kept, the middle is counted. */

const encoder = new TextEncoder();

/** A log with a cap. */
export interface LogBuffer {
  /** Adds one line. */
  add(line: string): void;
  /** The text so far, with one marker where something was left out. */
  text(): string;
}

/** Makes a log that keeps at most `maxBytes` of UTF-8, the marker not counted; below zero there is no cap. */
export function createLogBuffer(maxBytes: number): LogBuffer {
  if (maxBytes < 0) return unbounded();
  const headBytes = Math.ceil(maxBytes / 2);
  const head: string[] = [];
  let headLeft = headBytes;
  let headOpen = true;
  const tail: { line: string; bytes: number; counted: boolean }[] = [];
  let tailBytes = 0;
  let first = 0;
  let droppedLines = 0;
  let droppedBytes = 0;

  /** What the head does not use is the tail's. */
  const tailRoom = (): number => maxBytes - headBytes + headLeft;

  /** `counted`: a part of the line was left out already. */
  function addToTail(line: string, bytes: number, counted: boolean): void {
    tail.push({ line, bytes, counted });
    tailBytes += bytes;
    while (tailBytes > tailRoom() && first < tail.length) {
      const oldest = tail[first++]!;
      tailBytes -= oldest.bytes;
      if (!oldest.counted) droppedLines++;
      droppedBytes += oldest.bytes;
    }
    if (first > 1000) {
      tail.splice(0, first);
      first = 0;
    }
  }

  return {
    add(line) {
      const bytes = encoder.encode(line).length + 1;
      if (headOpen && bytes <= headLeft) {
        head.push(line);
        headLeft -= bytes;
        return;
      }
      headOpen = false;
      const room = tailRoom();
      if (bytes <= room) return addToTail(line, bytes, false);
      // A line that fits nowhere whole: its own beginning fills the head, where nothing came after it, its own end the tail.
      const beginning = droppedLines === 0 && tail.length === first ? headLeft : 0;
      const ending = beginning > 0 ? maxBytes - headBytes : room;
      const [start, end] = cutMiddle(line, Math.max(0, beginning - 1), Math.max(0, ending - 1));
      if (start !== "") {
        head.push(start);
        headLeft = 0;
      }
      const endBytes = encoder.encode(end).length + 1;
      droppedBytes += Math.max(0, bytes - endBytes - encoder.encode(start).length);
      droppedLines++;
      addToTail(end, endBytes, true);
    },
    text() {
      const lines = [...head];
      if (droppedLines > 0) {
        lines.push(`[log truncated: ${droppedLines} lines, ${droppedBytes} bytes left out]`);
      }
      for (let i = first; i < tail.length; i++) lines.push(tail[i]!.line);
      return lines.join("\n");
    },
  };
}

function unbounded(): LogBuffer {
  const lines: string[] = [];
  return { add: (line) => void lines.push(line), text: () => lines.join("\n") };
}

/** The first `headBytes` and the last `tailBytes` of a text, cut between code points. */
function cutMiddle(text: string, headBytes: number, tailBytes: number): [string, string] {
  const bytes = encoder.encode(text);
  let from = Math.min(headBytes, bytes.length);
  while (from > 0 && isContinuation(bytes[from])) from--;
  let to = Math.max(from, bytes.length - tailBytes);
  while (to < bytes.length && isContinuation(bytes[to])) to++;
  const decoder = new TextDecoder();
  return [decoder.decode(bytes.subarray(0, from)), decoder.decode(bytes.subarray(to))];
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
