/** `serve`: requests that are no good, and starts that cannot work. */
import { deepStrictEqual, doesNotMatch, match, strictEqual } from "node:assert/strict";
import { startOpenAIServer } from "../fixtures/openai_server.ts";
import { CLI, type Home, openHome } from "./cli_process.ts";
import { allEvents, rawRequest, type ServeProcess, startServe, statusOf } from "./serve_process.ts";

const MIB = 1024 * 1024;

async function codeOf(response: Response): Promise<string> {
  const { error } = await response.json();
  doesNotMatch(error.message, /\.ts|Error:|at file/);
  return `${response.status} ${error.code}`;
}

/** A home and a server of which nothing but refusals is wanted: a completion would fail the test. */
async function withServer(test: (server: ServeProcess, home: Home) => Promise<void>) {
  await using model = await startOpenAIServer();
  await using home = await openHome(model.baseUrl);
  await using server = await startServe(home);
  await test(server, home);
}

Deno.test("serve: a body that is no message is refused, each with a code of its own", async () => {
  await withServer(async (server) => {
    const bodies: readonly [string | Uint8Array<ArrayBuffer>, string][] = [
      ["", "400 bad_request"],
      ["{", "400 bad_request"],
      ["null", "400 bad_request"],
      ["[]", "400 bad_request"],
      ['"go"', "400 bad_request"],
      ["{}", "400 bad_request"],
      ['{"message":""}', "400 bad_request"],
      ['{"message":" \\n"}', "400 bad_request"],
      ['{"message":7}', "400 bad_request"],
      ['{"message":"go","max_steps":0}', "400 bad_request"],
      ['{"message":"go","max_steps":"3"}', "400 bad_request"],
      ['{"message":"go","timeout_ms":1.5}', "400 bad_request"],
      ['{"message":"go","approve":"auto"}', "400 bad_request"],
      ['{"message":"go","__proto__":{}}', "400 bad_request"],
      [new Uint8Array([0x7b, 0xff, 0x7d]), "400 bad_request"],
      [JSON.stringify({ message: "x".repeat(MIB) }), "413 too_large"],
    ];
    for (const [body, code] of bodies) {
      strictEqual(
        await codeOf(await server.send("s", "", { body })),
        code,
        String(body).slice(0, 60),
      );
    }
    const types = [
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "application/json; charset=utf-16",
      "application/jsonp",
      "text/plain; application/json",
    ];
    for (const type of types) {
      const response = await server.send("s", "go", { headers: { "content-type": type } });
      strictEqual(await codeOf(response), "415 unsupported_media_type", type);
    }
    const packed = await server.send("s", "go", { headers: { "content-encoding": "gzip" } });
    strictEqual(await codeOf(packed), "415 unsupported_media_type");
  });
});

Deno.test("serve: a body without end is cut off where the bound is", async () => {
  await withServer(async (server) => {
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 64 * 1024;
        controller.enqueue(new Uint8Array(64 * 1024).fill(0x20));
      },
    });
    const response = await server.send("s", "", { body }).catch(() => undefined);
    if (response !== undefined) strictEqual(await codeOf(response), "413 too_large");
    // What lies in the buffers of both ends has been sent too.
    strictEqual(sent < 64 * MIB, true, `${sent} bytes were taken`);
    strictEqual(await statusOf(server.request("/sessions")), 200);
  });
});

