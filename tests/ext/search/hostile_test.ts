/** Engines that answer with what nobody should have to read, and what a model is told of them. */
import { deepEqual, doesNotMatch, equal, match, ok } from "node:assert/strict";
import { searxngProvider } from "../../../ext/search/mod.ts";
import { closedPort, startRawSite } from "../../fixtures/http/site.ts";
import { failureOf, results, search, startEngine } from "./engine.ts";

const JSON_TYPE = { "content-type": "application/json" };

async function shownOf(entry: object): Promise<{ title: string; url: string; snippet: string }[]> {
  await using engine = startEngine(() => results(entry));
  const found = await search(searxngProvider({ url: engine.url }), { query: "q" });
  return typeof found === "string" ? [] : found;
}

Deno.test("search: markup, entities and what does not show are taken out of titles and snippets", async () => {
  const url = "https://example.org/";
  const texts: readonly [string, string][] = [
    ["plain words", "plain words"],
    ["a <b>bold</b> &amp; a <i class=x>thin</i> word", "a bold & a thin word"],
    ["R&amp;D &mdash; 5 &lt; 6 &#39;quoted&#39; &eacute;", "R&D — 5 < 6 'quoted' é"],
    ["before<script>alert('x')</script>after<style>p{}</style>", "beforeafter"],
    ["<img src=x onerror=alert(1)>seen<!-- hidden -->", "seen"],
    ["one<br>two<p>three", "one two three"],
    ["a < b and b > c", "a < b and b > c"],
    ["broken <b", "broken"],
    ["\u001b[31mred\u0007\u0000 \u202eback\u2066 \u{e0041}\u{e0042}\ufeff", "[31mred back"],
    ["lines\nof\r\ntext\u2028and\ttabs", "lines of text and tabs"],
    ["&#27;[2J&#x202e;x", "[2Jx"],
    ["\ud800half", "\ufffdhalf"],
    ["می\u200cروم 👩\u200d🔬", "می\u200cروم 👩\u200d🔬"],
  ];
  for (const [text, shown] of texts) {
    deepEqual(await shownOf({ url, title: text, content: text }), [
      { title: shown, url, snippet: shown },
    ]);
  }
  const long = await shownOf({
    url,
    title: "t".repeat(10_000),
    content: "<b>".repeat(50_000) + "x",
  });
  equal(long[0]?.title.length, 200);
  equal(long[0]?.snippet, "");
  equal((await shownOf({ url, title: "", content: "s" }))[0]?.title, url);
  equal((await shownOf({ url, title: 7, content: { a: 1 } }))[0]?.snippet, "");
});

Deno.test("search: only addresses of the web are given, each once", async () => {
  const wrong = [
    "javascript:alert(1)",
    "data:text/html,x",
    "file:///etc/passwd",
    "ftp://example.org/",
    "//example.org/",
    "/search?q=x",
    "https://user:secret@example.org/",
    `https://example.org/${"x".repeat(2000)}`,
    "",
    7,
  ];
  for (const url of wrong) deepEqual(await shownOf({ url, title: "t", content: "c" }), []);
  await using engine = startEngine(() =>
    results(
      ...[
        "HTTPS://Example.org",
        "https://example.org/",
        "https://example.org/b",
        "https://example.org/c",
      ]
        .map((url) => ({ url, title: "t", content: "c" })),
    )
  );
  const found = await search(searxngProvider({ url: engine.url }), { query: "q", limit: 2 });
  deepEqual(found.map(({ url }: { url: string }) => url), [
    "https://example.org/",
    "https://example.org/b",
  ]);
});

