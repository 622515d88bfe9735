/** Artifacts over HTTP: a real server on loopback, hostile contents, and what never may be told. */
import { deepEqual, equal, match, notEqual, ok, rejects } from "node:assert/strict";
import type { ArtifactInfo, ArtifactStore, NewArtifact } from "../../../contracts/artifact.ts";
import { artifactAddress, serveArtifact } from "../../../ext/artifacts/mod.ts";
import { MemoryStore } from "../../../stores/memory.ts";

interface Site extends AsyncDisposable {
  readonly store: ArtifactStore;
  readonly url: string;
  save(fields: Partial<NewArtifact>): Promise<ArtifactInfo>;
}

function openSite(): Site {
  const { artifacts: store } = new MemoryStore();
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request) => serveArtifact(request, { store }),
  );
  return {
    store,
    url: `http://127.0.0.1:${server.addr.port}`,
    save: (fields) =>
      store.save({}, {
        sessionId: "s",
        filename: "page.html",
        title: "A page",
        type: "text/html",
        content: "<h1>Hello</h1>",
        ...fields,
      }),
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** The directives of an answer's policy, by name. */
function policyOf(response: Response): Record<string, string> {
  const policy = response.headers.get("content-security-policy") ?? "";
  return Object.fromEntries(
    policy.split("; ").map((directive) => {
      const [name = "", ...values] = directive.split(" ");
      return [name, values.join(" ")];
    }),
  );
}

/** Fails unless an answer has all that keeps it from being taken for something else, shown elsewhere, or kept. */
function checkGuards(response: Response): void {
  const policy = policyOf(response);
  equal(policy["default-src"], "'none'");
  for (const name of ["form-action", "base-uri", "frame-ancestors"]) equal(policy[name], "'none'");
  notEqual(policy.sandbox, undefined);
  ok(!(policy.sandbox ?? "").includes("allow-same-origin"));
  // No directive names a place: nothing but what stands in the document itself can be used.
  ok(!/https?:|wss?:|'self'|\*/.test(Object.values(policy).join(" ")));
  const headers = {
    "connection-allowlist": "()",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "private, no-store",
  };
  for (const [name, value] of Object.entries(headers)) equal(response.headers.get(name), value);
  equal(response.headers.get("access-control-allow-origin"), null);
  equal(response.headers.get("set-cookie"), null);
}

/** The text that a browser finds in the frame of a page. */
function framed(html: string): string {
  const [, source = ""] = /<iframe sandbox="allow-scripts"[^>]* srcdoc="([^"]*)">/.exec(html) ?? [];
  return source.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&");
}

Deno.test("serveArtifact: a page is sent in a frame whose scripts have neither an origin nor a network", async () => {
  await using site = openSite();
  const content =
    `<!DOCTYPE html>\n<p title='x'>"Tom" & Jerry &amp; &lt;b&gt; é</p><script>1 < 2</script>`;
  const saved = await site.save({ content, title: "Tom & Jerry" });
  const response = await fetch(site.url + artifactAddress(saved));
  equal(response.status, 200);
  equal(response.headers.get("content-type"), "text/html; charset=utf-8");
  equal(
    response.headers.get("content-disposition"),
    `inline; filename="page.html"; filename*=UTF-8''page.html`,
  );
  checkGuards(response);
  const policy = policyOf(response);
  equal(policy.sandbox, "allow-scripts");
  equal(policy["script-src"], "'unsafe-inline'");
  for (const name of ["frame-src", "connect-src", "worker-src", "object-src"]) {
    equal(policy[name], "'none'");
  }
  const html = await response.text();
  match(html, /<title>Tom &amp; Jerry<\/title>/);
  ok(framed(html).endsWith(content), framed(html));
});

