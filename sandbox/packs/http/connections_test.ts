import { deepEqual, equal, match } from "node:assert/strict";
import type { Socket } from "node:net";
import { callEngine, failedCall } from "../../../tests/fixtures/http/engine_call.ts";
import { startRawSite } from "../../../tests/fixtures/http/site.ts";
import { Connections } from "./connections.ts";

const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/** Answers each request of a connection with what a function gives for its number on that connection; nothing resets it. */
function answering(answer: (request: number) => string | undefined) {
  return (socket: Socket) => {
    let requests = 0;
    const next = () => {
      const text = answer(requests++);
      if (text === undefined) socket.resetAndDestroy();
      else socket.write(text);
    };
    next();
    socket.on("data", next);
  };
}

Deno.test("connections: one serves request after request", async () => {
  await using site = await startRawSite(answering(() => OK));
  using connections = new Connections();
  for (let round = 0; round < 5; round++) {
    const { response } = await callEngine([`http://a.test:${site.port}/${round}`], {
      engine: { connections },
    });
    equal(response.body, "ok");
  }
  equal(site.connections, 1);
});

Deno.test("connections: requests at once have one each", async () => {
  await using site = await startRawSite(answering(() => OK));
  using connections = new Connections();
  await Promise.all(
    Array.from(
      { length: 4 },
      () => callEngine([`http://a.test:${site.port}/`], { engine: { connections } }),
    ),
  );
  equal(site.connections, 4);
});

Deno.test("connections: another host, another port and another network are other connections", async () => {
  await using site = await startRawSite(answering(() => OK));
  using connections = new Connections();
  const get = (host: string) =>
    callEngine([`http://${host}:${site.port}/`], { engine: { connections } });
  await get("a.test");
  await get("b.test");
  equal(site.connections, 2);
  const { signal } = new AbortController();
  const route = { host: "a.test", port: 80, secure: false, addresses: [], bySystem: false };
  const key = (network: "public" | "private", more = {}) =>
    connections.to({ ...route, network, ...more }, { method: "GET", fresh: false, signal })
      .routeKey;
  equal(key("public"), key("public"));
  equal(
    new Set([
      key("public"),
      key("private"),
      key("public", { secure: true }),
      key("public", { port: 81 }),
    ]).size,
    4,
  );
});

Deno.test("connections: the gate is asked about each request, also where the connection is kept", async () => {
  await using site = await startRawSite(answering(() => OK));
  using connections = new Connections();
  const url = [`http://a.test:${site.port}/`];
  await callEngine(url, { engine: { connections } });
  const { aims } = await failedCall(url, { engine: { connections }, refuse: () => true });
  equal(aims.length, 1);
});

Deno.test("connections: a GET on one that was closed meanwhile is sent again on a fresh one", async () => {
  await using site = await startRawSite(answering((request) => request === 0 ? OK : undefined));
  using connections = new Connections();
  for (let round = 0; round < 3; round++) {
    const { response } = await callEngine([`http://a.test:${site.port}/`], {
      engine: { connections },
    });
    equal(response.body, "ok");
  }
  equal(site.connections, 3);
});

Deno.test("connections: what may not be sent twice has a connection of its own", async () => {
  const heads: string[] = [];
  await using site = await startRawSite((socket, head) => {
    heads.push(head.split(" ")[0]!);
    answering(() => OK)(socket);
  });
  using connections = new Connections();
  for (const method of ["GET", "POST", "DELETE", "GET"]) {
    await callEngine([`http://a.test:${site.port}/`, { method }], { engine: { connections } });
  }
  deepEqual(heads, ["GET", "POST", "DELETE"]);
});

Deno.test("connections: a fresh one that fails is not tried again", async () => {
  await using site = await startRawSite(answering(() => undefined));
  const { error } = await failedCall([`http://a.test:${site.port}/`]);
  match(error.message, /the other side closed the connection/);
  equal(site.connections, 1);
});

Deno.test("connections: a server that says close is taken by its word", async () => {
  const closing = OK.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n");
  await using site = await startRawSite(answering(() => closing));
  using connections = new Connections();
  for (let round = 0; round < 2; round++) {
    await callEngine([`http://a.test:${site.port}/`], { engine: { connections } });
  }
  equal(site.connections, 2);
});

Deno.test("connections: one whose body was left unread serves nobody else", async () => {
  const long = "HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n" + "x".repeat(500);
  await using site = await startRawSite(answering(() => long));
  using connections = new Connections();
  const engine = { connections, maxBytes: 100 };
  const url = [`http://a.test:${site.port}/`];
  await failedCall(url, { engine });
  await failedCall(url, { engine });
  equal(site.connections, 2);
  await site.allClosed();
});

Deno.test("connections: bytes that nobody asked for end a connection", async () => {
  await using site = await startRawSite(
    answering(() => OK + "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"),
  );
  using connections = new Connections();
  for (let round = 0; round < 2; round++) {
    const { response } = await callEngine([`http://a.test:${site.port}/`], {
      engine: { connections },
    });
    equal(response.body, "ok");
  }
});

Deno.test("connections: all end with the run, and a later run makes new ones", async () => {
  await using site = await startRawSite(answering(() => OK));
  using connections = new Connections();
  for (let run = 0; run < 2; run++) {
    const ending = new AbortController();
    connections.endWith(ending.signal);
    connections.endWith(ending.signal);
    await callEngine([`http://a.test:${site.port}/`], { engine: { connections } });
    ending.abort();
    await site.allClosed();
  }
  equal(site.connections, 2);
});