Deno.test("serve: a path, a method or a query that there is not is told", async () => {
  await withServer(async (server) => {
    const asked: readonly [string, string, string][] = [
      ["GET", "/", "404 not_found"],
      ["GET", "/sessions/", "404 not_found"],
      ["GET", "/sessions//messages", "404 not_found"],
      ["GET", "/sessions/s/messages/", "404 not_found"],
      ["GET", "/sessions/unknown", "404 not_found"],
      ["GET", "/sessions/s/messages", "405 method_not_allowed"],
      ["PUT", "/sessions/s/messages", "405 method_not_allowed"],
      ["POST", "/sessions", "405 method_not_allowed"],
      ["DELETE", "/sessions/s", "405 method_not_allowed"],
      ["POST", "/health", "405 method_not_allowed"],
      ["GET", "/sessions/%ff", "400 bad_request"],
      ["GET", "/sessions/a%0ab", "400 bad_request"],
      ["GET", "/sessions/%1b%5b2J", "400 bad_request"],
      ["GET", "/sessions/%20", "400 bad_request"],
      ["GET", `/sessions/${"x".repeat(201)}`, "400 bad_request"],
      ["GET", "/sessions?limit=0", "400 bad_request"],
      ["GET", "/sessions?limit=1e3", "400 bad_request"],
      ["GET", "/sessions?limit=1001", "400 bad_request"],
    ];
    for (const [method, path, code] of asked) {
      strictEqual(await codeOf(await server.request(path, { method })), code, `${method} ${path}`);
    }
    const put = await server.request("/sessions", { method: "PUT" });
    strictEqual(put.headers.get("allow"), "GET, HEAD");
    await put.body?.cancel();
    const head = await server.request("/sessions", { method: "HEAD" });
    strictEqual(head.status, 200);
    strictEqual(await head.text(), "");
  });
});

Deno.test("serve: bytes that are no HTTP end that connection and no other", async () => {
  await using model = await startOpenAIServer({ replies: ["fine"] });
  await using home = await openHome(model.baseUrl);
  await using server = await startServe(home);
  const bytes = [
    "hello\r\n\r\n",
    "GET / HTTP/9.9\r\n\r\n",
    "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
    `POST /sessions/s/messages HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nContent-Length: -1\r\n\r\n`,
    `GET /${"x".repeat(2 * MIB)} HTTP/1.1\r\n\r\n`,
  ];
  for (const text of bytes) {
    const reply = await rawRequest(server.port, text).catch((error) => String(error));
    doesNotMatch(reply, /HTTP\/1\.1 200|\.ts:/);
  }
  strictEqual((await allEvents(await server.send("s", "go"))).at(-1)?.data.text, "fine");
});

Deno.test("serve: a port that is in use is said, with the way out", async () => {
  await withServer(async (server, home) => {
    const { code, stderr } = await home.run(["serve", "--port", String(server.port)]);
    strictEqual(
      stderr,
      `agentloop: Cannot listen on 127.0.0.1:${server.port}: the port is in use.\n` +
        "--port 0 takes any port that is free.\n",
    );
    strictEqual(code, 1);
  });
});

Deno.test("serve: an address that is none of this machine is said, with another way out than for a port", async () => {
  await using home = await openHome("http://127.0.0.1:1/v1");
  const { code, stderr } = await home.run(["serve", "--host", "192.0.2.1", "--port", "0"]);
  match(stderr, /^agentloop: Cannot listen on 192\.0\.2\.1:0: .*\n--host takes an address/);
  strictEqual(code, 1);
});

Deno.test("serve: without the permission to listen it says the flag, before anything is made", async () => {
  await using home = await openHome("http://127.0.0.1:1/v1");
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      ...[
        "run",
        "--no-lock",
        "--no-prompt",
        "--allow-read",
        "--allow-env",
        "--allow-net=127.0.0.1:1",
      ],
      ...[`--allow-write=${home.path}`, `--allow-run=${Deno.execPath()}`, CLI],
      ...["serve", "--port", "8484"],
    ],
    clearEnv: true,
    env: home.env(),
    cwd: home.path,
    stdin: "null",
  });
  const { code, stderr } = await child.output();
  match(
    new TextDecoder().decode(stderr),
    /Cannot listen on 127\.0\.0\.1:8484: .*\n.*--allow-net=127\.0\.0\.1:8484/,
  );
  strictEqual(code, 1);
  deepStrictEqual([...Deno.readDirSync(home.path)], []);
});
