import assert from "node:assert/strict";
import type { ApprovalRequest } from "../contracts/approval.ts";
import type { CallStart } from "../contracts/call_log.ts";
import type { PolicyCall } from "../contracts/policy.ts";
import type { CallContext } from "../contracts/sandbox.ts";
import type { SecretSource } from "../contracts/secret.ts";
import { Redactor } from "../redact/redactor.ts";
import { errorOf, testGate } from "./_gate_fixture.ts";
import type { GateOptions } from "./passage.ts";
import { AllowAll, DefaultPolicy } from "./policy.ts";
import { RunSecrets } from "./run_secrets.ts";

const TOKEN = "ghp_abcDEF012345";
const SOURCE: SecretSource = {
  names: ["TOKEN", "BOUND", "SHORT", "EMPTY"],
  get: (name) =>
    new Map<string, ReturnType<SecretSource["get"]>>([
      ["TOKEN", TOKEN],
      ["BOUND", { value: "bound-0123456789", hosts: ["api.example.com"] }],
      ["SHORT", "abc"],
      ["EMPTY", " \n"],
    ]).get(name),
};

type Work = (context: CallContext) => unknown;

/** A gate whose function does something with secrets, and what the run learned. */
function gateWith(work: Work, options: Partial<GateOptions> & { source?: SecretSource } = {}) {
  const kept = new RunSecrets(undefined);
  const { source = SOURCE, ...more } = options;
  const gate = testGate((_, context) => work(context), { secrets: { source, kept }, ...more });
  return { kept, call: gate.call, told: gate.toldErrors };
}

Deno.test("secret gives a script the value, and from then on it is taken out of what is observed", async () => {
  const { kept, call } = gateWith(({ secret }) => secret("TOKEN"));
  const before = kept.redactor;
  assert.equal(before, undefined);
  const reply = await call();
  assert.ok(reply.ok);
  assert.equal(reply.json, JSON.stringify(TOKEN));
  assert.equal(kept.redactor?.redact(`key ${TOKEN}`), "key [redacted]");
});

