import { equal, match, throws } from "node:assert/strict";
import type { CallAim, PolicyCall, PolicyDecision } from "../contracts/policy.ts";
import { OWN_MESSAGE_TARGET } from "../contracts/schedule.ts";
import { AllowAll, DefaultPolicy, type DefaultPolicyOptions } from "./policy.ts";

function call(name: string, parts: Partial<PolicyCall> = {}): PolicyCall {
  return { name, args: [], sideEffect: false, sessionId: "s", ...parts };
}

function decide(options: DefaultPolicyOptions, asked: PolicyCall): PolicyDecision["decision"] {
  return new DefaultPolicy(options).check(asked).decision;
}

function reason(options: DefaultPolicyOptions, asked: PolicyCall): string {
  const decision = new DefaultPolicy(options).check(asked);
  return decision.decision === "allow" ? "" : decision.reason;
}

const toFetch = (target: string, parts: Partial<CallAim> = {}) =>
  call("fetch", { sideEffect: true, target, ...parts });
const toPublic = (target: string, port = 443) => toFetch(target, { port, network: "public" });
const toPrivate = (target: string, port = 80) => toFetch(target, { port, network: "private" });

Deno.test("policy: a message that is scheduled for the session itself passes, any other task is asked about", () => {
  const task = (name: string, target?: string) =>
    call(name, { sideEffect: true, ...(target === undefined ? {} : { target }) });
  equal(decide({}, task("proactive_create", OWN_MESSAGE_TARGET)), "allow");
  for (const target of [undefined, "agent run: tea", "message to webhook: tea", ""]) {
    equal(decide({}, task("proactive_create", target)), "ask");
  }
  equal(decide({}, task("other", OWN_MESSAGE_TARGET)), "ask");
});

const LISTED: DefaultPolicyOptions = {
  allowDomains: [
    "Example.com",
    ".cdn.example",
    "*.wild.example",
    "bücher.example",
    "[2606:4700::1]",
  ],
};

for (
  const host of [
    "example.com",
    "EXAMPLE.com.",
    "a.cdn.example",
    "a.b.wild.example",
    "xn--bcher-kva.example",
    "[2606:4700::1]",
    "2606:4700:0:0::1",
  ]
) {
  Deno.test(`policy: a request to ${host} passes when it is among the allowed domains`, () => {
    equal(decide(LISTED, toPublic(host, 443)), "allow");
    equal(decide(LISTED, toPublic(host, 80)), "allow");
    equal(decide(LISTED, toFetch(host)), "allow", "while the network is not known");
  });
}

for (
  const host of [
    "sub.example.com",
    "example.com.evil.example",
    "xexample.com",
    "cdn.example",
    "xcdn.example",
    "wild.example",
    "[2606:4700::2]",
  ]
) {
  Deno.test(`policy: a request to ${host}, which is not, is asked about`, () => {
    equal(decide(LISTED, toPublic(host)), "ask");
    equal(decide(LISTED, toFetch(host)), "ask");
  });
}

Deno.test("policy: http goes by the same rules as fetch", () => {
  const asked = { target: "example.com", port: 443, network: "public" } as const;
  equal(decide({}, call("http", asked)), "ask");
  equal(decide({ allowDomains: ["example.com"] }, call("http", asked)), "allow");
  equal(decide({}, call("http", { ...asked, network: "private" })), "deny");
});

Deno.test("policy: so does any function that reaches into a network", () => {
  equal(decide({}, call("probe", { target: "example.com", port: 443 })), "ask");
  equal(decide({}, call("probe", { target: "10.0.0.1", network: "private" })), "deny");
});

Deno.test("policy: a host that cannot be told is refused", () => {
  equal(decide({ allowTools: ["fetch"] }, call("fetch")), "deny");
  equal(decide({ allowTools: ["fetch"] }, toFetch("")), "deny");
  match(reason({}, call("http")), /its host cannot be told/);
});

Deno.test("policy: a host in a private network is refused, also when it is an allowed domain", () => {
  const options = { allowDomains: ["intranet.example", "10.0.0.5"], allowTools: ["fetch"] };
  equal(decide(options, toPrivate("intranet.example")), "deny");
  equal(decide(options, toPrivate("10.0.0.5")), "deny");
  equal(decide(options, toFetch("intranet.example")), "allow", "while the network is not known");
});

Deno.test("policy: a private host passes when it is named, and with it the same name in public", () => {
  const options = { allowPrivateHosts: ["intranet.example", "127.0.0.1:8080", "[::1]:*"] };
  equal(decide(options, toPrivate("intranet.example")), "allow");
  equal(decide(options, toPublic("intranet.example")), "allow");
  equal(decide(options, toFetch("intranet.example")), "allow");
  equal(decide(options, toPrivate("127.0.0.1", 8080)), "allow");
  equal(decide(options, toPrivate("[::1]", 9)), "allow");
  equal(decide(options, toPrivate("127.0.0.1")), "deny");
  equal(decide(options, toPrivate("127.0.0.2", 8080)), "deny");
  equal(decide(options, toPrivate("x.intranet.example")), "deny");
});

