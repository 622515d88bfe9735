/** Host calls in both styles: they block and return values in `function run`, and are promises in `async function run`. */
import assert from "node:assert/strict";
import { createProcessHost } from "../../sandbox/process_host.ts";
import { evaluate, evaluateValue, holdCalls, takeLease } from "./evaluation.ts";
import { shareHost } from "./shared_host.ts";

const shared = shareHost(() => createProcessHost());

Deno.test("in function run a call blocks and gives its value", async () => {
  await using lease = takeLease(shared());
  const seen: unknown[] = [];
  const value = await evaluateValue(
    lease,
    "function run() { const a = echo(1); const b = echo([a, 'two', null]); return { b, kind: typeof a } }",
    { functions: { echo: (x) => (seen.push(x), x) } },
  );
  assert.deepEqual(value, { b: [1, "two", null], kind: "number" });
  assert.deepEqual(seen, [1, [1, "two", null]]);
});

Deno.test("in async function run a call is a promise", async () => {
  await using lease = takeLease(shared());
  for (const declared of ["async function run() {", "const run = async () => {"]) {
    assert.deepEqual(
      await evaluateValue(
        lease,
        `${declared} const p = echo(1); return [p instanceof Promise, await p] }`,
      ),
      [true, 1],
    );
  }
});

Deno.test("await of a blocking call gives its value too", async () => {
  await using lease = takeLease(shared());
  assert.equal(
    await evaluateValue(lease, "function run() { return (async () => await echo(3) + 1)() }"),
    4,
  );
  assert.deepEqual(
    await evaluateValue(lease, "function run() { return Promise.all([echo(1), echo(2)]) }"),
    [1, 2],
  );
  assert.equal(
    await evaluateValue(
      lease,
      "function run() { return Promise.resolve(1).then((n) => echo(n) + 1) }",
    ),
    2,
  );
});

Deno.test("QJS-09: sequential awaits keep their order, one call at a time", async () => {
  await using lease = takeLease(shared());
  const held = holdCalls();
  const run = evaluateValue(
    lease,
    "async function run() { const a = await echo('a'); const b = await echo('b'); return a + b }",
    { onCall: held.onCall },
  );
  for (const _ of ["a", "b"]) {
    await held.arrived(1);
    assert.equal(held.waiting, 1);
    held.answerAll();
  }
  assert.equal(await run, "ab");
});

Deno.test("QJS-09: Promise.all makes its calls at once and keeps their order", async () => {
  await using lease = takeLease(shared());
  const held = holdCalls();
  const run = evaluateValue(
    lease,
    'async function run() { return Promise.all(["a", "b", "c"].map(echo)) }',
    { onCall: held.onCall },
  );
  // All three are on the host's side before one is answered.
  await held.arrived(3);
  held.answerAll({ reversed: true });
  assert.deepEqual(await run, ["a", "b", "c"]);
});

Deno.test("race, any and allSettled see calls settle as they do", async () => {
  await using lease = takeLease(shared());
  const functions = {
    quick: () => "quick",
    fails: () => {
      throw new TypeError("refused");
    },
    waits: () => new Promise((resolve) => setTimeout(() => resolve("late"), 20)),
  };
  await using dressed = takeLease(shared(), { functions: ["quick", "fails", "waits"] });
  assert.deepEqual(
    await evaluateValue(
      dressed,
      `async function run() {
        return {
          race: await Promise.race([waits(), quick()]),
          any: await Promise.any([fails(), quick()]),
          settled: (await Promise.allSettled([fails(), quick()])).map((s) => s.value ?? String(s.reason)),
          chained: await quick().then((v) => v + "!").finally(() => {}),
        };
      }`,
      { functions },
    ),
    { race: "quick", any: "quick", settled: ["TypeError: refused", "quick"], chained: "quick!" },
  );
  assert.equal(await evaluateValue(lease, "function run() { return typeof quick }"), "undefined");
});

Deno.test("calls that nobody awaits still finish before the script does", async () => {
  await using lease = takeLease(shared());
  const held = holdCalls();
  let ended = false;
  const run = evaluate(
    lease,
    "async function run() { echo('saved').then(() => log('after')); return 'returned' }",
    { onCall: held.onCall },
  ).finally(() => ended = true);
  await held.arrived(1);
  await evaluateValue(lease, "function run() {}");
  assert.equal(ended, false);
  held.answerAll();
  const { valueJson, logs, hostCalls } = await run;
  assert.deepEqual([valueJson, logs, hostCalls], ['"returned"', "after", 1]);
});