Deno.test("serveArtifact: nothing in a page's content or title gets out of its frame", async () => {
  await using site = openSite();
  for (
    const hostile of [
      `"></iframe><script>alert(1)</script>`,
      `'></iframe><script>alert(1)</script>`,
      `&quot;></iframe><script>alert(1)</script>`,
      `</title></style><script>alert(1)</script><!--`,
      `" onload="alert(1)`,
      `" sandbox="allow-same-origin" src="http://127.0.0.1/`,
      '\0"><script>alert(1)</script>\r\n\u2028',
    ]
  ) {
    const saved = await site.save({ content: hostile, title: hostile });
    const html = await (await fetch(site.url + artifactAddress(saved))).text();
    ok(framed(html).endsWith(hostile));
    // Without what stands in quotes and the title, all that is left is ours.
    const bare = html.replace(/"[^"]*"/g, '""').replace(/<title>[^<]*</, "<title><");
    equal(
      bare,
      `<!DOCTYPE html><html><head><meta charset=""><meta name="" content=""><title></title>${
        /<style>.*<\/style>/.exec(html)?.[0]
      }</head><body><iframe sandbox="" title="" srcdoc=""></iframe></body></html>\n`,
    );
  }
});

Deno.test("serveArtifact: a picture of SVG is drawn as an image, so that nothing in it runs", async () => {
  await using site = openSite();
  const content =
    `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>1</script>é</svg>`;
  const saved = await site.save({ filename: "a.svg", type: "image/svg+xml", content });
  const response = await fetch(site.url + artifactAddress(saved));
  checkGuards(response);
  const policy = policyOf(response);
  deepEqual([policy.sandbox, policy["script-src"], policy["img-src"]], ["", undefined, "data:"]);
  equal(response.headers.get("content-type"), "text/html; charset=utf-8");
  const html = await response.text();
  ok(!html.includes("<svg") && !html.includes("<script"));
  const [, base64 = ""] =
    /<img alt="A page" src="data:image\/svg\+xml;base64,([^"]*)">/.exec(html) ??
      [];
  equal(new TextDecoder().decode(Uint8Array.fromBase64(base64)), content);
});

Deno.test("serveArtifact: each type is shown or kept under the right type, and all of it unchanged", async () => {
  await using site = openSite();
  const content = "\ufeff<script>alert('é')</script>,\r\n";
  const expected = [
    ["text/plain", "text/plain; charset=utf-8", "inline"],
    ["text/markdown", "text/markdown; charset=utf-8", "inline"],
    ["application/json", "application/json; charset=utf-8", "inline"],
    ["text/javascript", "text/plain; charset=utf-8", "inline"],
    ["text/css", "text/plain; charset=utf-8", "inline"],
    ["application/xml", "text/plain; charset=utf-8", "inline"],
    ["text/csv", "text/csv; charset=utf-8", "attachment"],
    ["application/xhtml+xml", "application/octet-stream", "attachment"],
    ["text/xml", "application/octet-stream", "attachment"],
    ["application/pdf", "application/octet-stream", "attachment"],
  ] as const;
  for (const [type, contentType, disposition] of expected) {
    const saved = await site.save({ type, content, filename: type.replace("/", "-") });
    const response = await fetch(site.url + artifactAddress(saved));
    checkGuards(response);
    deepEqual(Object.keys(policyOf(response)).includes("script-src"), false);
    equal(response.headers.get("content-type"), contentType, type);
    match(response.headers.get("content-disposition") ?? "", new RegExp(`^${disposition}; `));
    deepEqual(await response.bytes(), new TextEncoder().encode(content));
  }
  for (
    const [type, contentType] of [["text/html", "text/html"], ["image/svg+xml", "image/svg+xml"]]
  ) {
    const saved = await site.save({
      type: type!,
      content,
      filename: `download-${type!.slice(0, 4)}`,
    });
    const response = await fetch(`${site.url}${artifactAddress(saved)}?download`);
    checkGuards(response);
    equal(policyOf(response).sandbox, "");
    equal(response.headers.get("content-type"), `${contentType}; charset=utf-8`);
    match(response.headers.get("content-disposition") ?? "", /^attachment; /);
    deepEqual(await response.bytes(), new TextEncoder().encode(content));
  }
});

Deno.test("serveArtifact: a name of any letters is found by its address and told as it is", async () => {
  await using site = openSite();
  const names = [
    "Grüße 👋.txt",
    "100%25 (a)'b*.txt",
    'a";x="b.txt',
    "a;b,c.txt",
    "%2e%2e",
    "?#&=.txt",
  ];
  for (const filename of names) {
    const saved = await site.save({ filename, type: "text/plain", content: filename });
    const response = await fetch(site.url + artifactAddress(saved));
    equal(await response.text(), filename);
    const disposition = response.headers.get("content-disposition") ?? "";
    const [, plain, exact = ""] =
      /^inline; filename="([\w .()+,@-]*)"; filename\*=UTF-8''([A-Za-z0-9%._~-]*)$/
        .exec(disposition) ?? [];
    notEqual(plain, undefined, disposition);
    equal(decodeURIComponent(exact), filename);
  }
});

