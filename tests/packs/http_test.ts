import { deepEqual, equal, match, ok, throws } from "node:assert/strict";
import type { ApprovalRequest } from "../../contracts/approval.ts";
import { DefaultPolicy } from "../../loop/policy.ts";
import { fetchCapability, httpCapability } from "../../sandbox/packs/http/capability.ts";
import { FETCH_PROMPT, HTTP_PROMPT } from "../../sandbox/packs/http/declarations.ts";
import { closedPort, startRawSite, startSite } from "../fixtures/http/site.ts";
import { runScripts } from "./script_loop.ts";

const capabilities = [fetchCapability(), httpCapability()];

/** Whatever the test process may, nothing here reaches another machine. */
const permissions: Deno.PermissionOptions = {
  net: ["127.0.0.1"],
  run: "inherit",
  read: "inherit",
  env: "inherit",
};

/** Lets the test's own site through, and nothing else that is private. */
const allowing = (...hosts: readonly string[]) => ({
  config: { policy: new DefaultPolicy({ allowPrivateHosts: hosts }) },
});

Deno.test("fetch: both calling styles give the same answer, with its methods", async () => {
  await using site = startSite(() => Response.json({ n: 7 }, { headers: { "X-A": "b" } }));
  const url = JSON.stringify(`http://127.0.0.1:${site.port}/`);
  const read =
    "[res.status, res.ok, res.json().n, res.text(), res.headers.get('X-a'), res.headers.has('no')]";
  const { result } = await runScripts([
    `function run() { const res = fetch(${url}); return ${read}; }`,
    `async function run(sync) { const res = await fetch(${url}); answer([sync, ${read}, (await res.json()).n]); }`,
  ], { capabilities });
  const answer = [200, true, 7, '{"n":7}', "b", false];
  deepEqual(JSON.parse(result.finalText), [answer, answer, 7]);
});

Deno.test("fetch: an answer threads whole, without its methods", async () => {
  await using site = startSite(() => new Response("hi", { status: 201 }));
  const url = JSON.stringify(`http://127.0.0.1:${site.port}/x`);
  const { result, observations } = await runScripts([
    `function run() { return fetch(${url}); }`,
    `function run(res) { answer([Object.keys(res), res.status, res.body, typeof res.json]); }`,
  ], { capabilities });
  deepEqual(JSON.parse(result.finalText), [
    ["status", "ok", "url", "headers", "body"],
    201,
    "hi",
    "undefined",
  ]);
  ok(!observations[0]!.includes("stored as"), observations[0]);
});

Deno.test('require("http") has a function for each method, in both styles', async () => {
  await using site = startSite((_request, { method, body, headers }) =>
    Response.json([method, body, headers["x-a"] ?? null])
  );
  const base = `http://127.0.0.1:${site.port}/`;
  const calls = `[
    http.get(url), http.delete(url, { headers: { "X-A": "1" } }), http.post(url, { a: 1 }), http.put(url, "t"),
    http.patch(url, [1], { headers: { "X-A": "2" } }), http.request(url, { method: "options" }),
    http.request({ url, method: "PUT", body: "u" }), http.get(url, { method: "POST" }),
  ]`;
  const { result } = await runScripts([
    `const http = require("http");
     function run() { const url = ${
      JSON.stringify(base)
    }; return ${calls}.map((res) => res.json()); }`,
    `async function run(sync) {
       const http = require("http");
       const url = ${JSON.stringify(base)};
       answer([sync, (await Promise.all(${calls})).map((res) => res.json())]);
     }`,
  ], { capabilities });
  const seen = [
    ["GET", "", null],
    ["DELETE", "", "1"],
    ["POST", '{"a":1}', null],
    ["PUT", "t", null],
    ["PATCH", "[1]", "2"],
    ["OPTIONS", "", null],
    ["PUT", "u", null],
    ["GET", "", null],
  ];
  deepEqual(JSON.parse(result.finalText), [seen, seen]);
});

Deno.test("fetch: Promise.all has its requests under way at once", async () => {
  const count = 20;
  const all = Promise.withResolvers<void>();
  let waiting = 0;
  await using site = startSite(async () => {
    if (++waiting === count) all.resolve();
    await all.promise;
    return new Response("ok");
  });
  const { result } = await runScripts([
    `async function run() {
       const urls = Array.from({ length: ${count} }, (_, i) => "http://127.0.0.1:${site.port}/" + i);
       const answers = await Promise.all(urls.map((url) => fetch(url)));
       answer(answers.filter((res) => res.ok).length);
     }`,
  ], { capabilities });
  equal(result.finalText, String(count));
});

