/** Attacks on the border between script and host: counts, sizes, order, and everything that is written to the log. */
import assert from "node:assert/strict";
import { holdCalls } from "../sandbox/evaluation.ts";
import { assertFailure, attack, PATIENT, type StartedSuite } from "./attack.ts";

/** Defines the tests of this area. */
export function bridgeAttacks(suite: StartedSuite): void {
  calls(suite);
  replies(suite);
  texts(suite);
  logs(suite);
}

function calls(suite: StartedSuite): void {
  attack(
    suite,
    "ATK-75 a flood of calls ends at the count",
    { limits: { hostCalls: 40, guestTimeMs: 5000 } },
    async ({ fails, value }) => {
      let made = 0;
      const functions = { echo: () => void made++ };
      const flood = "for (let i = 0; i < 1e6; i++) echo(i)";
      await fails(`function run() { ${flood} }`, "limit", /limit of 40 host calls/, { functions });
      assert.equal(made, 40);
      made = 0;
      await fails(
        "async function run() { for (let i = 0; i < 1e6; i++) await echo(i) }",
        "limit",
        /limit of 40 host calls/,
        { functions },
      );
      assert.equal(made, 40);
      made = 0;
      await fails(
        "async function run() { await Promise.all(Array.from({ length: 1000 }, (_, i) => echo(i))) }",
        "limit",
        /limit of 40 host calls/,
        { functions },
      );
      assert.equal(made, 40);
      made = 0;
      const caught =
        "function run() { let n = 0; for (let i = 0; i < 1000; i++) try { echo(i) } catch { n++ } return n }";
      assert.equal(await value(caught, { functions }), 960);
      assert.equal(made, 40);
    },
  );
  attack(
    suite,
    "ATK-76 arguments over the limit never reach the host",
    { limits: { memoryBytes: 256 * 1024 * 1024, guestTimeMs: 10_000 } },
    async ({ fails, value }) => {
      let made = 0;
      const functions = { echo: () => void made++ };
      await fails('function run() { echo("x".repeat(1e8)) }', "limit", /echo.*1048576/, {
        functions,
      });
      await fails('function run() { echo(1, ["x".repeat(2e6)]) }', "limit", /echo.*1048576/, {
        functions,
      });
      await fails('async function run() { await echo("x".repeat(2e6)) }', "limit", /1048576/, {
        functions,
      });
      await fails('function run() { echo("\\u20ac".repeat(4e5)) }', "limit", /echo.*1048576/, {
        functions,
      });
      await fails(
        'async function run() { await echo("\\u20ac".repeat(4e5)) }',
        "limit",
        /echo.*1048576/,
        { functions },
      );
      const caught = 'function run() { try { echo("x".repeat(2e6)) } catch (e) { return e.name } }';
      assert.equal(await value(caught, { functions }), "RangeError");
      assert.equal(made, 0);
    },
  );
  attack(suite, "ATK-77 hostile arguments are typed errors or plain data", PATIENT, async (a) => {
    await a.fails("function run() { return nosuch(1) }", "threw", /nosuch/);
    await a.fails("function run() { return echo.nosuch(1) }", "threw", /TypeError/);
    const seen: string[] = [];
    await a.run(
      `function run() { echo(JSON.parse('{"__proto__":{"x":1},"a":1,"a":2}')); echo(); echo(undefined, null); echo(undefined) }`,
      {
        onCall: (call) => {
          seen.push(call.argsJson);
          return Promise.resolve({ ok: true });
        },
      },
    );
    assert.deepEqual(seen, ['[{"__proto__":{"x":1},"a":2}]', "[]", "[null,null]", "[]"]);
    await a.fails(
      "function run() { let deep = []; for (let i = 0; i < 1e5; i++) deep = [deep]; echo(deep) }",
      "limit",
    );
    for (const value of ["() => 1", "Symbol('x')", "1n", "new Map()", "Promise.resolve(1)"]) {
      await a.fails(
        `function run() { echo({ at: ${value} }) }`,
        "threw",
        /echo arguments\[0\]\.at/,
      );
    }
  });
  attack(
    suite,
    "ATK-78 a call inside the arguments of a call goes first",
    PATIENT,
    async ({ run }) => {
      const seen: string[] = [];
      const { valueJson } = await run(
        "function run() { return echo({ get a() { return echo(5) } }) }",
        {
          onCall: ({ sequence, argsJson }) => {
            seen.push(`${sequence} ${argsJson}`);
            return Promise.resolve({ ok: true, json: JSON.stringify(JSON.parse(argsJson)[0]) });
          },
        },
      );
      assert.equal(valueJson, '{"a":5}');
      assert.deepEqual(seen, ["0 [5]", '1 [{"a":5}]']);
    },
  );
}

