/** A guest program that was broken: by its first argument it says what no honest guest says. It serves one script. */
import { createFrameReader, type HostMessage } from "../../../sandbox/channel.ts";

/** The act after which it neither speaks nor ends. */
export const FALLS_SILENT = "falls silent";

/** What it does once a script has arrived. `id` is the script's. */
const ACTS: Readonly<Record<string, (id: number) => void>> = {
  "sleeps on nonsense": (id) => frame({ type: "call", id, sequence: 0, name: "sleep" }, "nonsense"),
  "sleeps on an object": (id) => frame({ type: "call", id, sequence: 0, name: "sleep" }, "{}"),
  "calls with nonsense": (id) => frame({ type: "call", id, sequence: 0, name: "echo" }, "{{{"),
  "calls with no arguments": (id) =>
    frame({ type: "call", id, sequence: 0, name: "echo" }, '"text"'),
  "calls without a name": (id) => frame({ type: "call", id, sequence: 0 }, "[]"),
  "calls by a number": (id) => frame({ type: "call", id, sequence: 0, name: 5 }, "[]"),
  "calls by a name of a megabyte": (id) =>
    frame({ type: "call", id, sequence: 0, name: "x".repeat(1_000_000) }, "[]"),
  "calls in no order": (id) => frame({ type: "call", id, sequence: { a: 1 }, name: "echo" }, "[]"),
  "calls too often": (id) => {
    for (let i = 0; i < 2000; i++) frame({ type: "call", id, sequence: i, name: "echo" }, "[]");
  },
  "calls with too much": (id) =>
    frame({ type: "call", id, sequence: 0, name: "echo" }, `["${"x".repeat(2_000_000)}"]`),
  "says nothing readable": () => raw("{"),
  "says null": () => raw("null"),
  "says a number": () => raw("5"),
  "says an unknown word": (id) => frame({ type: "obey", id }),
  "names a script that is not there": () => {
    frame({ type: "done", id: 999, hasValue: false, execution: {} });
    frame({ type: "call", id: 999, sequence: 0, name: "echo" }, "[]");
    frame({ type: "stuck", id: 999 });
    Deno.exit(0);
  },
  "answers with nonsense": (id) => frame({ type: "answer", id }, "{"),
  "answers with too much": (id) => frame({ type: "answer", id }, `"${"x".repeat(8_400_000)}"`),
  "ends without an outcome": (id) => frame({ type: "done", id, hasValue: false }),
  "ends with null": (id) => frame({ type: "done", id, hasValue: false, execution: null }),
  "ends with numbers for texts": (id) => done(id, { logs: 5, notes: [], guestMs: 0 }),
  "ends with texts for numbers": (id) => done(id, { logs: "", notes: [], guestMs: "0" }),
  "ends with notes of any kind": (id) => done(id, { logs: "", notes: [{}, 5], guestMs: 0 }),
  "ends with notes without end": (id) =>
    done(id, { logs: "", notes: Array(5000).fill("n"), guestMs: 0 }),
  "ends with a kind of its own": (id) =>
    done(id, { failure: { kind: "obey", message: "x" }, logs: "", notes: [], guestMs: 0 }),
  "ends with a message that is none": (id) =>
    done(id, { failure: { kind: "threw", message: 5 }, logs: "", notes: [], guestMs: 0 }),
  "ends with nonsense for a value": (id) =>
    done(id, { logs: "", notes: [], guestMs: 0 }, "{not json"),
  "ends with a log without measure": (id) =>
    done(id, { logs: "x".repeat(5_000_000), notes: [], guestMs: 0 }),
  "announces a frame without end": () => {
    const lengths = new Uint8Array(8);
    new DataView(lengths.buffer).setUint32(4, 0xffffffff, true);
    write(lengths);
  },
  "floods without a frame": () => {
    for (let i = 0; i < 2000; i++) write(new Uint8Array(65_536).fill(0x7b));
  },
  "shouts on the other stream": () => {
    const noise = new TextEncoder().encode("noise ".repeat(10_000));
    for (let i = 0; i < 200; i++) Deno.stderr.writeSync(noise);
    Deno.exit(1);
  },
  [FALLS_SILENT]: (id) => frame({ type: "call", id, sequence: 0, name: "echo" }, "[]"),
  "ends": () => Deno.exit(0),
};

/** What the program can be told to do. */
export const HOSTILE_ACTS: readonly string[] = Object.keys(ACTS);

function done(id: number, execution: unknown, body?: string): void {
  frame({ type: "done", id, hasValue: body !== undefined, execution }, body);
}

function frame(message: unknown, body = ""): void {
  raw(JSON.stringify(message), body);
}

function raw(head: string, body = ""): void {
  const text = new TextEncoder();
  const [first, second] = [text.encode(head), text.encode(body)];
  const bytes = new Uint8Array(8 + first.length + second.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, first.length, true);
  view.setUint32(4, second.length, true);
  bytes.set(first, 8);
  bytes.set(second, 8 + first.length);
  write(bytes);
}

function write(bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += Deno.stdout.writeSync(bytes.subarray(at));
}

async function main(act: string): Promise<void> {
  const reader = createFrameReader<HostMessage>(() => Infinity);
  raw('{"type":"ready"}');
  for await (const piece of Deno.stdin.readable) {
    reader.push(piece, ({ message }) => {
      if (message.type !== "evaluate") return;
      ACTS[act]!(message.id);
      if (act !== FALLS_SILENT) Deno.exit(0);
    });
  }
}

if (import.meta.main) await main(Deno.args[0]!);
