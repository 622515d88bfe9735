import { deepEqual, equal, throws } from "node:assert/strict";
import type { JsonValue } from "../../../contracts/json.ts";
import { readRequest } from "./read_request.ts";

const URL_TEXT = "https://example.com/";
const read = (init: JsonValue) => readRequest([URL_TEXT, init]);
const bodyOf = (init: JsonValue) => new TextDecoder().decode(read(init).body);

Deno.test("request: without options it is a GET without a body", () => {
  const request = readRequest([URL_TEXT]);
  equal(request.method, "GET");
  equal(request.body, undefined);
  equal(request.as, "text");
  equal(request.redirect, "follow");
  deepEqual([...request.headers], []);
});

Deno.test("request: methods are put in capitals, those of tunnels and traces refused", () => {
  equal(read({ method: "patch" }).method, "PATCH");
  equal(read({ method: "PROPFIND" }).method, "PROPFIND");
  for (const method of ["CONNECT", "trace", "TRACK", "GET /x HTTP/1.1\r\nA: b", "", " "]) {
    throws(() => read({ method }), { name: "TypeError", message: /the method .* is not allowed/ });
  }
});

Deno.test("request: a JSON value is sent as JSON, a text as it is", () => {
  equal(bodyOf({ method: "POST", body: { a: [1, "ä"] } }), '{"a":[1,"ä"]}');
  equal(bodyOf({ method: "POST", body: 0 }), "0");
  equal(bodyOf({ method: "POST", body: false }), "false");
  equal(bodyOf({ method: "POST", body: "a=1&b=2" }), "a=1&b=2");
  equal(read({ method: "POST", body: null }).body, undefined);
  const type = (init: JsonValue) => read(init).headers.get("content-type");
  equal(type({ method: "POST", body: {} }), "application/json");
  equal(type({ method: "POST", body: "x" }), "text/plain;charset=UTF-8");
  equal(type({ method: "POST", body: {}, headers: { "Content-Type": "a/b" } }), "a/b");
});

Deno.test("request: GET and HEAD take no body", () => {
  for (const method of ["GET", "head"]) {
    throws(() => read({ method, body: {} }), { message: /has no body; use method: "POST"/ });
  }
});

Deno.test("request: headers come as an object or as pairs; numbers become text", () => {
  deepEqual([...read({ headers: { "X-A": "1", "x-b": 2 } }).headers], [["x-a", "1"], ["x-b", "2"]]);
  deepEqual([...read({ headers: [["x-a", "1"], ["X-A", "2"]] }).headers], [["x-a", "1, 2"]]);
});

const FORBIDDEN = [
  "Host",
  "host",
  "Connection",
  "Content-Length",
  "Transfer-Encoding",
  "TE",
  "Trailer",
  "Upgrade",
  "Keep-Alive",
  "Expect",
  "Proxy-Authorization",
];
for (const name of FORBIDDEN) {
  Deno.test(`request: the header ${name} cannot be set`, () => {
    throws(() => read({ headers: { [name]: "x" } }), {
      name: "TypeError",
      message: /cannot be set: it follows from the rest of the request/,
    });
  });
}

for (
  const [name, value] of [
    ["x-a", "1\r\nHost: evil"],
    ["x-a", "1\nx"],
    ["x-a", "\0"],
    ["x-a", "日本"],
    ["x a", "1"],
    ["x:a", "1"],
    ["", "1"],
  ] as const
) {
  Deno.test(`request: the header ${JSON.stringify(name)}: ${JSON.stringify(value)} cannot be sent`, () => {
    throws(() => read({ headers: { [name]: value } }), {
      name: "TypeError",
      message: /cannot be sent/,
    });
  });
}

Deno.test("request: a header's value is a text", () => {
  throws(() => read({ headers: { "x-a": null } }), { message: /"x-a" needs a text/ });
  throws(() => read({ headers: { "x-a": ["1"] } }), { message: /"x-a" needs a text/ });
  throws(() => read({ headers: "x" }), { message: /headers is an object/ });
  throws(() => read({ headers: ["x"] }), { message: /list of such pairs/ });
});

Deno.test("request: an unknown option is named together with what there is", () => {
  throws(() => read({ params: { q: 1 } }), {
    message:
      'there is no option "params"; there is: method, headers, body, timeoutMs, as, redirect. A query belongs into the URL',
  });
  throws(() => read({ timeout: 5 }), { message: /The time is timeoutMs/ });
  throws(() => read({ json: {} }), { message: /Data belongs into body/ });
  throws(() => read("POST"), { message: /second argument is an object/ });
});

Deno.test("request: options of browsers that mean nothing here are let pass", () => {
  equal(read({ mode: "cors", credentials: "include", cache: "no-store" }).method, "GET");
});

Deno.test("request: timeoutMs, as and redirect are checked", () => {
  equal(read({ timeoutMs: 1.5 }).timeoutMs, 1.5);
  for (const timeoutMs of [0, -1, "5"]) {
    throws(() => read({ timeoutMs }), { message: /timeoutMs is a number of milliseconds above 0/ });
  }
  equal(read({ as: "base64" }).as, "base64");
  throws(() => read({ as: "blob" }), { message: 'as is "text" or "base64"' });
  throws(() => read({ redirect: "x" }), { message: 'redirect is "follow" or "manual" or "error"' });
});
