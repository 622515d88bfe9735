/** `serve`: runs that are under way: beside each other, left by their client, read slowly, and when the server is to stop. */
import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { chunkOf, sseEvent, startOpenAIServer } from "../fixtures/openai_server.ts";
import { onlyResult, openHome, processesOf, script } from "./cli_process.ts";
import {
  allEvents,
  eventsOf,
  type ServedEvent,
  type ServeProcess,
  startServe,
} from "./serve_process.ts";

/** A reply of the model that begins and goes on when it is told. */
function heldReply() {
  const go = Promise.withResolvers<void>();
  const pieces = [
    sseEvent(chunkOf("he")),
    () => go.promise,
    sseEvent(chunkOf("llo", "stop")),
    sseEvent("[DONE]"),
  ];
  return { reply: { pieces }, go: () => go.resolve() };
}

/** Reads on until an event of a type has come. */
async function until(events: AsyncGenerator<ServedEvent>, type: string): Promise<ServedEvent> {
  for (;;) {
    const { done, value } = await events.next();
    if (done) throw new Error(`the stream ended before ${type}`);
    if (value.event === type) return value;
  }
}

/** Waits until a signal has arrived: nobody new is let in then. */
async function untilClosed(server: ServeProcess): Promise<void> {
  for (;;) {
    const reply = await fetch(`${server.url}/health`).catch(() => undefined);
    if (reply === undefined) return;
    await reply.body?.cancel();
  }
}

Deno.test("serve: a session that answers is busy, others are answered beside it, as many as may be", async () => {
  const held = [heldReply(), heldReply()];
  await using model = await startOpenAIServer({
    replies: [...held.map(({ reply }) => reply), "again", "third"],
  });
  await using home = await openHome(model.baseUrl);
  await using server = await startServe(home, ["--max-runs", "2"]);
  const first = eventsOf(await server.send("one", "go"));
  await until(first, "response_chunk");

  const busy = await server.send("one", "and?");
  strictEqual(busy.status, 409);
  strictEqual(busy.headers.get("retry-after"), "1");
  strictEqual((await busy.json()).error.code, "busy");

  const second = eventsOf(await server.send("two", "go"));
  await until(second, "response_chunk");
  const full = await server.send("three", "go");
  strictEqual(full.status, 503);
  strictEqual(full.headers.get("retry-after"), "1");
  strictEqual((await full.json()).error.code, "overloaded");
  const { sessions } = await (await server.request("/sessions")).json();
  deepStrictEqual(
    sessions.map((one: Record<string, unknown>) => `${one.session_id} ${one.busy}`).sort(),
    ["one true", "two true"],
  );

  for (const { go } of held) go();
  strictEqual((await until(first, "result")).data.text, "hello");
  strictEqual((await until(second, "result")).data.text, "hello");
  strictEqual((await allEvents(await server.send("one", "and?"))).at(-1)?.data.text, "again");
  strictEqual((await allEvents(await server.send("three", "go"))).at(-1)?.data.text, "third");
});

Deno.test("serve: a client that goes away ends its run, and the session can be used again", async () => {
  const held = heldReply();
  await using model = await startOpenAIServer({ replies: [held.reply, "back"] });
  await using home = await openHome(model.baseUrl);
  await using server = await startServe(home);
  const leave = new AbortController();
  const events = eventsOf(await server.send("s", "go", { signal: leave.signal }));
  await until(events, "response_chunk");
  leave.abort();
  await events.next().catch(() => {});
  // The request to the model is given up: nobody waits for its answer.
  strictEqual(await model.requests[0]?.closed, "cut");
  let again = await server.send("s", "are you there?");
  while (again.status === 409) {
    await again.body?.cancel();
    again = await server.send("s", "are you there?");
  }
  strictEqual((await allEvents(again)).at(-1)?.data.text, "back");
  const { trace } = await (await server.request("/sessions/s")).json();
  match(JSON.stringify(trace), /aborted|abort/);
});

Deno.test("serve: a client that goes away during a script ends the script", async () => {
  await using model = await startOpenAIServer({
    replies: [script("function run() { log('on it'); sleep(60000); answer('late'); }"), "back"],
  });
  await using home = await openHome(model.baseUrl);
  await using server = await startServe(home);
  const leave = new AbortController();
  const events = eventsOf(await server.send("s", "go", { signal: leave.signal }));
  await until(events, "execute_js");
  leave.abort();
  await events.next().catch(() => {});
  let again = await server.send("s", "are you there?");
  while (again.status === 409) {
    await again.body?.cancel();
    again = await server.send("s", "are you there?");
  }
  strictEqual((await allEvents(again)).at(-1)?.data.text, "back");
});

