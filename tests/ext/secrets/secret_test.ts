/** Secrets through the whole engine: a scripted model, a real guest, real requests on loopback, real commands. */
import assert from "node:assert/strict";
import type { LoopConfig } from "../../../contracts/loop.ts";
import { execCapability } from "../../../ext/exec/mod.ts";
import { secretCapability, type SecretSource } from "../../../ext/secrets/mod.ts";
import { DefaultPolicy } from "../../../loop/policy.ts";
import { fetchCapability } from "../../../sandbox/packs/http/capability.ts";
import { runScripts } from "../../packs/script_loop.ts";

/** With characters that JSON, URLs and shells each write in their own way. */
const TOKEN = 'tok-"5%&/\\x-0123456789';

/** What a server got. */
interface Got {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A server that answers with what it got, and redirects where the path says so. Disposing stops it. */
function echoServer() {
  const got: Got[] = [];
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      const url = new URL(request.url);
      const seen = {
        url: request.url,
        headers: Object.fromEntries(request.headers),
        body: await request.text(),
      };
      got.push(seen);
      if (url.pathname === "/first") return Response.json(got[0]);
      const to = url.searchParams.get("to");
      if (to !== null) {
        return new Response(null, {
          status: Number(url.pathname.slice(1)),
          headers: { location: to },
        });
      }
      return Response.json(seen);
    },
  );
  const host = `127.0.0.1:${server.addr.port}`;
  return { got, host, [Symbol.asyncDispose]: () => server.shutdown() };
}

function secrets(source: Partial<SecretSource> = {}) {
  return secretCapability({
    names: ["TOKEN"],
    get: (name) => name === "TOKEN" ? TOKEN : undefined,
    ...source,
  });
}

function config(hosts: readonly string[]): Partial<LoopConfig> {
  const policy = new DefaultPolicy({ allowPrivateHosts: hosts, allowTools: ["secret", "exec"] });
  return { policy };
}

Deno.test("a placeholder is filled into URL, headers and body of a request, and the script sees none of it in the answer", async () => {
  await using server = echoServer();
  const { observations, result, store } = await runScripts([
    `function run() {
      const res = fetch("http://${server.host}/p/{{secret:TOKEN}}?k={{secret:TOKEN}}", {
        method: "POST",
        headers: { "x-key": "k {{secret:TOKEN}}", plain: "1" },
        body: { deep: [{ token: "{{secret:TOKEN}}" }] },
      });
      log(res.url, res.body);
      return res.json();
    }`,
    "function run(args) { answer(JSON.stringify(args)); }",
  ], { capabilities: [fetchCapability(), secrets()], config: config([server.host]) });
  const [got] = server.got;
  assert.equal(got?.headers["x-key"], `k ${TOKEN}`);
  assert.equal(new URL(got!.url).searchParams.get("k"), TOKEN);
  assert.equal(decodeURIComponent(new URL(got!.url).pathname), `/p/${TOKEN}`);
  assert.deepEqual(JSON.parse(got!.body), { deep: [{ token: TOKEN }] });
  const { data } = await store.get("s");
  for (const seen of [observations.join("\n"), result.finalText, JSON.stringify(data)]) {
    assert.match(seen, /\[redacted:TOKEN\]/);
    assert.ok(!seen.includes("0123456789"), seen);
  }
  const rows = (await store.calls("s")).map(({ name, argsJson }) => `${name} ${argsJson}`);
  assert.match(rows.join("\n"), /fetch .*\{\{secret:TOKEN\}\}/);
});

Deno.test("secret gives the value to the script; what is observed of the run does not show it", async () => {
  const { observations, result, events, store } = await runScripts([
    `function run() { const t = secret("TOKEN"); log("it is", t, encodeURIComponent(t)); return { length: t.length, t }; }`,
    "function run(args) { answer(`${args.length} ${args.t}`); }",
  ], { capabilities: [secrets()], config: config([]) });
  assert.equal(result.finalText, `${TOKEN.length} [redacted]`);
  const steps = await store.lastN("s", 100);
  const rows = await store.calls("s");
  for (const seen of [observations, events, steps, rows]) {
    const text = JSON.stringify(seen);
    assert.ok(!text.includes("0123456789"), text);
  }
  assert.equal((await store.get("s")).data, JSON.stringify({ length: TOKEN.length, t: TOKEN }));
});