Deno.test("policy: a named spelling of an address stands for the address", () => {
  equal(decide({ allowPrivateHosts: ["127.1"] }, toPrivate("127.0.0.1")), "allow");
  equal(decide({ allowPrivateHosts: ["::1"] }, toPrivate("[::1]")), "allow");
  equal(decide({ allowPrivateHosts: ["LOCALHOST."] }, toPrivate("localhost")), "allow");
});

Deno.test("policy: ports that are not the web's pass only when they are named", () => {
  const bare = { allowDomains: ["example.com"] };
  equal(decide(bare, toPublic("example.com", 8080)), "deny");
  equal(decide({}, toPublic("example.com", 22)), "deny");
  equal(decide({ allowTools: ["fetch"] }, toPublic("example.com", 22)), "deny");
  equal(decide({ allowDomains: ["example.com:8080"] }, toPublic("example.com", 8080)), "allow");
  equal(decide({ allowDomains: ["example.com:8080"] }, toPublic("example.com", 443)), "ask");
  equal(decide({ allowDomains: ["*.example.com:*"] }, toPublic("a.example.com", 22)), "allow");
  equal(decide({ allowPrivateHosts: ["intranet"] }, toPrivate("intranet", 8080)), "deny");
});

Deno.test("policy: with fetch among the allowed tools every public host passes", () => {
  const options = { allowTools: ["fetch"] };
  equal(decide(options, toPublic("anything.example")), "allow");
  equal(decide(options, toFetch("anything.example", { port: 80 })), "allow");
  equal(decide(options, toPrivate("anything.example")), "deny");
  equal(decide(options, call("http", { target: "anything.example", port: 80 })), "ask");
});

for (const name of ["writeFile", "editFile", "exec", "sendEmail", "secret"]) {
  Deno.test(`policy: ${name} is asked about unless it is an allowed tool`, () => {
    equal(decide({}, call(name, { target: "x" })), "ask");
    equal(decide({ allowTools: [name] }, call(name, { target: "x" })), "allow");
    match(reason({}, call(name)), new RegExp(`allowTools: \\["${name}"\\]`));
  });
}

Deno.test("policy: a function with consequences is asked about unless it is an allowed tool", () => {
  const order = call("order", { sideEffect: true });
  equal(decide({}, order), "ask");
  equal(decide({ allowTools: ["order"] }, order), "allow");
});

Deno.test("policy: everything else passes, sub-calls to a model among it", () => {
  for (const name of ["ai", "aiJSON"]) equal(decide({}, call(name, { sideEffect: true })), "allow");
  for (const name of ["lookup", "readFile", "require", "help", "sleep"]) {
    equal(decide({}, call(name, { target: "anything" })), "allow");
  }
});

Deno.test("policy: the reason tells what would let the call pass", () => {
  match(
    reason({}, toPublic("example.com")),
    /^example\.com is not among the allowed hosts; allowDomains: \["example\.com"\]/,
  );
  match(
    reason({}, toPublic("example.com", 22)),
    /^port 22 of example\.com .* allowDomains: \["example\.com:22"\]/,
  );
  match(
    reason({}, toPrivate("10.0.0.1", 8080)),
    /private network; allowPrivateHosts: \["10\.0\.0\.1:8080"\]/,
  );
});

for (const option of ["allowDomains", "allowPrivateHosts"] as const) {
  for (
    const entry of [
      "",
      "https://example.com",
      "example.com/x",
      "user@example.com",
      "a b",
      "a..b",
      "*",
      "*.",
      "a.*.b",
      "example.com:",
      "example.com:0",
      "example.com:65536",
      "example.com:http",
      "::1::2",
    ]
  ) {
    Deno.test(`policy: ${JSON.stringify(entry)} is no entry of ${option}`, () => {
      throws(() => new DefaultPolicy({ [option]: [entry] }), {
        name: "TypeError",
        message: new RegExp(`^${option}: expected hosts`),
      });
    });
  }
}

Deno.test("policy: what is no text is no entry either", () => {
  throws(() => new DefaultPolicy({ allowDomains: [7 as unknown as string] }), TypeError);
  throws(() => new DefaultPolicy({ allowTools: [""] }), { message: /allowTools: expected names/ });
  for (const option of ["allowTools", "allowDomains", "allowPrivateHosts"]) {
    throws(() => new DefaultPolicy({ [option]: "example.com" as never }), {
      name: "TypeError",
      message: `DefaultPolicy: ${option} must be a list, got string`,
    });
  }
  throws(() => new DefaultPolicy({ allowHosts: ["example.com"] } as never), {
    name: "TypeError",
    message: /^DefaultPolicy: there is no option allowHosts; there are allowTools, allowDomains, /,
  });
});

Deno.test("policy: AllowAll lets everything pass", () => {
  equal(new AllowAll().check(toPrivate("10.0.0.1", 22)).decision, "allow");
  equal(new AllowAll().check(call("exec", { sideEffect: true })).decision, "allow");
});
