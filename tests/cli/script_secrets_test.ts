/** Secrets of the command: `--secret` reads them from the environment or `.env`, scripts use them by name, and nothing that is shown or stored has them. */
import { deepStrictEqual, doesNotMatch, match, strictEqual } from "node:assert/strict";
import { startOpenAIServer } from "../fixtures/openai_server.ts";
import { onlyResult, openHome, script } from "./cli_process.ts";

const TOKEN = "ghp_ABCDEFGH12345678";

/** A server that tells what it was sent. Disposing stops it. */
function headerServer() {
  const got: (string | null)[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    got.push(request.headers.get("authorization"));
    return new Response(`you sent ${request.headers.get("authorization")}`);
  });
  const host = `127.0.0.1:${server.addr.port}`;
  return { got, host, [Symbol.asyncDispose]: () => server.shutdown() };
}

Deno.test("--secret: a request carries the value, the script and everything that is shown only its name (RED-01)", async () => {
  await using service = headerServer();
  const use = script(`function run() {
  const res = fetch("http://${service.host}/", { headers: { authorization: "Bearer {{secret:TOKEN}}" } });
  const out = exec(["printf", "%s", "{{secret:TOKEN}}"]);
  log(res.body, out.stdout);
  return { body: res.body, out: out.stdout, own: secret("TOKEN") };
}`);
  const tell = script(
    "function run(args) { log(args.own.slice(0, 9) + args.own.slice(9)); answer(`${args.body} ${args.out} ${args.own}`); }",
  );
  await using server = await startOpenAIServer({ replies: [use, tell] });
  await using home = await openHome(server.baseUrl);
  const args = ["--session", "s", "--secret", "TOKEN", "--allow-exec", "printf"];
  const { code, stdout, stderr } = await home.run(
    ["--json", ...args, "--allow-private-net", service.host, "go"],
    { env: { TOKEN } },
  );
  strictEqual(code, 0, stderr + stdout);
  deepStrictEqual(service.got, [`Bearer ${TOKEN}`]);
  strictEqual(
    onlyResult(stdout).text,
    "you sent Bearer [redacted:TOKEN] [redacted:TOKEN] [redacted]",
  );
  const shown = [stdout, stderr, JSON.stringify(server.requests.map(({ body }) => body))];
  const trace = await home.run(["sessions", "show", "s"], { env: { TOKEN } });
  shown.push(trace.stdout.replace(/^.*carries .*$/m, ""));
  for (const text of shown) doesNotMatch(text, /ABCDEFGH|12345678/);
});

Deno.test("--secret: a value comes from .env of the project where the environment has none, and NAME@HOST binds it", async () => {
  await using service = headerServer();
  const use = script(`function run() {
  const told = [];
  for (const act of [
    () => fetch("http://${service.host}/", { headers: { authorization: "{{secret:API_KEY}}" } }).status,
    () => fetch("http://${service.host}/", { headers: { authorization: "{{secret:BOUND}}" } }).status,
    () => secret("BOUND"),
    () => secret("OTHER"),
  ]) try { told.push(act()); } catch (error) { told.push(error.message); }
  answer(told.join("\\n"));
}`);
  await using server = await startOpenAIServer({ replies: [use] });
  await using home = await openHome(server.baseUrl);
  const project = `${home.path}/project`;
  await Deno.mkdir(project);
  await Deno.writeTextFile(
    `${project}/.env`,
    'API_KEY="from the file" # told\nexport BOUND=bound-0123456789\nOTHER=other-0123456789\n',
  );
  const { code, stdout, stderr } = await home.run([
    ...["--cwd", project, "--secret", "API_KEY,BOUND@api.example.com"],
    ...["--allow-private-net", service.host, "go"],
  ]);
  strictEqual(code, 0, stderr);
  deepStrictEqual(service.got, ["from the file"]);
  const [first, bound, clear, other] = stdout.split("\n");
  strictEqual(first, "200");
  match(bound!, /BOUND is for requests to api\.example\.com only/);
  match(clear!, /BOUND is for requests to api\.example\.com only/);
  match(other!, /secret \(OTHER\) is refused: --secret gives this run API_KEY, BOUND and no other/);
});

Deno.test("--secret: what is no name, or has no value that can be kept, is a usage error that shows no value", async () => {
  await using home = await openHome("http://127.0.0.1:1/v1");
  const cases: [string, RegExp, Record<string, string>?][] = [
    ["TOKEN", /--secret TOKEN: no such variable in the environment, and none in \.\/\.env/],
    ["TOKEN", /no such variable/, { TOKEN: "  " }],
    ["TOKEN", /fewer than 4 characters/, { TOKEN: "abc" }],
    [`TOKEN=${TOKEN}`, /NAME or NAME@HOST, not TOKEN=…/],
    ["TOKEN@a b", /takes a host such as api\.example\.com, not a b/, { TOKEN }],
    ["1A", /not 1A/],
    ["constructor", /--secret constructor: no such variable in the environment, and none in/],
  ];
  for (const [value, expected, env = {}] of cases) {
    const { code, stdout, stderr } = await home.run([`--secret=${value}`, "go"], { env });
    strictEqual(code, 3, value);
    strictEqual(stdout, "");
    match(stderr, expected);
    doesNotMatch(stderr, /ABCDEFGH/);
  }
});

Deno.test("--secret: a failure beside the run does not show the value either", async () => {
  await using home = await openHome();
  const { code, stdout, stderr } = await home.run([
    ...["--json", "--secret", "TOKEN"],
    ...["--base-url", `http://127.0.0.1:1/${TOKEN}`, "--model", "m", "go"],
  ], { env: { TOKEN } });
  strictEqual(code, 1);
  doesNotMatch(stdout + stderr, /ABCDEFGH/);
});