Deno.test("headers with a secret stay behind when a redirect leads to another origin, and a body with one is not sent there", async () => {
  await using first = echoServer();
  await using second = echoServer();
  const to = encodeURIComponent(`http://${second.host}/there`);
  const { observations } = await runScripts([
    `function run() {
      const key = { "x-key": "{{secret:TOKEN}}", "x-plain": "stays" };
      const res = fetch("http://${first.host}/302?to=${to}", { headers: key });
      log(res.status, res.url);
      const same = fetch("http://${first.host}/307?to=" + encodeURIComponent("/same"), { headers: key });
      log(same.status);
      for (const status of [307, 308]) {
        try {
          fetch("http://${first.host}/" + status + "?to=${to}", { method: "POST", body: "{{secret:TOKEN}}" });
        } catch (error) { log(error.message); }
      }
      const plain = fetch("http://${first.host}/307?to=${to}", { method: "POST", headers: key, body: "plain" });
      log(plain.status);
      answer("done");
    }`,
  ], {
    capabilities: [fetchCapability(), secrets()],
    config: config([first.host, second.host]),
  });
  assert.deepEqual(
    second.got.map(({ headers, body }) => [headers["x-key"], headers["x-plain"], body]),
    [
      [undefined, "stays", ""],
      [undefined, "stays", "plain"],
    ],
  );
  const same = first.got.find(({ url }) => url.endsWith("/same"));
  assert.equal(same?.headers["x-key"], TOKEN);
  assert.match(observations[0]!, /200 http:\/\/127[^ ]*\/there/);
  assert.equal(observations[0]!.match(/a body with a secret is not sent/g)?.length, 2);
});

Deno.test("headers with a secret stay behind also where a redirect made a GET of the request before another leads away", async () => {
  await using first = echoServer();
  await using second = echoServer();
  const away = `/302?to=${encodeURIComponent(`http://${second.host}/there`)}`;
  const { observations } = await runScripts([
    `function run() {
      for (const status of [301, 302, 303]) {
        const to = encodeURIComponent(${JSON.stringify(away)});
        const headers = { "x-key": "{{secret:TOKEN}}", "x-plain": "stays" };
        const res = fetch("http://${first.host}/" + status + "?to=" + to, { method: "POST", headers, body: "b" });
        log(res.status, res.url);
      }
      answer("done");
    }`,
  ], {
    capabilities: [fetchCapability(), secrets()],
    config: config([first.host, second.host]),
  });
  assert.equal(observations[0]!.match(/200 http:[^ ]*\/there/g)?.length, 3);
  const sent = first.got.map(({ headers }) => headers["x-key"]);
  assert.deepEqual(sent, Array(6).fill(TOKEN));
  assert.deepEqual(
    second.got.map(({ headers }) => [headers["x-key"], headers["x-plain"]]),
    Array(3).fill([undefined, "stays"]),
  );
});

Deno.test("a secret cannot stand where it would choose the host", async () => {
  await using server = echoServer();
  const source = { names: ["HOST"], get: () => `${server.host}/x` };
  const { observations } = await runScripts([
    `function run() {
      for (const url of ["http://{{secret:HOST}}/", "{{secret:HOST}}", "http://${server.host}{{secret:HOST}}/"]) {
        try { fetch(url); log("sent"); } catch (error) { log(error.message); }
      }
      answer("done");
    }`,
  ], {
    capabilities: [fetchCapability(), secretCapability(source)],
    config: config([server.host]),
  });
  assert.equal(server.got.length, 0);
  assert.ok(!observations[0]!.includes("sent"), observations[0]);
});

