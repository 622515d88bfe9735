import { equal, match, ok } from "node:assert/strict";
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { callEngine, failedCall } from "../../../tests/fixtures/http/engine_call.ts";
import { startRawSite, startSite } from "../../../tests/fixtures/http/site.ts";
import { RequestSlots } from "./request_slots.ts";

const MAX = 100_000;
const limited = { engine: { maxBytes: MAX } };

/** A site that sends bytes under a content encoding, with their length or in chunks until the client leaves. */
function encodedSite(encoding: string, body: Uint8Array) {
  return startRawSite((socket) => {
    socket.write(
      `HTTP/1.1 200 OK\r\nContent-Encoding: ${encoding}\r\nContent-Length: ${body.length}\r\n\r\n`,
    );
    socket.end(body);
  });
}

Deno.test("limits: a body of exactly the limit passes, one byte more is refused", async () => {
  for (const announced of [true, false]) {
    await using site = startSite((_request, { path }) => {
      const bytes = new Uint8Array(Number(path.slice(1))).fill(97);
      return new Response(announced ? bytes : new Blob([bytes]).stream());
    });
    const url = (bytes: number) => [`http://a.test:${site.port}/${bytes}`];
    equal((await callEngine(url(MAX), limited)).response.body.length, MAX);
    const { error } = await failedCall(url(MAX + 1), limited);
    equal(error.name, "RangeError");
    match(
      error.message,
      announced
        ? /^the body has 100001 bytes, the limit is 100000 \(maxBytes\)/
        : /^the body has more than 100000 bytes, the limit is 100000 \(maxBytes\)/,
    );
  }
});

const fast = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
const ENCODERS = [
  ["gzip", "gzip", gzipSync],
  ["gzip by its old name", "x-gzip", gzipSync],
  ["br", "br", (bytes: Uint8Array) => brotliCompressSync(bytes, fast)],
  ["deflate", "deflate", deflateSync],
  ["deflate without its header", "deflate", deflateRawSync],
] as const;
for (const [name, encoding, encode] of ENCODERS) {
  Deno.test(`limits: ${name} counts after decompression`, async () => {
    await using fits = await encodedSite(encoding, encode(new Uint8Array(MAX).fill(97)));
    const { response } = await callEngine([`http://a.test:${fits.port}/`], limited);
    equal(response.body, "a".repeat(MAX));
    await using over = await encodedSite(encoding, encode(new Uint8Array(MAX + 1).fill(97)));
    const { error } = await failedCall([`http://a.test:${over.port}/`], limited);
    match(error.message, /more than 100000 bytes, the limit is 100000/);
  });
}

for (const [, encoding, encode] of [ENCODERS[0], ENCODERS[2]]) {
  Deno.test(`limits: a decompression bomb of ${encoding} is cut while it is read`, async () => {
    const bomb = encode(new Uint8Array(300 * 1024 * 1024));
    ok(bomb.length < 1024 * 1024);
    await using site = await encodedSite(encoding, bomb);
    const before = Deno.memoryUsage().rss;
    const { error } = await failedCall([`http://a.test:${site.port}/`]);
    match(error.message, /more than 4194304 bytes, the limit is 4194304 \(maxBytes\)/);
    ok(Deno.memoryUsage().rss - before < 100 * 1024 * 1024);
    await site.allClosed();
  });
}

Deno.test("limits: a bomb in a bomb is cut too, and more layers are not even opened", async () => {
  const twice = gzipSync(gzipSync(new Uint8Array(50 * 1024 * 1024)));
  await using site = await encodedSite("gzip, gzip", twice);
  const { error } = await failedCall([`http://a.test:${site.port}/`]);
  match(error.message, /more than 4194304 bytes/);
  await using deep = await encodedSite("gzip, gzip, gzip, gzip", twice);
  match(
    (await failedCall([`http://a.test:${deep.port}/`])).error.message,
    /the body is encoded 4 times over/,
  );
});

Deno.test("limits: encodings come off in the reverse of their order", async () => {
  await using site = await encodedSite("gzip, br", brotliCompressSync(gzipSync("both")));
  equal((await callEngine([`http://a.test:${site.port}/`])).response.body, "both");
});

Deno.test("limits: a body that is not what its header says, or cut, is a failure", async () => {
  const gzip = gzipSync("x".repeat(1000));
  for (const [encoding, body] of [["gzip", gzipSync("a").subarray(1)], ["br", gzip]] as const) {
    await using site = await encodedSite(encoding, body);
    const { error } = await failedCall([`http://a.test:${site.port}/`]);
    equal(error.message, `the body is not what its header says: ${encoding}`);
  }
  await using cut = await encodedSite("gzip", gzip.subarray(0, gzip.length - 4));
  match(
    (await failedCall([`http://a.test:${cut.port}/`])).error.message,
    /not what its header says/,
  );
  await using strange = await encodedSite("gzip, compress", gzip);
  match(
    (await failedCall([`http://a.test:${strange.port}/`])).error.message,
    /encoded as "compress", which cannot be read here/,
  );
});