Deno.test("fetch: a body that is not JSON says what it is instead", async () => {
  await using site = startSite((_request, { path }) =>
    path === "/empty"
      ? new Response(null, { status: 204 })
      : new Response("<p>Sorry</p>", { status: 502, headers: { "content-type": "text/html" } })
  );
  const base = `http://127.0.0.1:${site.port}`;
  const { result } = await runScripts([
    `function run() {
       const messages = [];
       for (const path of ["/page", "/empty"]) {
         try { fetch("${base}" + path).json(); } catch (error) { messages.push(error.name + ": " + error.message); }
       }
       answer(messages);
     }`,
  ], { capabilities });
  deepEqual(JSON.parse(result.finalText), [
    `SyntaxError: the body of ${base}/page (status 502, text/html) is not JSON: <p>Sorry</p>`,
    `SyntaxError: the body of ${base}/empty (status 204, no content-type) is empty: `,
  ]);
});

Deno.test("fetch: binary comes as base64, which text() and json() do not take for text", async () => {
  await using site = startSite(() => new Response(new Uint8Array([0, 255, 254])));
  const { result } = await runScripts([
    `function run() {
       const res = fetch("http://127.0.0.1:${site.port}/", { as: "base64" });
       try { res.text(); } catch (error) { answer([res.body, error.message]); }
     }`,
  ], { capabilities });
  match(result.finalText, /"AP\/\+"/);
  match(result.finalText, /the body is base64, as asked for/);
});

Deno.test("fetch: what goes wrong is an error that the script can catch, by its name", async () => {
  const port = closedPort();
  await using slow = await startRawSite(() => {});
  const { result } = await runScripts([
    `function run() {
       const told = [];
       const attempt = (url, init) => {
         try { fetch(url, init); } catch (error) { told.push(error.name + ": " + error.message); }
       };
       attempt("http://127.0.0.1:${port}/");
       attempt("http://127.0.0.1:${slow.port}/", { timeoutMs: 50 });
       attempt("http://127.0.0.1:${port}/", { headers: { Host: "x" } });
       attempt("http://127.0.0.1:${port}/", { method: "POST", boody: 1 });
       attempt("ftp://127.0.0.1/");
       answer(told);
     }`,
  ], { capabilities });
  const told: string[] = JSON.parse(result.finalText);
  equal(told[0], `Error: fetch: 127.0.0.1:${port} cannot be asked: the connection was refused`);
  match(told[1]!, /^TimeoutError: fetch: no complete answer from 127\.0\.0\.1:\d+ within 50 ms/);
  match(told[2]!, /^TypeError: fetch: the header "Host" cannot be set/);
  match(told[3]!, /^TypeError: fetch: there is no option "boody"; there is: method,/);
  match(told[4]!, /^TypeError: fetch: "ftp:" URLs are not allowed/);
});

Deno.test("NET-04: a redirect to a host that is not allowed is refused, and the run goes on", async () => {
  await using inner = await startRawSite((socket) => socket.end());
  await using site = startSite((_request, { path }) =>
    path === "/ok" ? new Response("fine") : new Response(null, {
      status: 302,
      headers: {
        location: path === "/meta"
          ? "http://169.254.169.254/latest/"
          : `http://127.0.0.1:${inner.port}/`,
      },
    })
  );
  const base = `http://127.0.0.1:${site.port}`;
  const { result, observations } = await runScripts([
    `function run() {
       for (const path of ["/meta", "/inner"]) {
         try { fetch("${base}" + path); } catch (error) { log(error.name, error.message); }
       }
       return fetch("${base}/ok").text();
     }`,
    `function run(text) { answer(text); }`,
  ], { capabilities, ...allowing(`127.0.0.1:${site.port}`) });
  match(
    observations[0]!,
    /PermissionError fetch \(169\.254\.169\.254\) is refused: 169\.254\.169\.254 lies in a private network; allowPrivateHosts: \["169\.254\.169\.254"\] lets it pass\. Do not try it again in this run\./,
  );
  match(observations[0]!, new RegExp(`allowPrivateHosts: \\["127\\.0\\.0\\.1:${inner.port}"\\]`));
  equal(result.finalText, "fine");
  equal(inner.connections, 0);
});

