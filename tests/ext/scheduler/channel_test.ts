/** The channels, the web hook against a real server on the loopback. */
import { deepEqual, equal, match, ok, throws } from "node:assert/strict";
import { createHmac } from "node:crypto";
import {
  type ChannelMessage,
  sessionChannel,
  stdoutChannel,
  webhookChannel,
  type WebhookChannelOptions,
} from "../../../ext/scheduler/mod.ts";

const MESSAGE: ChannelMessage = {
  id: "abc@2026-03-01T10:00:00.000Z",
  kind: "message",
  taskId: "abc",
  sessionId: "s",
  title: "Tea",
  text: "the tea is ready",
  zone: "Europe/Berlin",
  dueAt: new Date("2026-03-01T10:00:00Z"),
  lateMs: 120_000,
  missed: 0,
  at: new Date("2026-03-01T10:02:00Z"),
};
const SECRET = "0123456789abcdef";
const NEVER = new AbortController().signal;

interface Received {
  readonly headers: Headers;
  readonly body: string;
}

/** A server that answers as it is told, one answer a request; the last goes on. */
function hook(answers: readonly (Response | (() => Response | Promise<Response>))[]) {
  const received: Received[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const answer = answers[Math.min(received.length, answers.length - 1)];
    received.push({ headers: request.headers, body: await request.text() });
    return typeof answer === "function" ? await answer() : answer?.clone() ?? new Response();
  });
  return {
    received,
    url: `http://127.0.0.1:${server.addr.port}/hooks/secret-path?token=t`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

function channel(url: string, more: Partial<WebhookChannelOptions> = {}) {
  return webhookChannel({ url, secret: SECRET, fetch, checkUrl() {}, retryDelayMs: 1, ...more });
}

Deno.test("webhookChannel: posts JSON with a signature and the occurrence as key", async () => {
  await using server = hook([new Response("fine")]);
  deepEqual(await channel(server.url).deliver(MESSAGE, { signal: NEVER }), { ok: true });
  const [{ headers, body }] = server.received as [Received];
  deepEqual(JSON.parse(body), {
    type: "schedule_message",
    id: MESSAGE.id,
    task_id: "abc",
    session_id: "s",
    title: "Tea",
    text: "the tea is ready",
    timezone: "Europe/Berlin",
    due_at: "2026-03-01T10:00:00.000Z",
    late_ms: 120_000,
    missed: 0,
    sent_at: "2026-03-01T10:02:00.000Z",
  });
  equal(headers.get("idempotency-key"), MESSAGE.id);
  equal(headers.get("content-type"), "application/json");
  const [, seconds, mac] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(
    headers.get("x-agentloop-signature") ?? "",
  ) ?? [];
  equal(mac, createHmac("sha256", SECRET).update(`${seconds}.${body}`).digest("hex"));
});

Deno.test("webhookChannel: tries again under the same key after 5xx and 429", async () => {
  await using server = hook([
    new Response(null, { status: 503 }),
    new Response(null, { status: 429, headers: { "retry-after": "0" } }),
    new Response(null, { status: 204 }),
  ]);
  deepEqual(await channel(server.url).deliver(MESSAGE, { signal: NEVER }), { ok: true });
  deepEqual(server.received.map(({ headers }) => headers.get("idempotency-key")), [
    MESSAGE.id,
    MESSAGE.id,
    MESSAGE.id,
  ]);
});

Deno.test("webhookChannel: a long Retry-After is left to the next attempt", async () => {
  const date = new Date(Date.now() + 3_600_000).toUTCString();
  for (const [value, most] of [["120", 120_000], [date, 3_600_000]] as const) {
    await using server = hook([
      new Response(null, { status: 429, headers: { "retry-after": value } }),
    ]);
    const delivery = await channel(server.url).deliver(MESSAGE, { signal: NEVER });
    ok(!delivery.ok && delivery.retry);
    ok(Number(delivery.retryAfterMs) <= most && Number(delivery.retryAfterMs) > most - 60_000);
    equal(server.received.length, 1);
  }
});

Deno.test("webhookChannel: what a server refuses is not sent again, and a redirect is not followed", async () => {
  for (const [status, why] of [[404, /status 404/], [302, /redirect/]] as const) {
    await using server = hook([
      new Response(null, { status, headers: { location: "http://127.0.0.1:1/" } }),
    ]);
    const delivery = await channel(server.url).deliver(MESSAGE, { signal: NEVER });
    ok(!delivery.ok && !delivery.retry);
    match(delivery.reason, why);
    equal(delivery.reason.includes("secret-path"), false);
    equal(server.received.length, 1);
  }
});

Deno.test("webhookChannel: nobody there, or no answer in time, is a failure that may be tried again, without the address", async () => {
  const server = hook([new Response()]);
  await server[Symbol.asyncDispose]();
  const gone = await channel(server.url).deliver(MESSAGE, { signal: NEVER });
  ok(!gone.ok && gone.retry);
  equal(gone.reason.includes("secret-path"), false, gone.reason);

  const release = Promise.withResolvers<Response>();
  await using slow = hook([() => release.promise]);
  const delivery = await channel(slow.url, { timeoutMs: 1, attempts: 1 })
    .deliver(MESSAGE, { signal: NEVER });
  ok(!delivery.ok && delivery.retry);
  release.resolve(new Response());
});

Deno.test("webhookChannel: an address that must not be reached is never asked", async () => {
  await using server = hook([new Response()]);
  const delivery = await channel(server.url, {
    checkUrl: ({ hostname }) => {
      throw new Error(`${hostname} lies in a private network`);
    },
  }).deliver(MESSAGE, { signal: NEVER });
  ok(!delivery.ok && !delivery.retry);
  match(delivery.reason, /private network/);
  equal(server.received.length, 0);
});

Deno.test("webhookChannel: refuses what is no address, and a short secret", () => {
  throws(() => channel("ftp://example.com/"), /https/);
  throws(() => channel("https://u:p@example.com/"), /user or password/);
  throws(() => channel("https://example.com/", { secret: "short" }), /16 characters/);
});

Deno.test("stdoutChannel: writes one line a message, and lets nothing through to the terminal", async () => {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  const text = "a\nb\x1b[31m\u202ec\x9b\u200f\u061c\r\n";
  const nasty = { ...MESSAGE, title: "T\x07", text };
  await stdoutChannel({ write }).deliver(nasty, { signal: NEVER });
  equal(
    lines[0],
    "[T\\x07, due Sunday, 2026-03-01 11:00:00 +0100, 2 minutes late] a b\\x1b[31m\\u202ec\\x9b\\u200f\\u061c ",
  );
  await stdoutChannel({ write, format: "ndjson" }).deliver(nasty, { signal: NEVER });
  equal(lines[1]?.includes("\n"), false);
  equal(JSON.parse(lines[1] ?? "").text, text);
});

Deno.test("channels: a part that is missing is told when the channel is made, not when something is due", () => {
  const url = "https://example.com/hook";
  const parts = { url, secret: SECRET, fetch, checkUrl() {} };
  for (const field of ["fetch", "checkUrl"]) {
    throws(() => webhookChannel({ ...parts, [field]: undefined }), {
      name: "TypeError",
      message: `webhookChannel: ${field} must be a function`,
    });
  }
  throws(() => sessionChannel({} as never), /sessionChannel: steps must be a step store/);
});
