/** Long texts of results cross beside the JSON: what a script sees must be what the JSON would have given it, in both hosts and both calling styles. */
import assert from "node:assert/strict";
import { encodeResult } from "../../loop/host_result.ts";
import { createInlineHost } from "../../sandbox/inline_host.ts";
import { createProcessHost } from "../../sandbox/process_host.ts";
import { evaluate, evaluateValue, takeLease } from "./evaluation.ts";

const LONG = 'He said "no"\\\n\t\u2028 ünï 😀 </script> #~+=!-'.repeat(1000);

const RESULTS: Readonly<Record<string, unknown>> = {
  "the whole result": LONG,
  "one that begins with a byte order mark": "\ufeff" + LONG,
  "a property between others": { status: 200, body: LONG, headers: { a: "b" } },
  "the longer of two": { stdout: LONG, stderr: LONG + LONG, code: 0 },
  "one that comes with undefined": { body: LONG, none: undefined },
  "a property with an odd name": { 'ö"\n': LONG, "": 1 },
  "a property without a name": { "": LONG },
  "a property named __proto__": JSON.parse(`{"__proto__":${JSON.stringify(LONG)},"b":1}`),
  "with a character 0": { body: LONG + "\0" + LONG },
  "with half a surrogate pair": { body: LONG + "\ud83d" },
  "with such a name": { "\ud83d": LONG, "\0": LONG },
  "deeper down": { inner: { body: LONG }, list: [LONG] },
  "in a list": [LONG, LONG],
};

for (const [hostName, createHost] of Object.entries({ createProcessHost, createInlineHost })) {
  Deno.test(`long texts reach the script as they are (${hostName})`, async () => {
    await using host = createHost();
    await using lease = takeLease(host, { functions: ["give"] });
    for (const [what, result] of Object.entries(RESULTS)) {
      const encoded = encodeResult(result, 8_000_000);
      assert.ok(encoded.ok);
      for (const script of ["function run() { return give(); }", AWAITING]) {
        const value = await evaluateValue(lease, script, {
          onCall: () => Promise.resolve(encoded),
        });
        assert.equal(JSON.stringify(value), JSON.stringify(result), what);
      }
    }
  });
}

const AWAITING = `async function run() {
  Object.defineProperty(Object.prototype, "body", { set() { throw new Error("caught"); }, configurable: true });
  String.prototype.slice = JSON.parse = () => "taken";
  return (await Promise.all([give()]))[0];
}`;

Deno.test("the bound of a result counts the long text and the JSON beside it", async () => {
  await using host = createProcessHost();
  const text = { key: "body", value: "é".repeat(10_000) };
  const json = '{"body":null}';
  for (const [callResultBytes, fits] of [[20_013, true], [20_012, false]] as const) {
    await using lease = takeLease(host, { limits: { callResultBytes } });
    const { failure, valueJson } = await evaluate(
      lease,
      "function run() { return echo().body.length; }",
      { onCall: () => Promise.resolve({ ok: true, json, text }) },
    );
    if (fits) assert.equal(valueJson, "10000");
    else assert.match(failure!.message, /takes 20013 bytes as text; the limit is 20012/);
  }
});