const HIDDEN = [
  "http://2130706433:PORT/",
  "http://0x7f.1:PORT/",
  "http://127.1:PORT/",
  "http://[::ffff:127.0.0.1]:PORT/",
  "http://localhost.:PORT/",
  "http://foo.localhost:PORT/",
  "http://169.254.169.254/latest/meta-data/",
];
Deno.test("NET-05: no spelling of a private address passes the default policy", async () => {
  await using inner = await startRawSite((socket) => socket.end());
  const urls = HIDDEN.map((url) => url.replace("PORT", String(inner.port)));
  const { result } = await runScripts([
    `async function run() {
       const tries = ${JSON.stringify(urls)}.flatMap((url) => [fetch(url), http.get(url)]);
       answer((await Promise.allSettled(tries)).map(({ reason }) => String(reason)));
     }`,
  ], { capabilities, ...allowing() });
  const reasons: string[] = JSON.parse(result.finalText);
  equal(reasons.length, 2 * urls.length);
  for (const reason of reasons) match(reason, /PermissionError: \w+ \(.*lies in a private network/);
  equal(inner.connections, 0);
});

for (
  const [what, addresses] of [
    ["a private address", ["10.0.0.5"]],
    ["a public and a private one", ["93.184.216.34", "::1"]],
  ] as const
) {
  Deno.test({
    name: `NET-10: a domain that is allowed and leads to ${what} is refused`,
    permissions,
    async fn() {
      const { observations } = await runScripts([
        `function run() { fetch("https://both.test/"); }`,
      ], {
        capabilities: [fetchCapability({ resolve: () => Promise.resolve(addresses) })],
        config: { policy: new DefaultPolicy({ allowDomains: ["both.test"] }) },
      });
      match(
        observations[0]!,
        /fetch \(both\.test\) is refused: both\.test lies in a private network/,
      );
    },
  });
}

Deno.test({
  name: "fetch: a public host is asked about once, before its name is resolved",
  permissions,
  async fn() {
    const order: string[] = [];
    const asked: ApprovalRequest[] = [];
    const { observations } = await runScripts([
      `function run() { fetch("https://new.test/path"); }`,
    ], {
      capabilities: [fetchCapability({
        resolve: (name) => Promise.resolve((order.push(`resolve ${name}`), ["93.184.216.34"])),
      })],
      config: {
        policy: new DefaultPolicy(),
        approve(request) {
          order.push(`ask ${request.target}`);
          asked.push(request);
          return { decision: "approve" };
        },
      },
    });
    deepEqual(order, ["ask new.test", "resolve new.test"]);
    match(asked[0]!.reason, /new\.test is not among the allowed hosts/);
    match(observations[0]!, /no permission to connect there \(--allow-net=new\.test\)/);
  },
});

Deno.test("fetch: without anybody to ask, a public host is refused and not even resolved", async () => {
  let resolved = 0;
  const { observations, store } = await runScripts([
    `function run() { try { fetch("https://new.test/"); } catch (error) { log(error.message); } }`,
  ], {
    capabilities: [fetchCapability({ resolve: () => Promise.resolve((resolved++, [])) })],
    ...allowing(),
  });
  match(
    observations[0]!,
    /fetch \(new\.test\) is refused: it needs an approval that nobody is here to give/,
  );
  equal(resolved, 0);
  const [row] = await store.calls("s");
  deepEqual([row?.name, row?.target, row?.decision, row?.outcome], [
    "fetch",
    "new.test",
    "denied",
    "refused",
  ]);
});

Deno.test("fetch: a URL whose host cannot be told is refused", async () => {
  const { observations } = await runScripts([`function run() { fetch("/orders"); }`], {
    capabilities,
    ...allowing(),
  });
  match(observations[0]!, /fetch is refused: its host cannot be told; it takes a full URL/);
});

Deno.test("fetch and http can each be had alone, and their declarations cost little", async () => {
  const prompts = await Promise.all(
    [fetchCapability(), httpCapability()].map(async (capability) => {
      const { result } = await runScripts([
        `function run() { answer([typeof fetch, typeof http]); }`,
      ], {
        capabilities: [capability],
      });
      return [result.finalText, result.systemPrompt] as const;
    }),
  );
  deepEqual(prompts.map(([text]) => JSON.parse(text)), [["function", "undefined"], [
    "undefined",
    "object",
  ]]);
  ok(prompts[0]![1].includes(FETCH_PROMPT));
  ok(prompts[1]![1].includes(HTTP_PROMPT));
  ok(new TextEncoder().encode(FETCH_PROMPT + HTTP_PROMPT).length <= 700);
});

Deno.test("fetch: help holds what the declaration leaves out", async () => {
  const { result } = await runScripts(
    [`function run() { answer(help("fetch") + help("http")); }`],
    {
      capabilities,
    },
  );
  match(result.finalText, /fetch\(url, init\) makes an HTTP request/);
  match(result.finalText, /http\.request\(\{ url, \.\.\.init \}\)/);
});

Deno.test("fetch: a run that is ended leaves no request behind", async () => {
  const run = new AbortController();
  await using site = await startRawSite(() => run.abort());
  const { result } = await runScripts([
    `function run() { fetch("http://127.0.0.1:${site.port}/"); answer("never"); }`,
  ], {
    capabilities: [fetchCapability({ timeoutMs: 3_600_000 })],
    request: { signal: run.signal },
  });
  deepEqual([result.status, result.reason], ["error", "aborted"]);
  await site.allClosed();
  equal(site.connections, 1);
});

Deno.test("fetch: an option that there is not is refused", () => {
  for (const make of [fetchCapability, httpCapability]) {
    throws(() => make({ maxByte: 1 } as never), {
      name: "TypeError",
      message:
        "fetch: there is no option maxByte; there are timeoutMs, maxBytes, maxConcurrent, resolve",
    });
  }
});