function replies(suite: StartedSuite): void {
  attack(
    suite,
    "ATK-79 a large reply arrives whole, a larger one is a limit",
    { limits: { memoryBytes: 256 * 1024 * 1024, guestTimeMs: 10_000, callResultBytes: 3_000_000 } },
    async ({ value, fails }) => {
      const text = "aé€🎉".repeat(250_000);
      const functions = { echo: (scale: number) => text.repeat(scale) };
      assert.deepEqual(
        await value(
          'function run() { const t = echo(1); return [t.length, t.slice(0, 5), t.slice(-5), t === "aé€🎉".repeat(250000)] }',
          { functions },
        ),
        [text.length, text.slice(0, 5), text.slice(-5), true],
      );
      await fails("function run() { echo(2) }", ["limit", "threw"], /echo.*3000000/, { functions });
      assert.match(
        await value(
          "async function run() { try { await echo(2) } catch (e) { return String(e) } }",
          {
            functions,
          },
        ) as string,
        /echo.*3000000/,
      );
    },
  );
  for (
    const [style, source] of [
      ["blocking", "function run() { echo(1); echo(2); return 'ended' }"],
      [
        "asynchronous",
        "async function run() { await Promise.all([echo(1), echo(2)]); return 'ended' }",
      ],
    ]
  ) {
    attack(
      suite,
      `ATK-80 a reply to a script that is gone is dropped, ${style}`,
      {},
      async ({ run, value }) => {
        const abort = new AbortController();
        const held: ((value: { ok: true; json: string }) => void)[] = [];
        const arrived = Promise.withResolvers<void>();
        const waiting = run(source!, {
          signal: abort.signal,
          onCall: () =>
            new Promise((resolve) => {
              held.push(resolve);
              arrived.resolve();
            }),
        });
        await arrived.promise;
        abort.abort();
        assertFailure(await waiting, "cancelled");
        const next = value("async function run() { return [await echo('a'), await echo('b')] }");
        for (const answer of held) answer({ ok: true, json: '"stale"' });
        assert.deepEqual(await next, ["a", "b"]);
      },
    );
  }
  attack(
    suite,
    "ATK-80 waiting is not computing",
    { limits: { guestTimeMs: 300 } },
    async ({ value }) => {
      const slow = {
        echo: (n: number) => new Promise((resolve) => setTimeout(() => resolve(n), 400)),
      };
      assert.equal(
        await value("function run() { return echo(1) + echo(2) }", { functions: slow }),
        3,
      );
      assert.equal(
        await value("async function run() { return (await echo(1)) + (await echo(2)) }", {
          functions: slow,
        }),
        3,
      );
    },
  );
}

function texts(suite: StartedSuite): void {
  attack(suite, "ATK-81 every character survives every crossing", PATIENT, async ({ run }) => {
    const odd = "a\u0000b \ud800 \udfff \u2028\u2029 🎉 \ufeff \u001b \u0085 \uffff é";
    const value = { [odd]: odd, "k\u0000x": [odd], "": "", "__proto__x": odd };
    const argsJson = JSON.stringify(value);
    const calls: string[] = [];
    const { failure, valueJson, logs } = await run(
      `function run(args) {
        const own = ${JSON.stringify(odd).replaceAll("\\ud800", "\ud800")};
        log(own);
        return { args, echoed: echo(args), own, same: args[own] === own, length: own.length };
      }`,
      {
        argsJson,
        onCall: (call) => {
          calls.push(call.argsJson);
          return Promise.resolve({ ok: true, json: argsJson });
        },
      },
    );
    assert.equal(failure, undefined, failure?.message);
    assert.deepEqual(JSON.parse(valueJson!), {
      args: value,
      echoed: value,
      own: odd,
      same: true,
      length: odd.length,
    });
    assert.deepEqual(JSON.parse(calls[0]!), [value]);
    assert.equal(logs, odd);
  });
  attack(suite, "ATK-82 sources in every dress are accepted", {}, async ({ value, fails }) => {
    const sources = [
      "\ufefffunction run() { return 1 }",
      "#!/usr/bin/env node\nfunction run() { return 1 }",
      "<!-- old\nfunction run() { return 1 }\n--> older",
      "// line\r\nfunction run() {\r\n  return 1\r\n}\r\n",
      "/* </script> */ function run() { return '</script>' ? 1 : 0 }",
      "'use strict';\nconst run = () => 1;",
      "let run = async (args) => 1",
      "var run = function () { return 1 } // no line end",
      "globalThis.run = () => 1",
      "async function run() { return 1 }\u2028// separator",
    ];
    for (const source of sources) assert.equal(await value(source), 1, source);
    await fails("", "syntax", /run/);
    await fails("// nothing", "syntax", /run/);
    await fails("const other = 1", "syntax", /run/);
    await fails("const run = 5", "syntax", /run/);
  });
}

