/** Every script finds a fresh realm: nothing of an earlier one, however hard it tried to stay. */
import assert from "node:assert/strict";
import { createProcessHost } from "../../sandbox/process_host.ts";
import { evaluate, evaluateValue, holdCalls, takeLease } from "./evaluation.ts";
import { openProcessTable } from "./process_table.ts";
import { shareHost } from "./shared_host.ts";

const shared = shareHost(() => createProcessHost());

/** What a fresh realm looks like, as far as a script can see. */
const FINGERPRINT = `function run() {
  const seen = new Set(), lines = [];
  const visit = (value, path) => {
    if ((typeof value !== "object" && typeof value !== "function") || value === null) {
      lines.push(path + "=" + String(value) + typeof value);
      return;
    }
    if (seen.has(value)) return;
    seen.add(value);
    lines.push(path + ":" + Object.isFrozen(value) + Object.isExtensible(value));
    for (const key of Reflect.ownKeys(value)) {
      if (key === "run") continue;
      const d = Object.getOwnPropertyDescriptor(value, key);
      const at = path + "." + String(key);
      lines.push(at + [d.writable, d.enumerable, d.configurable].join());
      if ("value" in d) visit(d.value, at); else { visit(d.get, at + " get"); visit(d.set, at + " set"); }
    }
    visit(Object.getPrototypeOf(value), path + ".^");
  };
  visit(globalThis, "");
  lines.push(Math.random(), Date.now(), typeof leftover);
  return lines.join("\\n");
}`;

const TRACES: Readonly<Record<string, string>> = {
  "a global": "globalThis.leftover = 1; var other = 2; leftover2 = 3; function run() {}",
  "a lexical declaration": "const leftover = 1; let x = 2; class C {} function run() {}",
  "changed prototypes":
    "Array.prototype.map = Object.prototype.leftover = String.prototype.trim = 1; function run() {}",
  "a replaced JSON": "JSON.stringify = Promise = Date = Math.random = null; function run() {}",
  "frozen intrinsics":
    "[Object, Array, JSON, Math, Promise].forEach((o) => { Object.freeze(o); if (o.prototype) Object.freeze(o.prototype) }); function run() {}",
  "deleted globals":
    "for (const k of Object.getOwnPropertyNames(globalThis)) if (k !== 'run') delete globalThis[k]; function run() {}",
  "replaced host functions": "log = answer = sleep = echo = console = null; function run() {}",
  "much memory":
    "function run() { const keep = []; for (let i = 0; i < 2e4; i++) keep.push('secret' + i); return keep.length }",
  "a throw": "globalThis.leftover = 1; function run() { throw new Error('x') }",
  "a stack overflow": "globalThis.leftover = 1; function run() { run() }",
  "a wrong result": "globalThis.leftover = 1; function run() { return () => leftover }",
  "pending jobs":
    "globalThis.leftover = 1; function run() { Promise.resolve().then(() => globalThis.later = 1); return 1 }",
  "an unfinished generator":
    "globalThis.g = function* () { yield 1; yield 2 }(); g.next(); function run() {}",
  "a syntax error": "globalThis.leftover = 1; )",
  "the end of time": "globalThis.leftover = 1; function run() { for (;;) {} }",
  "a call": "globalThis.leftover = 1; function run() { return echo(1) }",
  "promises that never settle":
    "globalThis.leftover = new Promise(() => {}); function run() { return leftover }",
};

Deno.test("no trace of a script is left for the next", async () => {
  await using lease = takeLease(shared(), { limits: { guestTimeMs: 1000 } });
  const fresh = await evaluateValue(lease, FINGERPRINT);
  for (const [what, source] of Object.entries(TRACES)) {
    for (let i = 0; i < 2; i++) {
      await evaluate(lease, source);
      assert.equal(await evaluateValue(lease, FINGERPRINT), fresh, what);
    }
  }
});

Deno.test("scripts that run at once have a realm each", async () => {
  await using lease = takeLease(shared());
  const held = holdCalls();
  const runs = Array.from({ length: 20 }, (_, i) =>
    evaluateValue(
      lease,
      `function run(args) {
        const before = typeof mark; globalThis.mark = args; Array.prototype.mark = args;
        echo(1);
        return [before, mark, [].mark];
      }`,
      { args: i, onCall: held.onCall },
    ));
  await held.arrived(20);
  held.answerAll({ reversed: true });
  assert.deepEqual(
    await Promise.all(runs),
    Array.from({ length: 20 }, (_, i) => ["undefined", i, i]),
  );
});

Deno.test("bytes of an earlier script are not found in fresh memory", async () => {
  await using lease = takeLease(shared(), { limits: { memoryBytes: 32 << 20 } });
  await evaluateValue(
    lease,
    "function run() { const a = new Uint8Array(2e6).fill(0xab); return a.length }",
  );
  for (let i = 0; i < 3; i++) {
    assert.equal(
      await evaluateValue(
        lease,
        "function run() { return new Uint8Array(2e6).reduce((s, b) => s + b, 0) }",
      ),
      0,
    );
  }
});

Deno.test("what ended scripts held is given back, however they ended", async () => {
  await using table = openProcessTable();
  const others = new Set((await table.guests()).map(({ pid }) => pid));
  await using host = createProcessHost();
  await using lease = takeLease(host, { limits: { guestTimeMs: 20 } });
  const ends: Readonly<Record<string, string>> = {
    cancelled: "function run() { return echo(1) }",
    "cancelled later": "async function run() { await echo(1) }",
    time: "function run() { for (;;) {} }",
    threw: "function run() { throw echo(1) }",
  };
  for (const [end, source] of Object.entries(ends)) {
    // The first ones make what is then used again.
    let before = 0;
    for (let i = 0; i < 160; i++) {
      const abort = new AbortController();
      await evaluate(lease, source, {
        signal: abort.signal,
        onCall: () => {
          if (end.startsWith("cancelled")) abort.abort();
          return Promise.resolve({ ok: true });
        },
      });
      if (i === 10) before = await residentBytes();
    }
    const grown = await residentBytes() - before;
    assert.ok(grown < 50 * 1024 * 1024, `${end}: ${grown} bytes more after 150 scripts`);
  }

  async function residentBytes(): Promise<number> {
    const own = (await table.guests()).find(({ pid }) => !others.has(pid));
    return own?.residentBytes ?? 0;
  }
});

Deno.test("a thousand scripts of every end leave the process sound", async () => {
  await using lease = takeLease(shared(), { limits: { guestTimeMs: 2000 } });
  const sources = [
    "function run(args) { return args }",
    "async function run(args) { await echo(1); return args }",
    "function run(args) { throw args }",
    "function run() { return new Map() }",
    "syntax error",
  ];
  const ends: Record<string, number> = {};
  for (let i = 0; i < 1000; i += 20) {
    const batch = await Promise.all(
      Array.from({ length: 20 }, (_, j) => evaluate(lease, sources[(i + j) % 5]!, { args: i + j })),
    );
    for (const { failure, valueJson } of batch) {
      const kind = failure?.kind ?? typeof JSON.parse(valueJson!);
      ends[kind] = (ends[kind] ?? 0) + 1;
    }
  }
  assert.deepEqual(ends, { number: 400, threw: 200, result: 200, syntax: 200 });
});
