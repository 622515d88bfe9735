import { deepEqual, equal, match } from "node:assert/strict";
import { callEngine, failedCall, Refusal } from "../../../tests/fixtures/http/engine_call.ts";
import {
  closedPort,
  type Site,
  startRawSite,
  startSite,
} from "../../../tests/fixtures/http/site.ts";

/** A site whose first answer redirects and whose next says what it was sent. */
function redirectingSite(status: number, location: (port: number) => string): Site {
  const site = startSite((_request, hit) =>
    hit.path === "/go"
      ? new Response("ignored", { status, headers: { location: location(site.port) } })
      : Response.json(hit)
  );
  return site;
}

const REWRITES = [
  [301, "POST", "GET"],
  [302, "POST", "GET"],
  [303, "POST", "GET"],
  [303, "DELETE", "GET"],
  [303, "HEAD", "HEAD"],
  [301, "PUT", "PUT"],
  [302, "DELETE", "DELETE"],
  [307, "POST", "POST"],
  [308, "PUT", "PUT"],
] as const;
for (const [status, before, after] of REWRITES) {
  Deno.test(`redirect: ${status} makes of a ${before} a ${after}`, async () => {
    await using site = redirectingSite(status, () => "/end");
    const hasBody = before === "POST" || before === "PUT";
    const init = { method: before, ...(hasBody ? { body: { a: 1 } } : {}) };
    const { response } = await callEngine([`http://a.test:${site.port}/go`, init]);
    equal(response.url, `http://a.test:${site.port}/end`);
    const [, hit] = site.hits;
    equal(hit?.method, after);
    equal(hit?.body, hasBody && before === after ? '{"a":1}' : "");
    equal(hit?.headers["content-type"] !== undefined, hasBody && before === after);
  });
}

Deno.test("redirect: credentials stay with their origin, other headers go along", async () => {
  await using site = startSite((request, hit) => {
    const { port } = new URL(request.url);
    const to: Record<string, string> = { "/a": "/b", "/b": `http://other.test:${port}/c` };
    const location = to[hit.path];
    return location === undefined
      ? Response.json({})
      : new Response(null, { status: 302, headers: { location } });
  });
  const headers = { Authorization: "Bearer t", Cookie: "c=1", "X-A": "1" };
  const { aims } = await callEngine([`http://a.test:${site.port}/a`, { headers }]);
  deepEqual(
    site.hits.map(({ headers }) => [headers.authorization, headers.cookie, headers["x-a"]]),
    [
      ["Bearer t", "c=1", "1"],
      ["Bearer t", "c=1", "1"],
      [undefined, undefined, "1"],
    ],
  );
  equal(site.hits[2]?.headers["host"], `other.test:${site.port}`);
  deepEqual(aims.at(-1), { target: "other.test", port: site.port, network: "private" });
});

Deno.test("redirect: another port is another origin", async () => {
  await using end = startSite(() => new Response());
  await using site = redirectingSite(302, () => `http://a.test:${end.port}/`);
  const headers = { authorization: "Bearer t" };
  await callEngine([`http://a.test:${site.port}/go`, { headers }]);
  equal(end.hits[0]?.headers.authorization, undefined);
});

/** Refuses what is not the test's own first host. */
const onlyFirst = (site: Site) => ({
  refuse: (aim: { target: string; port?: number }) =>
    aim.target !== "a.test" || aim.port !== site.port,
});

const BLOCKED = [
  [302, "http://169.254.169.254/latest/", "169.254.169.254", 80],
  [307, "http://localhost./", "localhost", 80],
  [302, "//127.0.0.1/x", "127.0.0.1", 80],
  [302, "http://2130706433/", "127.0.0.1", 80],
  [308, "http://[::ffff:10.0.0.1]:8080/", "[::ffff:a00:1]", 8080],
] as const;
for (const [status, location, target, port] of BLOCKED) {
  Deno.test(`NET-04: a redirect to ${location} is asked about before anything is sent there`, async () => {
    await using site = redirectingSite(status, () => location);
    const resolved: string[] = [];
    const { error, aims } = await failedCall([`http://a.test:${site.port}/go`], {
      ...onlyFirst(site),
      resolve: (name) => Promise.resolve((resolved.push(name), ["127.0.0.1"])),
    });
    equal(error instanceof Refusal, true);
    deepEqual(aims.at(-1), { target, port, network: "private" });
    deepEqual(resolved, ["a.test"], "a refused host is not resolved");
    equal(site.hits.length, 1);
  });
}

