/**
 * What the scripts of a hostile page reach in a real browser: nothing. Each attack is first made by a page that nothing guards, where it has to succeed. Passed over where no
 * browser is installed.
 */
import { deepEqual, equal } from "node:assert/strict";
import { artifactAddress, serveArtifact } from "../../../ext/artifacts/mod.ts";
import { MemoryStore } from "../../../stores/memory.ts";
import { hasBrowser, openBrowser, until } from "./browser.ts";

const HAS_BROWSER = await hasBrowser();

/** A server that writes down which paths were asked for, and how many connections were opened. Disposing stops it. */
function openTrap() {
  const paths = new Set<string>();
  let connections = 0;
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const open = new Set<Deno.TcpConn>();
  async function answer(connection: Deno.TcpConn): Promise<void> {
    try {
      const bytes = new Uint8Array(4096);
      const length = await connection.read(bytes) ?? 0;
      const [, path] = new TextDecoder().decode(bytes.subarray(0, length)).split(" ");
      if (path !== undefined) paths.add(path.split("?")[0] ?? "");
      const head = "HTTP/1.1 200 OK\r\nconnection: close\r\naccess-control-allow-origin: *\r\n";
      await connection.write(
        new TextEncoder().encode(`${head}content-type: text/html\r\ncontent-length: 2\r\n\r\nok`),
      );
    } catch {
      // The browser went away, or the test is over.
    }
    if (open.delete(connection)) connection.close();
  }
  const answers: Promise<void>[] = [];
  const accepting = (async () => {
    for await (const connection of listener) {
      connections++;
      open.add(connection);
      answers.push(answer(connection));
    }
  })();
  return {
    paths,
    get connections() {
      return connections;
    },
    host: `127.0.0.1:${listener.addr.port}`,
    async [Symbol.asyncDispose]() {
      listener.close();
      await accepting;
      for (const connection of open) connection.close();
      open.clear();
      await Promise.all(answers);
    },
  };
}

/** Stands for a connection that is opened and not used. */
const AHEAD = "connection";

/** Pages that try to reach a host, by the paths that they ask for there. Those that only open connections have a host of their own. */
function attacks(host: string, other: string): Readonly<Record<string, string>> {
  const url = (path: string) => `http://${host}${path}`;
  const go = (path: string) => `location.href="${url(path)}"`;
  return {
    "/fetch /xhr /beacon /socket /events": `<script>fetch("${url("/fetch")}").catch(()=>{});
      const x=new XMLHttpRequest();x.open("GET","${url("/xhr")}");x.send();navigator.sendBeacon("${
      url("/beacon")
    }","x");new WebSocket("ws://${host}/socket");new EventSource("${url("/events")}")</script>`,
    "/image /style /background /script /preload /prefetch /object /frame": `<img src="${
      url("/image")
    }"><link rel=stylesheet href="${url("/style")}">
      <style>body{background:url(${url("/background")})}</style><link rel=preload as=image href="${
      url("/preload")
    }"><link rel=prefetch href="${url("/prefetch")}">
      <object data="${url("/object")}"></object><iframe src="${url("/frame")}"></iframe>
      <script src="${url("/script")}"></script>`,
    "/worker": `<script>new Worker(URL.createObjectURL(new Blob(["fetch('${
      url("/worker")
    }',{mode:'no-cors'})"])))</script>`,
    "/form": `<form id=f action="${url("/form")}"></form><script>f.submit()</script>`,
    "/self": `<script>${go("/self")}</script>`,
    "/top": `<script>top.location.href="${url("/top")}"</script>`,
    "/refresh": `<meta http-equiv=refresh content="0;url=${url("/refresh")}">`,
    "/javascript": `<script>location="javascript:${
      go("/javascript").replaceAll('"', "'")
    }"</script>`,
    "/written": `<script>document.write("<meta http-equiv=refresh content='0;url=${
      url("/written")
    }'>")</script>`,
    "/nested": `<iframe srcdoc='<script>${go("/nested")}</script>'></iframe>`,
    "/link": `<a id=a href="${url("/link")}">a</a><script>a.click()</script>`,
    "/blank-top": `<a id=a target=_top href="${url("/blank-top")}">a</a><script>a.click()</script>`,
    "/download": `<a id=a download href="${url("/download")}">a</a><script>a.click()</script>`,
    [AHEAD]: `<link rel=preconnect href="http://${other}/">`,
  };
}

/** Leaves something for other pages of its origin. */
const STORE = '<script>localStorage.setItem("key","value");console.log("stored")</script>';