Deno.test("limits: a body without end is left at the limit", async () => {
  await using site = await startRawSite((socket) => {
    socket.write("HTTP/1.1 200 OK\r\n\r\n");
    const more = () => {
      while (!socket.destroyed && socket.write(new Uint8Array(16_384)));
      socket.once("drain", more);
    };
    more();
  });
  const { error } = await failedCall([`http://a.test:${site.port}/`], limited);
  match(error.message, /more than 100000 bytes/);
  await site.allClosed();
});

Deno.test("limits: headers beyond 64 KiB are refused, below they pass", async () => {
  await using site = await startRawSite((socket, head) => {
    const size = Number(/^GET \/(\d+)/.exec(head)?.[1]);
    socket.end(`HTTP/1.1 200 OK\r\nX-A: ${"b".repeat(size)}\r\nContent-Length: 0\r\n\r\n`);
  });
  const url = (size: number) => [`http://a.test:${site.port}/${size}`];
  equal((await callEngine(url(60_000))).response.headers["x-a"]?.length, 60_000);
  const { error } = await failedCall(url(70_000));
  equal(error.name, "RangeError");
  match(error.message, /the headers of .*'s answer are over the limit of 65536 bytes/);
});

const STALLS = [
  ["before the head", ""],
  ["in the head", "HTTP/1.1 200 OK\r\nX-A: "],
  ["in the body", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"],
  ["after a redirect", "HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n"],
] as const;
for (const [where, sent] of STALLS) {
  Deno.test(`limits: a server that stalls ${where} is left at timeoutMs`, async () => {
    let answered = false;
    await using site = await startRawSite((socket) => {
      if (!answered || !sent.includes("302")) socket.write(sent);
      answered = true;
    });
    const { error } = await failedCall([`http://a.test:${site.port}/`, { timeoutMs: 150 }]);
    equal(error.name, "TimeoutError");
    equal(error.message, `no complete answer from a.test:${site.port} within 150 ms (timeoutMs)`);
    await site.allClosed();
  });
}

Deno.test("limits: a body that drips is left at timeoutMs, though it never stops", async () => {
  await using site = await startRawSite((socket) => {
    socket.write("HTTP/1.1 200 OK\r\n\r\n");
    const timer = setInterval(() => socket.write("x"), 5);
    socket.on("close", () => clearInterval(timer));
  });
  const { error } = await failedCall([`http://a.test:${site.port}/`, { timeoutMs: 100 }]);
  equal(error.name, "TimeoutError");
  await site.allClosed();
});

Deno.test("limits: the time of the options holds where the script names none", async () => {
  await using site = await startRawSite(() => {});
  const { error } = await failedCall([`http://a.test:${site.port}/`], {
    engine: { timeoutMs: 50 },
  });
  match(error.message, /within 50 ms/);
  await site.allClosed();
});

Deno.test("limits: a resolver that does not answer is left at timeoutMs", async () => {
  const { error } = await failedCall(["http://a.test/", { timeoutMs: 30 }], {
    resolve: () => new Promise(() => {}),
  });
  equal(error.name, "TimeoutError");
});

Deno.test("limits: the time stands still while the gate asks a person", async () => {
  await using site = startSite(() => new Response("ok"));
  const { response } = await callEngine([`http://a.test:${site.port}/`, { timeoutMs: 100 }], {
    onAsk: () => new Promise((resolve) => setTimeout(resolve, 200)),
  });
  equal(response.body, "ok");
});

const AT = ["before the head", "in the body"] as const;
for (const where of AT) {
  Deno.test(`limits: a call that is ended ${where} leaves its connection at once`, async () => {
    const call = new AbortController();
    await using site = await startRawSite((socket) => {
      if (where === "in the body") socket.write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc");
      setTimeout(() => call.abort(new Error("the run has ended")), 20);
    });
    const { error } = await failedCall([`http://a.test:${site.port}/`], { signal: call.signal });
    equal(error.name !== "TimeoutError", true);
    await site.allClosed();
  });
}

Deno.test("limits: a call that has ended already connects to nobody", async () => {
  await using site = await startRawSite((socket) => socket.end());
  const { error } = await failedCall([`http://a.test:${site.port}/`], {
    signal: AbortSignal.abort(new Error("over")),
  });
  equal(error.message, "over");
  equal(site.connections, 0);
});

Deno.test("limits: so many requests are under way at once, the others wait", async () => {
  let now = 0;
  let most = 0;
  await using site = startSite(async () => {
    most = Math.max(most, ++now);
    await new Promise((resolve) => setTimeout(resolve, 10));
    now--;
    return new Response("ok");
  });
  const slots = new RequestSlots(3);
  const all = Array.from(
    { length: 10 },
    () => callEngine([`http://a.test:${site.port}/`], { engine: { slots } }),
  );
  equal((await Promise.all(all)).every(({ response }) => response.body === "ok"), true);
  equal(most, 3);
});
