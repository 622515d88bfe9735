/** `serve`: who is let in, and what is said to everybody else. */
import {
  deepStrictEqual,
  doesNotMatch,
  match,
  notStrictEqual,
  strictEqual,
} from "node:assert/strict";
import { startOpenAIServer } from "../fixtures/openai_server.ts";
import { openHome, script } from "./cli_process.ts";
import { allEvents, rawRequest, type ServeProcess, startServe, statusOf } from "./serve_process.ts";

const TOKEN = "a-token-of-the-tests";

/** The status and the code of a refusal, after a check of its form. */
async function refusalOf(response: Response): Promise<readonly [number, string]> {
  strictEqual(response.headers.get("content-type"), "application/json; charset=utf-8");
  strictEqual(response.headers.get("access-control-allow-origin"), null);
  const body = await response.json();
  deepStrictEqual(Object.keys(body), ["error"]);
  deepStrictEqual(Object.keys(body.error), ["code", "message"]);
  notStrictEqual(body.error.message, "");
  return [response.status, body.error.code];
}

/** A request as it goes over the wire, with any headers. */
async function statusLineOf(
  server: ServeProcess,
  head: readonly string[],
  body = "",
): Promise<string> {
  const text = [...head, "Connection: close", "", body].join("\r\n");
  return (await rawRequest(server.port, text)).split("\r\n")[0] ?? "";
}

Deno.test("serve: everything but health wants the token, whether or not it exists", async () => {
  await using model = await startOpenAIServer();
  await using home = await openHome(model.baseUrl);
  await using server = await startServe(home, [], { AGENTLOOP_TOKEN: TOKEN });
  const paths = ["/", "/sessions", "/sessions/s", "/sessions/s/messages", "/nothing", "/healthy"];
  for (const path of paths) {
    deepStrictEqual(await refusalOf(await fetch(server.url + path)), [401, "unauthorized"]);
  }
  const wrong = [
    "",
    TOKEN,
    "Bearer",
    "Bearer ",
    `Basic ${btoa(`:${TOKEN}`)}`,
    `Bearer ${TOKEN.slice(0, -1)}`,
    `Bearer ${TOKEN}x`,
    `Bearer ${TOKEN.toUpperCase()}`,
    `Bearer ${TOKEN} ${TOKEN}`,
  ];
  for (const authorization of wrong) {
    const response = await fetch(`${server.url}/sessions`, { headers: { authorization } });
    match(response.headers.get("www-authenticate") ?? "", /^Bearer/);
    deepStrictEqual(await refusalOf(response), [401, "unauthorized"], authorization);
  }
  // An address is written into histories and logs.
  const inUrl = await fetch(`${server.url}/sessions?token=${TOKEN}&access_token=${TOKEN}`);
  deepStrictEqual(await refusalOf(inUrl), [401, "unauthorized"]);
  const health = await fetch(`${server.url}/health`);
  strictEqual(await health.text(), "ok\n");
  strictEqual(await statusOf(server.request("/sessions")), 200);
});

Deno.test("serve: requests that name another host are refused, so that no page can rebind its name", async () => {
  await using model = await startOpenAIServer();
  await using home = await openHome(model.baseUrl);
  await using server = await startServe(home, [], { AGENTLOOP_TOKEN: TOKEN });
  const { port } = server;
  const ask = (...hosts: string[]) =>
    statusLineOf(server, [
      "GET /health HTTP/1.1",
      ...hosts.map((host) => `Host: ${host}`),
    ]);
  for (
    const host of [`127.0.0.1:${port}`, `localhost:${port}`, `LOCALHOST:${port}`, `[::1]:${port}`]
  ) {
    match(await ask(host), /200/, host);
  }
  const others = [
    "attacker.example",
    `attacker.example:${port}`,
    "127.0.0.1",
    `127.0.0.1:${port + 1}`,
    `127.0.0.1.attacker.example:${port}`,
    `localhost.attacker.example:${port}`,
    `127.0.0.1:${port}@attacker.example`,
    `0.0.0.0:${port}`,
    "",
  ];
  for (const host of others) match(await ask(host), /40[03]/, host);
  match(await ask(), /40[03]/);
  match(await ask(`127.0.0.1:${port}`, "attacker.example"), /40[03]/);
  // A target that is a whole URL names a host as well.
  for (const host of ["attacker.example", `127.0.0.1:${port}`]) {
    const target = "GET http://attacker.example/health HTTP/1.1";
    match(await statusLineOf(server, [target, `Host: ${host}`]), /403/);
  }
  const broken = ["GET http://[ HTTP/1.1", `Host: 127.0.0.1:${port}`];
  match(await statusLineOf(server, broken), /400/);
});

Deno.test("serve: pages of other origins are refused, with the token too", async () => {
  await using model = await startOpenAIServer();
  await using home = await openHome(model.baseUrl);
  await using server = await startServe(home, [], { AGENTLOOP_TOKEN: TOKEN });
  const ask = (headers: readonly string[], target = "GET /sessions") =>
    statusLineOf(server, [
      `${target} HTTP/1.1`,
      `Host: 127.0.0.1:${server.port}`,
      `Authorization: Bearer ${TOKEN}`,
      ...headers,
    ]);
  match(await ask([]), /200/);
  match(await ask([`Origin: http://127.0.0.1:${server.port}`]), /200/);
  const origins = [
    "null",
    "https://attacker.example",
    `https://127.0.0.1:${server.port}`,
    `http://127.0.0.1:${server.port + 1}`,
    `http://localhost:${server.port}`,
    `http://127.0.0.1:${server.port}.attacker.example`,
  ];
  for (const origin of origins) match(await ask([`Origin: ${origin}`]), /403/, origin);
  for (const origin of origins) match(await ask([`Origin: ${origin}`], "GET /health"), /403/);
  for (const site of ["cross-site", "same-site"]) {
    match(await ask([`Sec-Fetch-Site: ${site}`]), /403/);
  }
  match(await ask(["Sec-Fetch-Site: none"]), /200/);
  match(
    await ask(
      ["Origin: https://attacker.example", "Access-Control-Request-Method: POST"],
      "OPTIONS /sessions/s/messages",
    ),
    /403/,
  );
});

