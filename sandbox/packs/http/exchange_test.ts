import { deepEqual, equal, match } from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { callEngine } from "../../../tests/fixtures/http/engine_call.ts";
import { startRawSite, startSite } from "../../../tests/fixtures/http/site.ts";

Deno.test("exchange: gives status, url, headers and body of an answer", async () => {
  await using site = startSite(() =>
    new Response("hällo", { status: 404, headers: { "X-A": "1" } })
  );
  const { response } = await callEngine([`http://a.test:${site.port}/p?q=1#f`]);
  equal(response.status, 404);
  equal(response.ok, false);
  equal(response.url, `http://a.test:${site.port}/p?q=1`);
  equal(response.headers["x-a"], "1");
  equal(response.body, "hällo");
});

Deno.test("exchange: a method, headers and a JSON body reach the server", async () => {
  await using site = startSite((_request, hit) => new Response(hit.body));
  const init = { method: "put", headers: { "X-Key": "k" }, body: { a: "ä" } };
  const { response } = await callEngine([`http://a.test:${site.port}/`, init]);
  equal(response.body, '{"a":"ä"}');
  const [hit] = site.hits;
  equal(hit?.method, "PUT");
  equal(hit?.headers["x-key"], "k");
  equal(hit?.headers["content-length"], "10");
});

Deno.test("exchange: names itself, and lets the script name itself otherwise", async () => {
  await using site = startSite(() => new Response());
  await callEngine([`http://a.test:${site.port}/`]);
  await callEngine([`http://a.test:${site.port}/`, {
    headers: { "User-Agent": "me", accept: "a/b" },
  }]);
  deepEqual(site.hits.map(({ headers }) => [headers["user-agent"], headers["accept"]]), [
    ["agentloop", "*/*"],
    ["me", "a/b"],
  ]);
});

Deno.test("exchange: a POST without a body says that it has none", async () => {
  await using site = startSite(() => new Response());
  await callEngine([`http://a.test:${site.port}/`, { method: "POST" }]);
  equal(site.hits[0]?.headers["content-length"], "0");
});

for (const status of [204, 304]) {
  Deno.test(`exchange: ${status} has no body`, async () => {
    await using site = startSite(() => new Response(null, { status }));
    const { response } = await callEngine([`http://a.test:${site.port}/`]);
    deepEqual([response.status, response.body], [status, ""]);
  });
}

Deno.test("exchange: HEAD has no body, whatever its headers announce", async () => {
  await using site = await startRawSite((socket) =>
    socket.end("HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\nContent-Encoding: gzip\r\n\r\n")
  );
  const { response } = await callEngine([`http://a.test:${site.port}/`, { method: "HEAD" }]);
  equal(response.body, "");
  equal(response.headers["content-length"], "99999999");
});

Deno.test("exchange: an empty body that calls itself compressed is empty", async () => {
  for (const encoding of ["gzip", "br", "deflate"]) {
    await using site = await startRawSite((socket) =>
      socket.end(`HTTP/1.1 200 OK\r\nContent-Encoding: ${encoding}\r\nContent-Length: 0\r\n\r\n`)
    );
    equal((await callEngine([`http://a.test:${site.port}/`])).response.body, "");
  }
});

Deno.test("exchange: binary is given as base64 on request, byte for byte", async () => {
  const data = Uint8Array.from({ length: 256 }, (_, index) => index);
  await using site = startSite(() =>
    new Response(data, { headers: { "content-type": "image/png" } })
  );
  const { response } = await callEngine([`http://a.test:${site.port}/`, { as: "base64" }]);
  deepEqual(Uint8Array.from(atob(response.body), (letter) => letter.charCodeAt(0)), data);
});

Deno.test("exchange: base64 is of the decompressed body", async () => {
  await using site = await startRawSite((socket) => {
    const body = gzipSync("packed");
    socket.write(
      `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${body.length}\r\n\r\n`,
    );
    socket.end(body);
  });
  const { response } = await callEngine([`http://a.test:${site.port}/`, { as: "base64" }]);
  equal(atob(response.body), "packed");
});

Deno.test("exchange: headers that came more than once are joined, cookies line by line", async () => {
  await using site = await startRawSite((socket) =>
    socket.end(
      "HTTP/1.1 200 OK\r\nVary: a\r\nvary: b\r\nSet-Cookie: x=1; Expires=Thu, 01 Jan 2026 00:00:00 GMT\r\n" +
        "Set-Cookie: y=2\r\n__proto__: p\r\nContent-Length: 0\r\n\r\n",
    )
  );
  const { response: { headers } } = await callEngine([`http://a.test:${site.port}/`]);
  equal(headers["vary"], "a, b");
  equal(headers["set-cookie"], "x=1; Expires=Thu, 01 Jan 2026 00:00:00 GMT\ny=2");
  equal(Object.getOwnPropertyDescriptor(headers, "__proto__")?.value, "p");
});

Deno.test("NET-09: the charset of the header reaches the text", async () => {
  await using site = startSite(() =>
    new Response(new Uint8Array([0x93, 0xfa, 0x96, 0x7b]), {
      headers: { "content-type": "text/plain; charset=shift_jis" },
    })
  );
  equal((await callEngine([`http://a.test:${site.port}/`])).response.body, "日本");
});

Deno.test("exchange: an answer before the whole request was read is an answer", async () => {
  await using site = await startRawSite((socket) => {
    socket.end("HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\n\r\nbig");
  });
  const init = { method: "POST", body: "x".repeat(500_000) };
  const { response } = await callEngine([`http://a.test:${site.port}/`, init]);
  deepEqual([response.status, response.body], [413, "big"]);
});

Deno.test("exchange: interim answers are passed over", async () => {
  await using site = await startRawSite((socket) =>
    socket.end(
      "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
    )
  );
  equal((await callEngine([`http://a.test:${site.port}/`])).response.body, "ok");
});

Deno.test("exchange: https goes to the resolved address, with the name of the URL in TLS and Host", async () => {
  await using site = startSite(() => new Response("safe"), { secure: true });
  const { response } = await callEngine([`https://secure.test:${site.port}/`]);
  equal(response.body, "safe");
  equal(site.hits[0]?.headers["host"], `secure.test:${site.port}`);
  match(response.url, /^https:/);
});

Deno.test("exchange: a certificate may be for an address", async () => {
  await using site = startSite(() => new Response("safe"), { secure: true });
  const { response } = await callEngine([`https://127.0.0.1:${site.port}/`]);
  equal(response.body, "safe");
});

Deno.test("exchange: a server that keeps connections open is left all the same", async () => {
  await using site = await startRawSite((socket) =>
    socket.write("HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok")
  );
  for (let round = 0; round < 3; round++) await callEngine([`http://a.test:${site.port}/`]);
  await site.allClosed();
  equal(site.connections, 3);
});
