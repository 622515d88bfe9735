/** `serve`: what scripts save can be opened by whoever has its address, and by nobody else. */
import { deepStrictEqual, match, notStrictEqual, strictEqual } from "node:assert/strict";
import { startSite } from "../fixtures/http/site.ts";
import { startOpenAIServer, wireCall } from "../fixtures/openai_server.ts";
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

Deno.test("serve: a job from end to end: search, a page of what was found, and an answer with its address", async () => {
  const found = [
    { url: "https://news.example/1", title: "First &amp; best", content: "<b>one</b> thing" },
    { url: "https://news.example/2", title: "Second", content: "another" },
  ];
  await using engine = startSite(() => Response.json({ results: found }));
  await using model = await startOpenAIServer({
    replies: [
      script('function run() { return web_search("tecnologia brasil", { limit: 2 }); }'),
      script(`function run(found) {
        const items = found.map(({ title, url }) => "<li>" + title + " " + url).join("");
        const content = "<!DOCTYPE html><ul>" + items + "</ul>";
        return artifact_save({ filename: "news.html", title: "Tech news", content });
      }`),
      script(
        "function run(saved) { answer('Two stories; the dashboard is at ' + saved.address); }",
      ),
    ],
  });
  await using home = await openHome(model.baseUrl);
  const words = ["--search", `http://127.0.0.1:${engine.port}`, "--allow-tools", "artifact_save"];
  await using server = await startServe(home, words);
  const { text } = (await allEvents(await server.send("s", "Make me a dashboard of the news."))).at(
    -1,
  )?.data;
  const [, address = ""] = /dashboard is at (\/artifacts\/\S+)$/.exec(text) ?? [];
  match(
    await (await fetch(server.url + address)).text(),
    /First &amp;(?:amp;)? best https:\/\/news\.example\/1/,
  );
  strictEqual(engine.hits[0]?.path, "/search?q=tecnologia+brasil&format=json");
  const { trace } = await (await server.request("/sessions/s")).json();
  const calls = trace.filter(({ type }: { readonly type: string }) => type === "call");
  deepStrictEqual(
    calls.map(({ name, outcome }: Readonly<Record<string, string>>) => `${name} ${outcome}`),
    ["web_search ok", "artifact_save ok"],
  );
});

Deno.test("serve: a model that calls by name saves artifacts too", async () => {
  const args = { filename: "a.txt", title: "A", content: "hello" };
  const call = wireCall({ id: "a", name: "artifact_save", args });
  await using model = await startOpenAIServer({
    replies: [
      { toolCalls: [call] },
      ({ text }) => /\/artifacts\/[\w-]+\/a\.txt/.exec(text)?.[0] ?? "",
    ],
  });
  await using home = await openHome(model.baseUrl);
  const words = ["--protocol", "tools", "--allow-tools", "artifact_save"];
  await using server = await startServe(home, words);
  const address = (await allEvents(await server.send("s", "go"))).at(-1)?.data.text;
  strictEqual(await (await fetch(server.url + address)).text(), "hello");
});

Deno.test("serve: an assistant that only pretends is caught, and one that did it is not", async () => {
  const lie = "I've saved your dashboard at /artifacts/1234-abcd/news.html.";
  await using model = await startOpenAIServer({
    replies: [
      lie,
      lie,
      script(`function run() {
        return artifact_save({ filename: "news.html", title: "News", content: "<h1>News</h1>" });
      }`),
      script(
        "function run(saved) { answer(\"I've saved your dashboard at \" + saved.address + '.'); }",
      ),
      ({ body }) => {
        const said = JSON.stringify(body.messages);
        return `It is at ${server.url}${/\/artifacts\/[\w-]{20,}\/news\.html/.exec(said)?.[0]}.`;
      },
    ],
  });
  await using home = await openHome(model.baseUrl);
  const words = ["--assistant", "--timezone", "America/Sao_Paulo"];
  await using server = await startServe(home, [...words, "--allow-tools", "artifact_save"]);
  const pretended = await allEvents(await server.send("s", "Make me a dashboard."));
  deepStrictEqual(
    pretended.filter(({ event }) => /^answer_/.test(event)).map(({ event }) => event),
    ["answer_held_back", "answer_flagged"],
  );
  strictEqual(pretended.at(-1)?.data.flagged, true);
  match(pretended.at(-1)?.data.text, /\[Warning: /);
  const system = model.requests[0]?.body.messages[0].content;
  match(system, /artifact_save/);
  match(JSON.stringify(model.requests[0]?.body.messages.at(-1)), /Time zone: America\/Sao_Paulo/);

  const done = (await allEvents(await server.send("s", "Do it now."))).at(-1)?.data;
  strictEqual(done.flagged, false);
  match(done.text, /\/artifacts\/[\w-]{20,}\/news\.html\.$/);
  const whole = (await allEvents(await server.send("s", "Where is it?"))).at(-1)?.data;
  match(whole.text, /^It is at http:/);
  strictEqual(whole.flagged, false);
});

Deno.test("serve: an assistant answers within five steps, and a client cannot have more", async () => {
  await using model = await startOpenAIServer({
    otherwise: script("function run() { return 1; }"),
  });
  await using home = await openHome(model.baseUrl);
  await using server = await startServe(home, ["--assistant"]);
  const body = JSON.stringify({ message: "go", max_steps: 9 });
  await allEvents(await server.send("s", "", { body }));
  strictEqual(model.requests.length, 5);
});