Deno.test("serve: the token is made once, in a file of its owner's alone, and never printed", async () => {
  await using model = await startOpenAIServer({ replies: ["fine", "fine"] });
  await using home = await openHome(model.baseUrl);
  const tokens: string[] = [];
  for (const _ of ["first", "second"]) {
    await using server = await startServe(home);
    const file = `${home.path}/.local/share/agentloop/agentloop.db.token`;
    strictEqual(((await Deno.stat(file)).mode ?? 0) & 0o777, 0o600);
    match(server.token, /^[\w-]{43}$/);
    tokens.push(server.token);
    // A message that holds it: neither the trace nor the events do.
    const events = await allEvents(await server.send("s", `my token is ${server.token}`));
    doesNotMatch(JSON.stringify(events), new RegExp(server.token));
    server.child.kill("SIGTERM");
    const { stdout, stderr } = await server.ended();
    doesNotMatch(stdout + stderr, new RegExp(server.token));
  }
  strictEqual(tokens[0], tokens[1]);
  const shown = await home.run(["sessions", "show", "s"]);
  match(shown.stdout, /my token is \[/);
});

Deno.test("serve: scripts find neither the token nor the database in their folder", async () => {
  const source = `function run() {
    const found = [];
    for (const path of ["a.db", "a.db-wal", "a.db.token", "./a.db.token"]) {
      try { found.push(readFile(path, { encoding: "base64" }).length); } catch {}
    }
    answer(JSON.stringify([found, listDir()]));
  }`;
  await using model = await startOpenAIServer({ replies: [script(source)] });
  await using home = await openHome(model.baseUrl);
  await using server = await startServe(home, ["--db", `${home.path}/a.db`]);
  strictEqual((await Deno.stat(`${home.path}/a.db.token`)).isFile, true);
  strictEqual((await allEvents(await server.send("s", "go"))).at(-1)?.data.text, "[[],[]]");
});

Deno.test("serve: servers that start at the same time have the same token", async () => {
  await using model = await startOpenAIServer();
  await using home = await openHome(model.baseUrl);
  const servers = await Promise.all([startServe(home), startServe(home), startServe(home)]);
  await using stack = new AsyncDisposableStack();
  for (const server of servers) stack.use(server);
  strictEqual(new Set(servers.map(({ token }) => token)).size, 1);
  for (const server of servers) strictEqual(await statusOf(server.request("/sessions")), 200);
});

Deno.test("serve: with --ephemeral and no variable, a token is told once", async () => {
  await using model = await startOpenAIServer();
  await using home = await openHome(model.baseUrl);
  const child = home.start(["serve", "--port", "0", "--ephemeral"]);
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!/The token, .*\n/.test(text)) text += (await reader.read()).value ?? "";
  const [, url = "", token = ""] = /on (\S+)\n.*: (\S+)\n/.exec(text) ?? [];
  const response = await fetch(`${url}/sessions`, {
    headers: { authorization: `Bearer ${token}` },
  });
  deepStrictEqual(await response.json(), { sessions: [] });
  child.kill("SIGTERM");
  await reader.cancel();
  await child.stderr.cancel();
  strictEqual((await child.status).code, 143);
});

Deno.test("serve: a token that cannot be used is said with the way out", async () => {
  await using home = await openHome("http://127.0.0.1:1/v1");
  const folder = `${home.path}/.local/share/agentloop`;
  const file = `${folder}/agentloop.db.token`;
  const serve = async (env: Record<string, string> = {}) => {
    const { code, stderr } = await home.run(["serve", "--port", "0"], { env });
    strictEqual(code, 1);
    doesNotMatch(stderr, /\bat file:|Internal error/);
    return stderr;
  };
  match(await serve({ AGENTLOOP_TOKEN: "short" }), /\$AGENTLOOP_TOKEN cannot be used: .*16/);
  match(await serve({ AGENTLOOP_TOKEN: "with a blank in it" }), /AGENTLOOP_TOKEN cannot be used/);
  await Deno.mkdir(folder, { recursive: true });
  await Deno.writeTextFile(file, `${TOKEN}\n`, { mode: 0o644 });
  await Deno.chmod(file, 0o644);
  match(await serve(), /can be read by others/);
  await Deno.chmod(file, 0o600);
  await Deno.writeTextFile(file, "\n");
  match(await serve(), /agentloop\.db\.token cannot be used/);
  await Deno.remove(file);
  await Deno.mkdir(file);
  match(await serve(), /it is no file of its own/);
});

Deno.test("serve: an address beyond this machine is listened on only when it is named, with a warning", async () => {
  await using model = await startOpenAIServer();
  await using home = await openHome(model.baseUrl);
  await using server = await startServe(home, ["--host", "0.0.0.0"], { AGENTLOOP_TOKEN: TOKEN });
  const url = server.url.replace("0.0.0.0", "127.0.0.1");
  strictEqual(await statusOf(fetch(`${url}/health`)), 200);
  deepStrictEqual(await refusalOf(await fetch(`${url}/sessions`)), [401, "unauthorized"]);
  server.child.kill("SIGTERM");
  match((await server.ended()).stderr, /warning: 0\.0\.0\.0 is not this machine alone/);
});