Deno.test("search: each way to fail says what can be done", async () => {
  const answers: readonly [() => Response, RegExp][] = [
    [() => new Response("no", { status: 403 }), /add json to search\.formats/],
    [() => new Response("slow down", { status: 429 }), /takes no more queries for now/],
    [() => new Response("oops", { status: 500 }), /failed with status 500/],
    [() => new Response(null, { status: 204 }), /failed with status 204/],
    [() => new Response("<html>", { headers: { "content-type": "text/html" } }), /not in JSON/],
    [() => new Response("{}", { headers: { "content-type": "text/plain" } }), /not in JSON/],
    [() => new Response("{", { headers: JSON_TYPE }), /another form than SearXNG's/],
    [() => new Response("", { headers: JSON_TYPE }), /another form/],
    [() => Response.json([]), /another form/],
    [() => Response.json({ results: "none" }), /another form/],
    [
      () =>
        Response.json({ results: [], unresponsive_engines: [["goo\u001bgle", "CAPTCHA"], "x"] }),
      /engines behind .* did not answer: google \(CAPTCHA\), x\. Try once more later/,
    ],
  ];
  for (const [answer, message] of answers) {
    await using engine = startEngine(answer);
    const told = await failureOf(`${engine.url}/?key=of-the-engine`);
    match(told, message);
    match(told, new RegExp(`127\\.0\\.0\\.1:${engine.port}`));
    doesNotMatch(told, /of-the-engine/);
  }
  match(await failureOf(`http://127.0.0.1:${closedPort()}`), /cannot be reached/);
});

Deno.test("search: a redirect is not followed", async () => {
  await using other = startEngine(() => results());
  for (const status of [301, 302, 303, 307, 308]) {
    await using engine = startEngine(() =>
      new Response(null, { status, headers: { location: other.url } })
    );
    match(await failureOf(engine.url), /sends its clients elsewhere/);
  }
  equal(other.hits.length, 0);
});

Deno.test("search: an answer without end, or one that is packed small, is read up to the bound", async () => {
  const piece = new TextEncoder().encode(`{"results":[${'{"url":"x"},'.repeat(5000)}`);
  let sent = 0;
  const endless = () =>
    new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += piece.length;
        controller.enqueue(piece);
      },
    });
  await using engine = startEngine(() => new Response(endless(), { headers: JSON_TYPE }));
  match(await failureOf(engine.url, { maxBytes: 100_000 }), /more than 100000 bytes/);
  ok(sent < 64 * 1024 * 1024, `${sent} bytes were sent`);

  // 512 MiB of blanks, packed into half a MiB.
  const block = new Uint8Array(1024 * 1024).fill(0x20);
  let blocks = 0;
  const bomb = await new Response(
    new ReadableStream<Uint8Array>({
      pull(controller) {
        if (blocks++ === 512) controller.close();
        else controller.enqueue(block);
      },
    }).pipeThrough(new CompressionStream("gzip") as ReadableWritablePair<Uint8Array, Uint8Array>),
  ).bytes();
  ok(bomb.length < 2 * 1024 * 1024);
  await using packed = startEngine(() =>
    new Response(bomb, { headers: { ...JSON_TYPE, "content-encoding": "gzip" } })
  );
  const before = Deno.memoryUsage().rss;
  match(await failureOf(packed.url), /more than 2097152 bytes/);
  const grown = Deno.memoryUsage().rss - before;
  ok(grown < 200 * 1024 * 1024, `${grown} bytes more`);
});

Deno.test("search: an engine that never answers, stops in the middle or breaks off is given up", async () => {
  const head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n";
  const ways: readonly [string | undefined, boolean, RegExp][] = [
    [undefined, false, /did not answer within 0\.05 s/],
    [head, false, /did not answer within 0\.05 s/],
    [`${head}{"results":[`, false, /did not answer within 0\.05 s/],
    [`${head}{"results":[`, true, /broke off/],
    ["not http at all\r\n\r\n", true, /cannot be reached or broke off/],
  ];
  for (const [text, end, message] of ways) {
    await using engine = await startRawSite((socket) => {
      if (text !== undefined) socket.write(text);
      if (end) socket.end();
    });
    const timeoutMs = end ? 60_000 : 50;
    match(await failureOf(`http://127.0.0.1:${engine.port}`, { timeoutMs }), message);
  }
});
