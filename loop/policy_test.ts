import { equal, notEqual, throws } from "node:assert/strict";
import type { PolicyCall } from "../contracts/policy.ts";
import { AllowAll, DefaultPolicy } from "./policy.ts";

function call(name: string, target?: string): PolicyCall {
  return {
    name,
    args: [],
    sideEffect: false,
    sessionId: "s",
    ...(target === undefined ? {} : { target }),
  };
}

const policy = new DefaultPolicy({
  allowDomains: ["Example.com", ".cdn.net", "*.wild.org", "[::1]"],
});

const ALLOWED = [
  "example.com",
  "EXAMPLE.com.",
  "a.cdn.net",
  "a.b.wild.org",
  "[::1]",
];
for (const host of ALLOWED) {
  Deno.test(`policy: fetch of ${host} passes when it is named`, () => {
    equal(policy.check(call("fetch", host)).decision, "allow");
  });
}

const DENIED = [
  "sub.example.com",
  "example.com.evil.org",
  "xexample.com",
  "cdn.net",
  "xcdn.net",
  "wild.org",
  "",
];
for (const host of DENIED) {
  Deno.test(`policy: fetch of ${JSON.stringify(host)} does not pass`, () => {
    notEqual(policy.check(call("fetch", host)).decision, "allow");
  });
}

Deno.test("policy: fetch passes nowhere when nothing is named, nor when its host cannot be told", () => {
  notEqual(new DefaultPolicy().check(call("fetch", "example.com")).decision, "allow");
  notEqual(policy.check(call("fetch")).decision, "allow");
});

Deno.test("policy: functions of one's own pass", () => {
  equal(new DefaultPolicy().check(call("lookup", "anything")).decision, "allow");
});

for (
  const domain of [
    "",
    "https://example.com",
    "example.com/x",
    "a b",
    "a..b",
    "*",
    "*.",
  ]
) {
  Deno.test(`policy: ${JSON.stringify(domain)} is no domain`, () => {
    throws(() => new DefaultPolicy({ allowDomains: [domain] }), { name: "TypeError" });
  });
}

Deno.test("policy: AllowAll lets everything pass", () => {
  equal(new AllowAll().check(call("fetch", "10.0.0.1")).decision, "allow");
});