Deno.test("a placeholder is filled into arguments, variables and input of a command, and taken out of its output (RED-01)", async () => {
  const { observations, store } = await runScripts([
    `function run() {
      const r = exec(["sh", "-c", 'printf "%s|%s|" "$1" "$KEY"; cat; printf "%s" "$1" | base64 >&2', "sh", "{{secret:TOKEN}}"], {
        env: { KEY: "{{secret:TOKEN}}" }, stdin: "in {{secret:TOKEN}}",
      });
      log(r.code, r.stdout, r.stderr);
      return exec(["sh", "-c", 'test "$1" = "$2" && test "$(cat)" = "$2" && echo same', "sh", "{{secret:TOKEN}}", ${
      JSON.stringify(TOKEN)
    }], { stdin: "{{secret:TOKEN}}" }).stdout;
    }`,
  ], {
    capabilities: [execCapability({ root: Deno.cwd() }), secrets()],
    config: config([]),
  });
  assert.equal((await store.get("s")).data, JSON.stringify("same\n"));
  const shown = "[redacted:TOKEN]";
  assert.ok(observations[0]!.includes(`0 ${shown}|${shown}|in ${shown}`), observations[0]);
  assert.ok(!observations[0]!.includes(btoa(TOKEN).slice(4, -4)));
});

Deno.test("without an approval a secret is refused, whichever way it is asked for", async () => {
  await using server = echoServer();
  const { observations } = await runScripts([
    `function run() {
      const ways = [
        () => secret("TOKEN"),
        () => fetch("http://${server.host}/", { headers: { a: "{{secret:TOKEN}}" } }),
      ];
      for (const way of ways) try { way(); log("got it"); } catch (error) { log(error.name, error.message); }
      answer("done");
    }`,
  ], {
    capabilities: [fetchCapability(), secrets()],
    config: { policy: new DefaultPolicy({ allowPrivateHosts: [server.host] }) },
  });
  assert.equal(server.got.length, 0);
  assert.match(observations[0]!, /PermissionError secret \(TOKEN\) is refused/);
  assert.match(
    observations[0]!,
    /PermissionError secret \(TOKEN for 127\.0\.0\.1:\d+\) is refused/,
  );
});

Deno.test("secretCapability refuses what is no source", () => {
  assert.throws(() => secretCapability({} as SecretSource), /get must be a function/);
  assert.throws(() => secretCapability({ names: ["A B"], get: () => "x" }), /"A B" is no name/);
  // Whoever writes this takes every secret to be bound.
  const bound = { get: () => "value-1234", hosts: ["api.example.com"] };
  assert.throws(() => secretCapability(bound), {
    name: "TypeError",
    message: /^secretCapability: hosts are bound to each value: get gives \{ value, hosts \}/,
  });
});

Deno.test("a secret that is refused in an argument and in a variable of one command is one failure, that of the call", async () => {
  const { observations } = await runScripts([
    `function run() {
      const name = "{{secret:OTHER}}";
      try { exec(["true", name], { env: { A: name, B: name }, stdin: name }); } catch (error) { log(error.message); }
      answer("went on");
    }`,
  ], { capabilities: [execCapability({ root: Deno.cwd() }), secrets()], config: config([]) });
  assert.match(observations[0]!, /there is no secret named OTHER; there is: TOKEN/);
});

Deno.test("what a server or a command keeps of a secret comes back in no later call of the run, unless the script has it", async () => {
  await using server = echoServer();
  const file = await Deno.makeTempFile();
  const read =
    `fetch("http://${server.host}/first").json().headers.a, exec(["sh", "-c", "cat ${file}"]).stdout`;
  const { observations, result } = await runScripts([
    `function run() {
      fetch("http://${server.host}/", { headers: { a: "{{secret:TOKEN}}" } });
      exec(["sh", "-c", "cat > ${file}"], { stdin: "{{secret:TOKEN}}" });
      log(${read});
    }`,
    `function run() { log(${read}); }`,
    `function run() {
      const own = secret("TOKEN");
      answer(String([${read}].every((text) => text === own)));
    }`,
  ], {
    capabilities: [fetchCapability(), execCapability({ root: Deno.cwd() }), secrets()],
    config: config([server.host]),
  });
  await Deno.remove(file);
  for (const seen of observations.slice(0, 2)) {
    assert.match(seen, /\[redacted:TOKEN\] \[redacted:TOKEN\]/);
  }
  assert.equal(result.finalText, "true");
});