Deno.test("QJS-11: a promise inside the returned value is named with its path", async () => {
  await using lease = takeLease(shared());
  const { failure } = await evaluate(
    lease,
    'async function run() { return { files: ["a.txt", "b.txt"].map((f) => echo(f)) } }',
  );
  assert.equal(failure?.kind, "result");
  assert.match(failure!.message, /\$\.files\[0\] is a Promise.*await.*Promise\.all/);
});

Deno.test("QJS-08: what a host function throws can be caught, in both styles", async () => {
  await using lease = takeLease(shared(), { functions: ["lookup"] });
  const functions = {
    lookup: () => {
      throw new Error("no such key");
    },
  };
  for (const [run, wait] of [["function run()", ""], ["async function run()", "await "]]) {
    const caught =
      `${run} { try { return ${wait}lookup("k") } catch (e) { return "E:" + e.message } }`;
    assert.equal(await evaluateValue(lease, caught, { functions }), "E:no such key");
    const { failure } = await evaluate(lease, `${run} {\n return ${wait}lookup("k")\n}`, {
      functions,
    });
    assert.equal(failure?.kind, "threw");
    assert.match(failure!.message, /no such key/);
  }
});

Deno.test("an error of the host is one of the realm, with the host's name and message only", async () => {
  await using lease = takeLease(shared(), { functions: ["lookup"] });
  assert.deepEqual(
    await evaluateValue(
      lease,
      `function run() {
        try { lookup() } catch (e) {
          return [e instanceof Error, e.name, e.message, e.constructor.constructor("return typeof Deno")(), /host|file:/.test(e.stack)];
        }
      }`,
      {
        onCall: () =>
          Promise.resolve({ ok: false, name: "NotFound", message: "gone\u0000 \u{1f389}" }),
      },
    ),
    [true, "NotFound", "gone\u0000 \u{1f389}", "undefined", false],
  );
});

Deno.test("a call without a value gives undefined, null stays null", async () => {
  await using lease = takeLease(shared());
  const options = { onCall: () => Promise.resolve({ ok: true as const }) };
  assert.equal(
    await evaluateValue(lease, "function run() { return echo() === undefined }", options),
    true,
  );
  assert.equal(
    await evaluateValue(
      lease,
      "async function run() { return await echo() === undefined }",
      options,
    ),
    true,
  );
  assert.equal(await evaluateValue(lease, "function run() { return echo(null) === null }"), true);
});

Deno.test("calls at the top of a script block, whatever run is", async () => {
  await using lease = takeLease(shared());
  assert.equal(
    await evaluateValue(lease, "const early = echo(2); async function run() { return early }"),
    2,
  );
});

Deno.test("answer: the first one counts, and stands whatever comes after", async () => {
  await using lease = takeLease(shared(), { limits: { guestTimeMs: 200 } });
  const first = await evaluate(lease, "function run() { answer({ a: 1 }); answer('b'); return 2 }");
  assert.deepEqual([first.answerJson, first.valueJson], ['{"a":1}', "2"]);
  for (const after of ["throw new Error('x')", "for (;;) {}", "return () => 1", "answer = null"]) {
    const { answerJson } = await evaluate(lease, `function run() { answer('kept'); ${after} }`);
    assert.equal(answerJson, '"kept"', after);
  }
  const nothing = await evaluate(lease, "function run() { answer() }");
  assert.match(nothing.failure!.message, /answer\(result\) needs a result/);
  const wrong = await evaluate(
    lease,
    "function run() { try { answer({ m: new Map() }) } catch (e) { answer('text of ' + e.name) } }",
  );
  assert.equal(wrong.answerJson, '"text of TypeError"');
});

Deno.test("a pack's own code dresses its functions in both styles", async () => {
  const guestSource = `
    const read = (path) => host.then(host.call("readRaw", [path]), (raw) => ({ path, ...raw }));
    host.define("read", read);
    for (let i = 0, sum = 0; i < 300000; i++) sum += i;
  `;
  // That code is ours: long as it takes, the script is not charged with what it did before it began.
  await using lease = takeLease(shared(), {
    functions: ["readRaw"],
    guestSource,
    limits: { guestTimeMs: 10_000 },
  });
  const functions = { readRaw: (path: string) => ({ size: path.length }) };
  for (
    const source of [
      "function run() { return read('abc') }",
      "async function run() { const p = read('abc'); return p instanceof Promise ? await p : 'no promise' }",
    ]
  ) {
    assert.deepEqual(await evaluateValue(lease, source, { functions }), { path: "abc", size: 3 });
  }
});

