/** `serve --approve wait`: a run ends where somebody would have to be asked, and goes on when a client gives the word. */
import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { startOpenAIServer } from "../fixtures/openai_server.ts";
import { openHome, script } from "./cli_process.ts";
import { allEvents, type ServeProcess, startServe } from "./serve_process.ts";

const WRITE = script(
  'function run() { writeFile("out.txt", "hello"); return "written"; }',
);

function decide(server: ServeProcess, body: object): Promise<Response> {
  return server.request("/sessions/s/decisions", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

Deno.test("serve: a run that waits names its call, and goes on with the word of a client", async () => {
  await using model = await startOpenAIServer({ replies: [WRITE, "It is written."] });
  await using home = await openHome(model.baseUrl);
  await using server = await startServe(home, ["--approve", "wait"]);
  const { data } = (await allEvents(await server.send("s", "go"))).at(-1)!;
  deepStrictEqual([data.status, data.exit_code, data.pending.name], ["waiting", 5, "writeFile"]);
  const { call_id } = data.pending;
  const shown = await (await server.request("/sessions/s")).json();
  strictEqual(shown.pending.call_id, call_id);

  const other = await decide(server, { call_id: "x", decision: "approve" });
  deepStrictEqual([other.status, (await other.json()).error.code], [409, "not_waiting"]);
  const went = (await allEvents(await decide(server, { call_id, decision: "approve" }))).at(-1);
  strictEqual(went?.data.text, "It is written.");
  strictEqual(await Deno.readTextFile(`${home.path}/out.txt`), "hello");
  strictEqual((await (await server.request("/sessions/s")).json()).pending, null);
  const again = await decide(server, { call_id, decision: "approve" });
  deepStrictEqual([again.status, (await again.json()).error.code], [409, "not_waiting"]);
});

Deno.test("serve: a decision makes no session", async () => {
  await using model = await startOpenAIServer();
  await using home = await openHome(model.baseUrl);
  await using server = await startServe(home, ["--approve", "wait"]);
  const response = await decide(server, { call_id: "x", decision: "deny" });
  deepStrictEqual([response.status, (await response.json()).error.code], [409, "not_waiting"]);
  const shown = await server.request("/sessions/s");
  deepStrictEqual([shown.status, (await shown.json()).error.code], [404, "not_found"]);
});

Deno.test("serve: changed arguments and a refusal reach the script", async () => {
  await using model = await startOpenAIServer({ replies: [WRITE, "Done.", WRITE, "Not done."] });
  await using home = await openHome(model.baseUrl);
  await using server = await startServe(home, ["--approve", "wait"]);
  const first = (await allEvents(await server.send("s", "go"))).at(-1)?.data.pending.call_id;
  const args = ["other.txt", "changed"];
  await allEvents(await decide(server, { call_id: first, decision: "approve", args }));
  strictEqual(await Deno.readTextFile(`${home.path}/other.txt`), "changed");
  const second = (await allEvents(await server.send("s", "again"))).at(-1)?.data.pending.call_id;
  const word = { call_id: second, decision: "deny", reason: "not on a Monday" };
  const refused = (await allEvents(await decide(server, word))).at(-1);
  strictEqual(refused?.data.text, "Not done.");
  match(JSON.stringify(model.requests[3]?.body.messages), /not on a Monday/);
});

Deno.test("serve: a decision that is none is refused", async () => {
  await using model = await startOpenAIServer();
  await using home = await openHome(model.baseUrl);
  await using server = await startServe(home, ["--approve", "wait"]);
  const wrong = [
    {},
    { decision: "approve" },
    { call_id: "x" },
    { call_id: "x", decision: "wait" },
    { call_id: 7, decision: "deny" },
    { call_id: "x", decision: "deny", reason: 7 },
    { call_id: "x", decision: "deny", args: [] },
    { call_id: "x", decision: "approve", args: {} },
    { call_id: "x", decision: "approve", reason: "why" },
    { call_id: "x", decision: "approve", message: "go" },
  ];
  for (const body of wrong) {
    const response = await decide(server, body);
    const { error } = await response.json();
    deepStrictEqual([response.status, error.code], [400, "bad_request"], JSON.stringify(body));
  }
});