Deno.test("serve: a run that ends in the time that it gets is answered whole; then the server is gone", async () => {
  const held = heldReply();
  await using model = await startOpenAIServer({ replies: [held.reply] });
  await using home = await openHome(model.baseUrl);
  await using server = await startServe(home, ["--grace", "1h"]);
  const events = eventsOf(await server.send("s", "go"));
  await until(events, "response_chunk");
  server.child.kill("SIGTERM");
  await untilClosed(server);
  held.go();
  strictEqual((await until(events, "result")).data.text, "hello");
  strictEqual((await events.next()).done, true);
  const ended = await server.ended();
  strictEqual(ended.code, 143);
  strictEqual(onlyResult(ended.stdout).reason, "aborted");
  deepStrictEqual(await processesOf(home), []);
});

Deno.test("serve: a run that needs longer is ended, and its client told so by a whole stream", async () => {
  await using model = await startOpenAIServer({
    replies: [script("function run() { sleep(60000); }")],
  });
  await using home = await openHome(model.baseUrl);
  await using server = await startServe(home, ["--grace", "100ms"]);
  const events = eventsOf(await server.send("s", "go"));
  await until(events, "execute_js");
  server.child.kill("SIGTERM");
  const { data } = await until(events, "result");
  strictEqual(data.status, "error");
  strictEqual(data.reason, "aborted");
  strictEqual(data.exit_code, 143);
  strictEqual((await events.next()).done, true);
  strictEqual((await server.ended()).code, 143);
  deepStrictEqual(await processesOf(home), []);
});

Deno.test("serve: a second signal ends the server at once", async () => {
  const held = heldReply();
  await using model = await startOpenAIServer({ replies: [held.reply] });
  await using home = await openHome(model.baseUrl);
  await using server = await startServe(home, ["--grace", "1h"]);
  const events = eventsOf(await server.send("s", "go"));
  await until(events, "response_chunk");
  server.child.kill("SIGTERM");
  await untilClosed(server);
  server.child.kill("SIGTERM");
  const ended = await server.ended();
  strictEqual(ended.code, 143);
  strictEqual(onlyResult(ended.stdout).exit_code, 143);
  await events.next().catch(() => {});
});

/** Asks and reads no more than the beginning of the reply. */
async function askAndReadNothing(server: ServeProcess, sessionId: string): Promise<Deno.TcpConn> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port: server.port });
  const body = JSON.stringify({ message: "go" });
  const head = [
    `POST /sessions/${sessionId}/messages HTTP/1.1`,
    `Host: 127.0.0.1:${server.port}`,
    `Authorization: Bearer ${server.token}`,
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
  ];
  await connection.write(new TextEncoder().encode([...head, "", body].join("\r\n")));
  await connection.read(new Uint8Array(64));
  return connection;
}

async function untilIdle(server: ServeProcess, sessionId: string): Promise<void> {
  for (;;) {
    const { busy } = await (await server.request(`/sessions/${sessionId}`)).json();
    if (busy === false) return;
  }
}

/** Each turn tells of 6 MiB that it carries. */
const LARGE_TURN = script("function run() { return 'x'.repeat(6 * 1024 * 1024); }");

Deno.test("serve: a client that reads nothing is given up before much waits for it", async () => {
  await using model = await startOpenAIServer({
    otherwise: ({ text }) => text.includes("are you there") ? "still here" : LARGE_TURN,
  });
  await using home = await openHome(model.baseUrl);
  await using server = await startServe(home, ["--max-steps", "100"]);
  using _connection = await askAndReadNothing(server, "slow");
  await untilIdle(server, "slow");
  // 16 MiB wait at most, beside what the system holds for both ends.
  const turns = model.requests.length;
  strictEqual(turns >= 3 && turns <= 8, true, `${turns} turns`);
  const again = await allEvents(await server.send("slow", "are you there?"));
  strictEqual(again.at(-1)?.data.text, "still here");
});

Deno.test("serve: a client that reads nothing keeps no server from stopping", async () => {
  await using model = await startOpenAIServer({ replies: [LARGE_TURN, LARGE_TURN] });
  await using home = await openHome(model.baseUrl);
  await using server = await startServe(home, ["--max-steps", "2"]);
  using _connection = await askAndReadNothing(server, "slow");
  await untilIdle(server, "slow");
  server.child.kill("SIGTERM");
  strictEqual((await server.ended()).code, 143);
  deepStrictEqual(await processesOf(home), []);
});