Deno.test("NET-04: a refused host of a redirect gets no packet and no look-up", async () => {
  await using inner = await startRawSite((socket) => socket.end());
  await using site = redirectingSite(302, () => `http://inner.test:${inner.port}/`);
  const resolved: string[] = [];
  const { aims } = await failedCall([`http://a.test:${site.port}/go`], {
    ...onlyFirst(site),
    resolve: (name) => Promise.resolve((resolved.push(name), ["127.0.0.1"])),
  });
  equal(inner.connections, 0);
  deepEqual(resolved, ["a.test"]);
  deepEqual(aims.at(-1), { target: "inner.test", port: inner.port });
});

for (
  const location of ["file:///etc/passwd", "data:text/html,x", "javascript:1", "ftp://a.test/"]
) {
  Deno.test(`NET-04: a redirect to ${location} is refused`, async () => {
    await using site = redirectingSite(302, () => location);
    const { error } = await failedCall([`http://a.test:${site.port}/go`]);
    match(error.message, /redirects to where no request can go: ".*" URLs are not allowed/);
  });
}

Deno.test("NET-04: a redirect that carries a user name, or is no URL, is refused", async () => {
  await using named = redirectingSite(302, () => "http://u:p@a.test/");
  match((await failedCall([`http://a.test:${named.port}/go`])).error.message, /holds a user name/);
  await using broken = redirectingSite(302, () => "http://[");
  match((await failedCall([`http://a.test:${broken.port}/go`])).error.message, /is not a URL/);
});

Deno.test("NET-04: a chain of ten redirects is followed, one of eleven is not", async () => {
  await using site = startSite((_request, { path }) => {
    const left = Number(path.slice(1));
    return left === 0
      ? new Response("end")
      : new Response(null, { status: 302, headers: { location: `/${left - 1}` } });
  });
  const start = (count: number) => [`http://a.test:${site.port}/${count}`];
  equal((await callEngine(start(10))).response.body, "end");
  const { error } = await failedCall(start(11));
  match(error.message, /gave up after 10 redirects/);
  equal(site.hits.length, 22);
});

Deno.test("NET-04: a redirect loop ends at the same limit", async () => {
  await using site = redirectingSite(302, () => "/go");
  const { error } = await failedCall([`http://a.test:${site.port}/go`]);
  match(error.message, /gave up after 10 redirects/);
});

Deno.test("redirect: from https to http is refused", async () => {
  const port = closedPort();
  await using site = startSite(
    () => new Response(null, { status: 301, headers: { location: `http://secure.test:${port}/` } }),
    { secure: true },
  );
  const { error, aims } = await failedCall([`https://secure.test:${site.port}/`]);
  match(error.message, /redirects from https to http:\/\/secure\.test:\d+, which is not encrypted/);
  equal(aims.length, 1);
});

Deno.test("redirect: an answer without a location, or 300 and 304, is given back as it is", async () => {
  await using site = startSite((_request, { path }) =>
    new Response(null, {
      status: Number(path.slice(1)),
      headers: path === "/302" ? {} : { location: "/x" },
    })
  );
  for (const status of [302, 300, 304]) {
    const { response } = await callEngine([`http://a.test:${site.port}/${status}`]);
    equal(response.status, status);
  }
});

Deno.test("redirect: the script may want it back, or an error", async () => {
  await using site = redirectingSite(302, () => "http://10.0.0.1/");
  const url = `http://a.test:${site.port}/go`;
  const { response } = await callEngine([url, { redirect: "manual" }]);
  deepEqual([response.status, response.headers["location"]], [302, "http://10.0.0.1/"]);
  const { error } = await failedCall([url, { redirect: "error" }]);
  match(error.message, /which redirect: "error" refuses/);
});

Deno.test("redirect: a location in UTF-8 is read as such", async () => {
  const paths: string[] = [];
  await using site = await startRawSite((socket, head) => {
    paths.push(head.split(" ")[1] ?? "");
    const bytes = new TextEncoder().encode(
      "HTTP/1.1 302 Found\r\nLocation: /ä\r\nContent-Length: 0\r\n\r\n",
    );
    socket.end(paths.length === 1 ? bytes : "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  });
  await callEngine([`http://a.test:${site.port}/`]);
  deepEqual(paths, ["/", "/%C3%A4"]);
});