Deno.test("fill puts values in the place of their names, and a script does not see them in what comes back", async () => {
  let sent = "";
  const { call, kept } = gateWith(async ({ fill }) => {
    sent = await fill("a {{secret:TOKEN}} b {{secret:TOKEN}} {{secret}} {{ secret:TOKEN }}", {
      host: "example.com",
    });
    return { echo: sent, [TOKEN]: 1, twice: [`x${encodeURIComponent(TOKEN)}`, btoa(`u:${TOKEN}`)] };
  });
  const reply = await call();
  assert.equal(sent, `a ${TOKEN} b ${TOKEN} {{secret}} {{ secret:TOKEN }}`);
  assert.ok(reply.ok);
  assert.ok(!reply.json!.includes(TOKEN.slice(4)));
  assert.match(reply.json!, /"echo":"a \[redacted:TOKEN\] b \[redacted:TOKEN\]/);
  assert.ok(!reply.json!.includes(btoa(`u:${TOKEN}`).slice(0, 12)));
  assert.equal(kept.redactor?.redact(TOKEN), "[redacted]");
});

Deno.test("values that were filled in are taken out of long texts and of errors too", async () => {
  const long = gateWith(async ({ fill }) =>
    (await fill("{{secret:TOKEN}}", { command: "cat" })) + "x".repeat(50_000)
  );
  const reply = await long.call();
  assert.ok(reply.ok && reply.text !== undefined);
  assert.ok(reply.text.value.startsWith("[redacted:TOKEN]xxx"));
  const failing = gateWith(async ({ fill }) => {
    throw new Error(`cannot send ${await fill("{{secret:TOKEN}}", { host: "example.com" })}`);
  });
  assert.equal(errorOf(await failing.call()), "Error: cannot send [redacted:TOKEN]");
  assert.deepEqual(failing.told, ["cannot send [redacted:TOKEN]"]);
});

Deno.test("what replaces a value is never read as a pattern", async () => {
  const source: SecretSource = { get: () => "$&$1$$-0123" };
  const { call } = gateWith(
    async ({ fill }) => (await fill("<{{secret:A}}>", { command: "x" })).length,
    {
      source,
    },
  );
  const reply = await call();
  assert.ok(reply.ok);
  assert.equal(reply.json, "13");
});

Deno.test("a value is encoded as the place needs it", async () => {
  const source: SecretSource = { get: () => "a/b?c d" };
  let sent = "";
  const { call } = gateWith(async ({ fill }) => {
    sent = await fill("k={{secret:A}}", { host: "example.com" }, encodeURIComponent);
  }, { source });
  await call();
  assert.equal(sent, "k=a%2Fb%3Fc%20d");
});

Deno.test("the policy judges each use under the name secret, once a call", async () => {
  const asked: Pick<PolicyCall, "name" | "target" | "args">[] = [];
  const policy = {
    check({ name, target, args }: PolicyCall) {
      if (name === "secret") asked.push({ name, target: target!, args });
      return { decision: "allow" as const };
    },
  };
  const { call } = gateWith(async ({ fill, secret }) => {
    await fill("{{secret:TOKEN}}", { host: "example.com", port: 443 });
    await fill("{{secret:TOKEN}}", { host: "example.com", port: 443 });
    await fill("{{secret:TOKEN}}", { host: "example.com", port: 8080 });
    await fill("{{secret:TOKEN}}", { command: "git" });
    // A host may have the name of a command.
    await fill("{{secret:TOKEN}}", { host: "git", port: 80 });
    await secret("TOKEN");
  }, { policy });
  assert.ok((await call()).ok);
  assert.deepEqual(asked.map(({ target }) => target), [
    "TOKEN for example.com",
    "TOKEN for example.com:8080",
    "TOKEN for command git",
    "TOKEN for git",
    "TOKEN",
  ]);
  assert.deepEqual(asked[0]?.args, ["TOKEN", "example.com"]);
});

Deno.test("a person is asked about a use, told where the value goes, and can refuse", async () => {
  const asked: ApprovalRequest[] = [];
  const approve = (request: ApprovalRequest) => {
    asked.push(request);
    return { decision: "deny" as const, reason: "not there" };
  };
  const { call, kept } = gateWith(({ fill }) => fill("{{secret:TOKEN}}", { host: "example.com" }), {
    policy: new DefaultPolicy(),
    approve,
  });
  const error = errorOf(await call());
  assert.match(
    error,
    /^PermissionError: secret \(TOKEN for example\.com\) is refused: .*not there/,
  );
  assert.equal(asked[0]?.name, "secret");
  assert.match(asked[0]?.preview ?? "", /f puts the value of TOKEN into what goes to example\.com/);
  assert.equal(kept.redactor, undefined, "the value was fetched before anybody agreed");
});

Deno.test("a use that a person approved has a row of its own, without the value", async () => {
  const rows: CallStart[] = [];
  const { call } = gateWith(({ fill }) => fill("{{secret:TOKEN}}", { host: "example.com" }), {
    policy: new DefaultPolicy(),
    approve: () => ({ decision: "approve" }),
    calls: {
      startCall: (row) => Promise.resolve(rows.push(row)),
      endCall: () => Promise.resolve(),
      calls: () => Promise.resolve([]),
    },
  });
  assert.ok((await call()).ok);
  assert.deepEqual(
    rows.map(({ name, target, decision, sequence }) => [name, target, decision, sequence]),
    [["f", undefined, "allowed", 0], ["secret", "TOKEN for example.com", "approved", 0]],
  );
  assert.ok(!JSON.stringify(rows).includes(TOKEN));
});

Deno.test("a person who changes what is asked about has not agreed to it", async () => {
  const { call } = gateWith(({ secret }) => secret("TOKEN"), {
    policy: new DefaultPolicy(),
    approve: () => ({ decision: "approve", args: ["BOUND"] }),
  });
  assert.match(errorOf(await call()), /PermissionError.*wants something else/);
});

Deno.test("a secret that is bound to hosts goes into requests to them and nowhere else", async () => {
  const uses: [Work, boolean][] = [
    [({ fill }) => fill("{{secret:BOUND}}", { host: "api.example.com", port: 443 }), true],
    [({ fill }) => fill("{{secret:BOUND}}", { host: "API.example.com." }), true],
    [({ fill }) => fill("{{secret:BOUND}}", { host: "api.example.com", port: 8443 }), false],
    [({ fill }) => fill("{{secret:BOUND}}", { host: "evil.example.com", port: 443 }), false],
    [({ fill }) => fill("{{secret:BOUND}}", { command: "api.example.com" }), false],
    [({ secret }) => secret("BOUND"), false],
  ];
  for (const [work, passes] of uses) {
    const reply = await gateWith(work, { policy: new AllowAll() }).call();
    assert.equal(reply.ok, passes, String(work));
    if (!reply.ok) assert.match(reply.message, /is for requests to api\.example\.com only/);
  }
});

Deno.test("a secret travels unencrypted only to a host that was named for it with its port", async () => {
  const hosts = [
    "api.example.com",
    "old.example.com:80",
    "box.example.com:8080",
    "any.example.com:*",
  ];
  const source: SecretSource = {
    get: (name) => name === "TOKEN" ? TOKEN : { value: "bound-0123456789", hosts },
  };
  const uses: [string, { host: string; port: number; plain: boolean }, boolean][] = [
    ["TOKEN", { host: "api.example.com", port: 443, plain: false }, true],
    ["TOKEN", { host: "api.example.com", port: 80, plain: true }, false],
    ["BOUND", { host: "api.example.com", port: 80, plain: true }, false],
    ["BOUND", { host: "any.example.com", port: 80, plain: true }, false],
    ["BOUND", { host: "old.example.com", port: 80, plain: true }, true],
    ["BOUND", { host: "box.example.com", port: 8080, plain: true }, true],
    ["BOUND", { host: "box.example.com", port: 80, plain: true }, false],
  ];
  for (const [name, use, passes] of uses) {
    const work: Work = ({ fill }) => fill(`{{secret:${name}}}`, use);
    const reply = await gateWith(work, { policy: new AllowAll(), source }).call();
    assert.equal(reply.ok, passes, `${name} ${JSON.stringify(use)}`);
    if (!reply.ok) assert.match(reply.message, /unencrypted.*use https/);
  }
});

Deno.test("a name that there is not is told with those that there are", async () => {
  const { call } = gateWith(({ fill }) => fill("{{secret:NOPE}}", { command: "x" }));
  assert.match(errorOf(await call()), /there is no secret named NOPE; there is: TOKEN, BOUND/);
  const nameless = gateWith(({ secret }) => secret("NOPE"), { source: { get: () => undefined } });
  assert.equal(errorOf(await nameless.call()), "Error: there is no secret named NOPE");
});

Deno.test("what is too short to be kept out of logs, or empty, is not given out", async () => {
  assert.match(errorOf(await gateWith(({ secret }) => secret("SHORT")).call()), /fewer than 4/);
  assert.match(errorOf(await gateWith(({ secret }) => secret("EMPTY")).call()), /is empty/);
});

Deno.test("without secrets a placeholder is text like any other", async () => {
  const gate = testGate((_, { fill }) => fill("{{secret:TOKEN}}", { command: "x" }));
  const reply = await gate.call();
  assert.ok(reply.ok);
  assert.equal(reply.json, '"{{secret:TOKEN}}"');
});

Deno.test("a run that learns a secret keeps what the loop's redactor takes out", () => {
  const given = {
    redact: (text: string) => text.replaceAll("other", "***"),
    stream: () => ({ push: (piece: string) => piece.replaceAll("other", "***"), flush: () => "" }),
  };
  const secrets = new RunSecrets(given);
  secrets.learn(TOKEN);
  secrets.learn(TOKEN);
  secrets.learn("second-0123");
  assert.equal(secrets.redactor?.redact(`other ${TOKEN} second-0123`), "*** [redacted] [redacted]");
  const stream = secrets.redactor!.stream();
  const shown = stream.push("other gh") + stream.push(`p_${TOKEN.slice(4)}!`) + stream.flush();
  assert.equal(shown, "*** [redacted]!");
});

Deno.test("a secret that a run learns is shown by its name where names are shown, two of one name apart", () => {
  const given = Redactor.fromSecrets({ GIVEN: "given-0123456789" }, { showNames: true });
  const kept = new RunSecrets(given);
  kept.learn(TOKEN, "TOKEN");
  kept.learn(TOKEN, "OTHER");
  kept.learn("rotated-9876543210", "TOKEN");
  kept.learn("proto-0123456789", "__proto__");
  kept.learn("nameless-55555");
  kept.fill("LATER", "nameless-55555");
  assert.equal(
    kept.redactor?.redact(`${TOKEN} rotated-9876543210 nameless-55555 given-0123456789`),
    "[redacted:TOKEN] [redacted:TOKEN 2] [redacted:LATER] [redacted:GIVEN]",
  );
  assert.equal(
    kept.redactor?.redact("proto-0123456789"),
    "[redacted:__proto__]",
  );
});

Deno.test("what a function is given by name is shown by that name", async () => {
  const kept = new RunSecrets(Redactor.fromSecrets({}, { showNames: true }));
  const gate = testGate((_, { secret }) => secret("TOKEN"), { secrets: { source: SOURCE, kept } });
  await gate.call();
  assert.equal(kept.redactor?.redact(`key ${TOKEN}`), "key [redacted:TOKEN]");
});

Deno.test("a secret whose binding is misspelt, or no list, is used nowhere", async () => {
  const value = "bound-0123456789";
  const wrong: readonly [unknown, RegExp][] = [
    [
      { value, host: ["api.example.com"] },
      /the secret T: there is no option host; there are value, hosts/,
    ],
    [
      { value, hosts: "api.example.com" },
      /the hosts of the secret T: expected a list of hosts, got string/,
    ],
    [{ value, hosts: null }, /the hosts of the secret T: expected a list of hosts, got null/],
    [{ value: 12345678 }, /the secret T is empty/],
    [12345678, /the secret T is empty/],
    [null, /there is no secret named T/],
  ];
  for (const [found, message] of wrong) {
    const source: SecretSource = { get: () => found as never };
    for (const use of [{ host: "api.example.com", port: 443 }, { command: "x" }]) {
      const work: Work = ({ fill }) => fill("{{secret:T}}", use);
      const gate = gateWith(work, { policy: new AllowAll(), source });
      assert.match(errorOf(await gate.call()), message);
    }
  }
});