Deno.test("serveArtifact: an old version has its own address, and the address without one is the newest", async () => {
  await using site = openSite();
  const saved = await site.save({ type: "text/plain", content: "one" });
  const text = async (version?: number) => {
    const response = await fetch(
      site.url + artifactAddress(saved, version === undefined ? {} : { version }),
    );
    return response.status === 200 ? await response.text() : (await response.body?.cancel(), null);
  };
  await site.save({ type: "text/plain", content: "two" });
  deepEqual([await text(), await text(1), await text(2), await text(3)], [
    "two",
    "one",
    "two",
    null,
  ]);
});

Deno.test("serveArtifact: whatever is not there is the same answer, without a hint at what is", async () => {
  await using site = openSite();
  const { id } = await site.save({});
  const wrong = [
    `/artifacts/${id}`,
    `/artifacts/${id}/`,
    `/artifacts/${id}/Page.html`,
    `/artifacts/${id}/page.html/`,
    `/artifacts/${id}/page.html/x`,
    `/artifacts/${id}/page.html%00`,
    `/artifacts/${id}/%E0%A4%A`,
    `/artifacts/${id.toUpperCase()}/page.html`,
    `/artifacts/${id.slice(1)}/page.html`,
    `/artifacts/${id}%20/page.html`,
    `/artifacts//page.html`,
    `/artifacts/%25/page.html`,
    `/artifacts/x/page.html`,
    `/artifacts/' OR 1=1 --/page.html`,
    `/artifacts/`,
    `/artifacts`,
    `/`,
    `/Artifacts/${id}/page.html`,
    ...["0", "2", "01", "-1", "1.0", "1e0", "x", "", "99999999999999999999"]
      .map((version) => `/artifacts/${id}/page.html?version=${version}`),
  ];
  const answers = new Set<string>();
  for (const path of wrong) {
    const response = await fetch(site.url + path);
    checkGuards(response);
    const { date: _, ...headers } = Object.fromEntries(response.headers);
    answers.add(JSON.stringify([response.status, await response.text(), headers]));
  }
  deepEqual([...answers].map((answer) => JSON.parse(answer).slice(0, 2)), [[404, "Not found.\n"]]);
  const there = await fetch(`${site.url}/x/../artifacts/${id}/%70age.html?version=1&x`);
  equal(there.status, 200);
  await there.body?.cancel();
});

Deno.test("serveArtifact: HEAD is GET without the body, and other methods are refused before anything is looked for", async () => {
  await using site = openSite();
  const saved = await site.save({ content: "é".repeat(100_000) });
  const url = site.url + artifactAddress(saved);
  for (const target of [url, `${url}?download`, `${url}x`]) {
    const [get, head] = [await fetch(target), await fetch(target, { method: "HEAD" })];
    const headersOf = ({ headers }: Response) => {
      const { date: _, vary: _vary, ...rest } = Object.fromEntries(headers);
      return rest;
    };
    equal(head.status, get.status);
    deepEqual(headersOf(head), headersOf(get));
    equal(get.headers.get("content-length"), String((await get.bytes()).length));
    equal(await head.text(), "");
  }
  for (const method of ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"]) {
    for (const target of [url, `${site.url}/artifacts/x/y`]) {
      const response = await fetch(target, { method });
      equal(response.status, 405, method);
      equal(response.headers.get("allow"), "GET, HEAD");
      checkGuards(response);
      equal(await response.text(), "Only GET and HEAD.\n");
    }
  }
  equal((await site.store.list("any")).length, 1);
});

Deno.test("serveArtifact: a store of sessions in the place of its artifacts is told at once", async () => {
  const request = new Request("http://127.0.0.1/");
  await rejects(serveArtifact(request, { store: new MemoryStore() as never }), {
    name: "TypeError",
    message:
      "serveArtifact: store must be an artifact store, such as the artifacts of a MemoryStore",
  });
});
