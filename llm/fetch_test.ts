// Needs --allow-net for loopback.
import { deepEqual, equal } from "node:assert/strict";
import { createRuntimeFetch } from "./fetch.ts";

function startEcho() {
  return Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    const { method, url, headers } = request;
    return Response.json([
      method,
      new URL(url).pathname,
      headers.get("authorization"),
      headers.get("content-type"),
      await request.text(),
    ]);
  });
}

Deno.test("the runtime's fetch: each request has its own method, address, headers and body, as with fetch itself", async () => {
  await using server = startEcho();
  const origin = `http://127.0.0.1:${server.addr.port}`;
  const json: HeadersInit = [["authorization", "Bearer a"], ["content-type", "application/json"]];
  const others: HeadersInit = [["authorization", "Bearer b"]];
  const requests: readonly (readonly [string, RequestInit | undefined])[] = [
    [`${origin}/a`, { method: "POST", headers: json, body: '{"n":1}' }],
    [`${origin}/a`, { method: "POST", headers: json, body: '{"n":"é"}' }],
    [`${origin}/b`, { method: "POST", headers: json, body: "{}" }],
    [`${origin}/b`, { method: "GET", headers: json }],
    [`${origin}/b`, { method: "POST", headers: others, body: "text" }],
    [`${origin}/b`, undefined],
  ];
  const send = createRuntimeFetch();
  for (const [url, init] of requests) {
    const [own, plain] = await Promise.all([send(url, init), fetch(url, init)]);
    deepEqual(await own.json(), await plain.json());
  }
});

Deno.test("the runtime's fetch: a request ends with its own signal, and the next one does not", async () => {
  await using server = startEcho();
  const url = `http://127.0.0.1:${server.addr.port}/a`;
  const init = { method: "POST", headers: [["authorization", "x"]] as [string, string][] };
  const send = createRuntimeFetch();
  const ended = await send(url, { ...init, body: "1", signal: AbortSignal.abort("no more") })
    .catch((reason) => reason);
  equal(ended, "no more");
  const going = await send(url, { ...init, body: "2", signal: new AbortController().signal });
  equal((await going.json())[4], "2");
});

Deno.test("the runtime's fetch: what a program put in its place gets address and options as they are", async () => {
  const send = createRuntimeFetch();
  const init = { method: "POST", headers: [] as [string, string][], body: "{}" };
  const original = globalThis.fetch;
  const got: unknown[] = [];
  globalThis.fetch = (...given) => {
    got.push(given);
    return Promise.resolve(new Response("mine"));
  };
  try {
    equal(await (await send("https://example.com/a", init)).text(), "mine");
  } finally {
    globalThis.fetch = original;
  }
  deepEqual(got, [["https://example.com/a", init]]);
});
