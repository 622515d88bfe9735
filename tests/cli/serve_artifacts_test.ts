/** `serve`: what scripts save can be opened by whoever has its address, and by nobody else. */
import { match, notStrictEqual, strictEqual } from "node:assert/strict";
import { startOpenAIServer } from "../fixtures/openai_server.ts";
import { openHome, script } from "./cli_process.ts";
import { allEvents, rawRequest, startServe, statusOf } from "./serve_process.ts";

const SAVE = script(`function run() {
  const saved = artifact_save({ filename: "news.html", title: "News", content: "<h1>News</h1>" });
  answer(saved.address);
}`);

Deno.test("serve: an artifact is opened at the address that its script got, without the token and without an origin", async () => {
  await using model = await startOpenAIServer({ replies: [SAVE] });
  await using home = await openHome(model.baseUrl);
  await using server = await startServe(home, ["--allow-tools", "artifact_save"]);
  const address = (await allEvents(await server.send("s", "go"))).at(-1)?.data.text;
  match(address, /^\/artifacts\/[\w-]{20,}\/news\.html$/);
  const page = await fetch(server.url + address);
  strictEqual(page.status, 200);
  match(await page.text(), /News/);
  match(page.headers.get("content-security-policy") ?? "", /default-src 'none'/);
  strictEqual(page.headers.get("x-content-type-options"), "nosniff");

  strictEqual(await statusOf(fetch(`${server.url}/artifacts/x/news.html`)), 404);
  strictEqual(await statusOf(fetch(`${server.url}/artifacts/`)), 404);
  strictEqual(await statusOf(fetch(server.url + address, { method: "POST" })), 405);
  const rebound = await rawRequest(
    server.port,
    `GET ${address} HTTP/1.1\r\nHost: attacker.example\r\nConnection: close\r\n\r\n`,
  );
  match(rebound, /^HTTP\/1\.1 403 /);
  // A link from elsewhere may be followed; a page from elsewhere reads nothing.
  const followed = await fetch(server.url + address, {
    headers: { "sec-fetch-site": "cross-site" },
  });
  strictEqual(followed.headers.get("access-control-allow-origin"), null);
  strictEqual(await statusOf(Promise.resolve(followed)), 200);
  const other = { headers: { origin: "https://attacker.example" } };
  strictEqual(await statusOf(fetch(server.url + address, other)), 403);
  match((await home.run(["artifacts", "ls"])).stdout, /news\.html/);
});

Deno.test("serve: to save is asked about, and so refused where nothing lets it pass", async () => {
  await using model = await startOpenAIServer({ replies: [SAVE, "I could not save it."] });
  await using home = await openHome(model.baseUrl);
  await using server = await startServe(home);
  const events = await allEvents(await server.send("s", "go"));
  const refused = events.find(({ event }) => event === "execute_js_result");
  match(refused?.data.content, /artifact_save/);
  notStrictEqual(events.at(-1)?.data.text, "");
  strictEqual((await home.run(["artifacts", "ls"])).stdout, "");
});