for (
  const [what, guestSource, message] of [
    ["throws", 'throw new Error("no map of it");', /no map of it/],
    [
      "calls the host",
      'host.call("readRaw", ["a"]);',
      /called readRaw before there was a script/,
    ],
    ["answers", 'answer("at once");', /called answer before there was a script/],
    ["draws lots", "const id = Math.random();", /called Math\.random before there was a script/],
  ] as const
) {
  Deno.test(`a pack whose own code ${what} is told by every script, and no other sandbox notices`, async () => {
    await using lease = takeLease(shared(), { functions: ["readRaw"], guestSource });
    for (let script = 0; script < 2; script++) {
      const { failure } = await evaluate(lease, "function run() { return 1 }");
      assert.equal(failure!.kind, "threw");
      assert.match(failure!.message, /^the sandbox could not be set up: /);
      assert.match(failure!.message, message);
    }
    await using other = takeLease(shared(), { functions: ["readRaw"] });
    assert.equal(await evaluateValue(other, "function run() { return 1 }"), 1);
  });
}

Deno.test("what a pack's own code made is new in every realm", async () => {
  const guestSource = "const seen = []; host.define('note', (x) => seen.push(x));";
  await using lease = takeLease(shared(), { guestSource });
  for (let script = 0; script < 3; script++) {
    assert.equal(await evaluateValue(lease, "function run() { return note(1) }"), 1);
  }
});

Deno.test("a run that is no plain function of the script's is what its reading gives", async () => {
  await using lease = takeLease(shared());
  const failed = await evaluate(
    lease,
    "Object.defineProperty(globalThis, 'run', { get() { throw new Error('not today') } })",
  );
  assert.match(failed.failure!.message, /not today/);
  const got = await evaluateValue(
    lease,
    "Object.defineProperty(globalThis, 'run', { get() { return () => 7 } })",
  );
  assert.equal(got, 7);
});

Deno.test("QJS-14: a host function leads to nothing of the host", async () => {
  await using lease = takeLease(shared());
  assert.deepEqual(
    await evaluateValue(
      lease,
      `function run() {
        const typeofIn = (f) => f("return typeof Deno + typeof process + typeof require")();
        return [
          typeofIn(echo.constructor), typeofIn(log.constructor), typeofIn(console.log.constructor),
          typeofIn((() => {}).constructor.constructor), typeofIn(answer.constructor), Object.keys(echo),
        ];
      }`,
    ),
    [...Array(5).fill("undefinedundefinedundefined"), []],
  );
  await evaluateValue(
    lease,
    `function run() { return JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"p2":1}}}') }`,
  );
  const plain = {} as Record<string, unknown>;
  assert.deepEqual([plain.polluted, plain.p2], [undefined, undefined]);
});

Deno.test("a call that nothing awaits and that fails is told in a note; one that is awaited is the script's own to tell", async () => {
  await using lease = takeLease(shared(), { functions: ["echo", "save"] });
  const functions = {
    echo: (value: unknown) => value,
    save: () => {
      throw new Error("the user said no");
    },
  };
  const notesOf = async (source: string) =>
    (await evaluate(lease, source, { functions: functions as never })).notes;
  assert.deepEqual(await notesOf("async function run() { save('x'); return 1 }"), [
    "run was over when save failed, since nothing awaited it: the user said no",
  ]);
  const many = await notesOf("async function run() { for (let i = 0; i < 7; i++) save(i) }");
  assert.equal(many.length, 6);
  assert.equal(many[5], "so did 2 more calls");
  for (
    const source of [
      "async function run() { try { await save('x') } catch { return 1 } }",
      "async function run() { echo('x'); return 1 }",
      "function run() { try { save('x') } catch { return 1 } }",
      "async function run() { return (await Promise.allSettled([save(1), save(2)])).length }",
    ]
  ) assert.deepEqual(await notesOf(source), [], source);
});
