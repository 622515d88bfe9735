import { equal, match, ok } from "node:assert/strict";
import { failedCall } from "../../../tests/fixtures/http/engine_call.ts";
import { closedPort, startRawSite, startSite } from "../../../tests/fixtures/http/site.ts";
import { Connections } from "./connections.ts";
import { toHttpFailure } from "./http_failure.ts";

/** What must never be in a message: addresses that were dialled, codes of the system, internals of the runtime. */
const INTERNALS =
  /127\.0\.0\.1|ECONN|errno|syscall|ext:|node:|at .*:\d+:\d+|\bos error\b|undefined/;

async function messageOf(args: Parameters<typeof failedCall>[0]): Promise<string> {
  const { error } = await failedCall(args);
  ok(!INTERNALS.test(error.message), error.message);
  return error.message;
}

Deno.test("failure: a refused connection", async () => {
  const port = closedPort();
  equal(
    await messageOf([`http://a.test:${port}/`]),
    `a.test:${port} cannot be asked: the connection was refused`,
  );
});

Deno.test("failure: a connection that is closed before, in, and after the head", async () => {
  for (const sent of ["", "HTTP/1.1 200 OK\r\nX-A:"]) {
    await using site = await startRawSite((socket) => socket.end(sent));
    match(
      await messageOf([`http://a.test:${site.port}/`]),
      /the other side closed the connection|not HTTP/,
    );
  }
  await using site = await startRawSite((socket) =>
    socket.end("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
  );
  equal(
    await messageOf([`http://a.test:${site.port}/`]),
    `the answer of a.test:${site.port} broke off: the other side closed the connection`,
  );
});

Deno.test("failure: a body without a length whose connection is reset, not closed", async () => {
  await using site = await startRawSite((socket) => {
    socket.write("HTTP/1.1 200 OK\r\n\r\nabc", () => socket.resetAndDestroy());
  });
  match(await messageOf([`http://a.test:${site.port}/`]), /the other side closed the connection/);
});

Deno.test("failure: chunks that end early", async () => {
  await using site = await startRawSite((socket) =>
    socket.end("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab")
  );
  match(await messageOf([`http://a.test:${site.port}/`]), /broke off/);
});

Deno.test("failure: what is not HTTP", async () => {
  for (const sent of ["220 smtp ready\r\n", "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n"]) {
    await using site = await startRawSite((socket) => socket.end(sent));
    match(await messageOf([`http://a.test:${site.port}/`]), /what it sent is not HTTP/);
  }
});

Deno.test("failure: an answer that switches to another protocol", async () => {
  await using site = await startRawSite((socket) =>
    socket.end("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n")
  );
  match(await messageOf([`http://a.test:${site.port}/`]), /wants another protocol than HTTP/);
  await site.allClosed();
});

Deno.test("failure: a certificate for another name gets no request", async () => {
  await using site = startSite(() => new Response("secret"), { secure: true });
  match(
    await messageOf([`https://wrong.test:${site.port}/`, {
      headers: { authorization: "Bearer t" },
    }]),
    /^wrong\.test:\d+ cannot be asked: its certificate is for another name$/,
  );
  equal(site.hits.length, 0);
});

Deno.test("failure: a certificate of an unknown authority gets no request", async () => {
  await using site = startSite(() => new Response("secret"), { secure: true });
  using connections = new Connections();
  const { error } = await failedCall([`https://secure.test:${site.port}/`], {
    engine: { connections },
  });
  match(error.message, /its certificate comes from an authority that is not trusted here/);
  equal(site.hits.length, 0);
});

Deno.test("failure: a server that hangs up in the handshake", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const accepted = listener.accept().then((connection) => connection.close());
  match(
    await messageOf([`https://a.test:${listener.addr.port}/`]),
    /the other side closed the connection/,
  );
  await accepted;
  listener.close();
});

Deno.test("failure: https to a server without TLS, and the other way round", async () => {
  await using plain = startSite(() => new Response());
  match(await messageOf([`https://a.test:${plain.port}/`]), /no secure connection can be made/);
  await using secure = startSite(() => new Response(), { secure: true });
  match(await messageOf([`http://secure.test:${secure.port}/`]), /what it sent is not HTTP|closed/);
});

const RESOLVING = [
  ["ENOTFOUND", "the name cannot be resolved"],
  ["EAI_AGAIN", "the name cannot be resolved at the moment"],
  [
    "EPERM",
    "the program that runs the script has no permission to connect there (--allow-net=a.test)",
  ],
] as const;
for (const [code, words] of RESOLVING) {
  Deno.test(`failure: a resolver that fails with ${code}`, async () => {
    const { error } = await failedCall(["http://a.test/"], {
      resolve: () =>
        Promise.reject(Object.assign(new Error(`getaddrinfo ${code} a.test`), { code })),
    });
    equal(error.message, `a.test cannot be asked: ${words}`);
  });
}

Deno.test("failure: an error that nobody knows says no more than its code", () => {
  const told = (error: unknown) => toHttpFailure(error, { host: "a.test", stage: "send" }).message;
  equal(
    told(Object.assign(new Error("/home/me: at 10.0.0.1"), { code: "EWEIRD" })),
    "a.test cannot be asked: the request failed (EWEIRD)",
  );
  equal(told(new Error("/home/me: at 10.0.0.1")), "a.test cannot be asked: the request failed");
  equal(told("text"), "a.test cannot be asked: the request failed");
  const several = new AggregateError([Object.assign(new Error("x"), { code: "ECONNREFUSED" })]);
  equal(told(several), "a.test cannot be asked: the connection was refused");
});