/** Tries everything by which pages of one origin share something, and says what it reached. */
const SHARED = `<script>
  for (const [name, reach] of Object.entries({
    cookie: () => document.cookie.length > 0,
    localStorage: () => localStorage.getItem("key") === "value",
    indexedDB: () => !!indexedDB.open("x"),
    caches: () => !!caches.open("x"),
    origin: () => self.origin !== "null",
    serviceWorker: () => !!navigator.serviceWorker.register,
  })) {
    let reached = false;
    try { reached = reach(); } catch {}
    console.log((reached ? "reached " : "refused ") + name);
  }
</script>`;
const SHARED_NAMES = ["cookie", "localStorage", "indexedDB", "caches", "origin", "serviceWorker"];

Deno.test({
  name:
    "serveArtifact: the scripts of a hostile page reach no network, no storage and no other page",
  ignore: !HAS_BROWSER,
  async fn() {
    // What comes late of the pages that nothing guards is not to be taken for what the others do.
    await using open = openTrap();
    await using openAhead = openTrap();
    await using guarded = openTrap();
    await using guardedAhead = openTrap();
    const { artifacts: store } = new MemoryStore();
    const unguarded = new Map<string, string>();
    await using server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      (request) => {
        const page = unguarded.get(new URL(request.url).pathname);
        if (page === undefined) return serveArtifact(request, { store });
        const headers = { "content-type": "text/html", "set-cookie": "key=value; path=/" };
        return new Response(page, { headers });
      },
    );
    const site = `http://127.0.0.1:${server.addr.port}`;
    await using browser = await openBrowser();
    const logged = (text: string) => browser.logged.includes(text);

    const made = Object.entries(attacks(open.host, openAhead.host));
    const wanted = made.flatMap(([paths]) => paths.split(" ")).filter((path) => path !== AHEAD);
    unguarded.set("/store", STORE);
    await browser.open(`${site}/store`);
    await until("something is stored", () => logged("stored"));
    for (const [at, html] of [...made.map(([, html]) => html), SHARED].entries()) {
      unguarded.set(`/unguarded/${at}`, html);
      await browser.open(`${site}/unguarded/${at}`);
    }
    for (const path of wanted) {
      await until(`${path} is reached where nothing guards`, () => open.paths.has(path));
    }
    await until("a connection is opened ahead of need", () => openAhead.connections > 0);
    for (const name of SHARED_NAMES) {
      await until(`${name} is reached where nothing guards`, () => logged(`reached ${name}`));
    }

    const before = browser.logged.length;
    const later = () => browser.logged.slice(before);
    const pages = Object.values(attacks(guarded.host, guardedAhead.host));
    for (const [at, html] of [...pages, SHARED].entries()) {
      const saved = await store.save({}, {
        sessionId: "s",
        filename: `${at}.html`,
        title: "A page",
        type: "text/html",
        // First, since what comes after an attack may not happen any more.
        content: `<script>console.log("tried ${at}")</script>${html}`,
      });
      await browser.open(site + artifactAddress(saved));
    }
    for (const at of [...pages.keys(), pages.length]) {
      await until(`page ${at} is tried`, () => later().includes(`tried ${at}`));
    }
    for (const name of SHARED_NAMES) {
      await until(`${name} is refused`, () => later().includes(`refused ${name}`));
    }
    // What went out before has arrived when what goes out after it has.
    unguarded.set("/last", `<script>fetch("http://${guarded.host}/last")</script>`);
    await browser.open(`${site}/last`);
    await until("the last request arrives", () => guarded.paths.has("/last"));
    deepEqual([...guarded.paths], ["/last"]);
    equal(guardedAhead.connections, 0);
    deepEqual(later().filter((text) => text.startsWith("reached ")), []);
  },
});

Deno.test({
  name:
    "serveArtifact: a page works in its frame: its scripts run, its links within it lead where they say",
  ignore: !HAS_BROWSER,
  async fn() {
    const { artifacts: store } = new MemoryStore();
    await using server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      (request) => serveArtifact(request, { store }),
    );
    await using browser = await openBrowser();
    const saved = await store.save({}, {
      sessionId: "s",
      filename: "page.html",
      title: "A page",
      type: "text/html",
      content: `<!DOCTYPE html><html lang="pt"><head><title>x</title></head><body>
        <a id="a" href="#end"><b id="b">to the end</b></a><div style="height:5000px"></div><p id="end">end</p>
        <img id="i" src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='7' height='7'/>">
        <script>
          console.log("mode " + document.compatMode + " " + document.documentElement.lang + " " + document.scripts.length);
          addEventListener("load", () => console.log("image " + document.getElementById("i").width));
          addEventListener("scroll", () => console.log("scrolled " + location.hash));
          document.getElementById("b").click();
        </script></body></html>`,
    });
    await browser.open(`http://127.0.0.1:${server.addr.port}${artifactAddress(saved)}`);
    for (const text of ["mode CSS1Compat pt 1", "image 7", "scrolled #end"]) {
      await until(text, () => browser.logged.includes(text));
    }
  },
});