function logs(suite: StartedSuite): void {
  attack(
    suite,
    "ATK-82 a flood of lines is capped and the script goes on",
    { limits: { guestTimeMs: 20_000, logBytes: 2000 } },
    async ({ run }) => {
      const { failure, valueJson, logs } = await run(
        "function run() { for (let i = 0; i < 50000; i++) log('line', i); return 'on' }",
      );
      assert.deepEqual([failure, valueJson], [undefined, '"on"']);
      assert.ok(new TextEncoder().encode(logs).length < 2200);
      assert.match(logs, /^line 0\nline 1\n/);
      assert.match(logs, /line 49998\nline 49999$/);
      assert.equal(logs.match(/truncated/g)?.length, 1);
    },
  );
  attack(
    suite,
    "ATK-82 a line without measure is capped and the script goes on",
    { limits: { guestTimeMs: 10_000, memoryBytes: 256 * 1024 * 1024, logBytes: 2000 } },
    async ({ run }) => {
      const { failure, valueJson, logs } = await run(
        "function run() { log('x'.repeat(1e8)); log('€'.repeat(1e6)); log(['y'.repeat(1e6), 'z']); return 'on' }",
      );
      assert.deepEqual([failure, valueJson], [undefined, '"on"']);
      assert.ok(new TextEncoder().encode(logs).length < 2500, `${logs.length} characters`);
    },
  );
  attack(suite, "ATK-82 values that resist are logged all the same", {}, async ({ run, fails }) => {
    const { failure, logs } = await run(`function run() {
      const round = { name: "round" }; round.self = round;
      log(round);
      log(new Proxy({}, { ownKeys() { throw 1 }, get() { throw 2 }, getPrototypeOf() { throw 3 } }));
      log({ get a() { throw new Error("trap") }, toString() { throw 1 }, toJSON() { throw 2 } });
      log(Object.create(null), Symbol("s"), 1n, undefined, null, -0, () => 1, new Map([[1, new Set([2])]]));
      log(Promise.resolve(1), new Error("boom"), new Date(NaN), new Uint8Array(3), Array(1e6));
      console.table(1); console.group?.("g"); console.time?.("t"); console.assert?.(false);
      log();
    }`);
    assert.equal(failure, undefined, failure?.message);
    assert.match(logs, /^\{"name": "round", "self": \[circular\]\}\n/);
    assert.match(logs, /Error: boom/);
    await fails("function run() { log(new Proxy({}, { ownKeys() { for (;;) {} } })) }", "time");
  });
  attack(suite, "ATK-82 there are no timers and no clock but the host's", {}, async ({ value }) => {
    const names = ["setTimeout", "setInterval", "setImmediate", "queueMicrotask", "performance"];
    const kinds = await value(
      `function run() { return ${JSON.stringify(names)}.map((n) => typeof globalThis[n]) }`,
    ) as string[];
    assert.deepEqual([kinds[0], kinds[1], kinds[2], kinds[4]], Array(4).fill("undefined"));
    assert.equal(
      await value(
        "function run() { const t = Date.now(); for (let i = 0; i < 1e5; i++); return Date.now() - t }",
      ),
      0,
    );
  });
  attack(suite, "ATK-80 a script that is cancelled while it computes lets go", {}, async (a) => {
    const abort = new AbortController();
    const held = holdCalls();
    const run = a.run("function run() { echo(1); for (;;) {} }", {
      signal: abort.signal,
      onCall: held.onCall,
    });
    await held.arrived(1);
    held.answerAll();
    abort.abort();
    assertFailure(await run, "cancelled");
  });
}
