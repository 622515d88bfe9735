/** The outer wall: what a guest process was given, told by itself and by the machine. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { DEFAULT_SANDBOX_LIMITS } from "../../contracts/sandbox.ts";
import { guestCommand } from "../../sandbox/guest_command.ts";
import { startGuestProcess } from "../../sandbox/guest_process.ts";
import { createProcessHost } from "../../sandbox/process_host.ts";
import { runScript } from "../../sandbox/script_run.ts";
import { evaluate, evaluateValue, takeLease } from "./evaluation.ts";
import type { ProbeReport } from "./guests/probe_main.ts";
import { openProcessTable } from "./process_table.ts";

/** A server on loopback that notes who came. Disposing closes it. */
async function listen(): Promise<
  AsyncDisposable & { readonly url: string; readonly hits: string[] }
> {
  const hits: string[] = [];
  const server = createServer((request, response) => {
    hits.push(request.url ?? "");
    response.setHeader("content-type", "application/typescript");
    response.end("export default 1;");
  });
  server.on("connection", () => hits.push("connection"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    hits,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** Starts the probe with the guest's own command line, in the way that guests are started. */
async function probe(server: string): Promise<ProbeReport> {
  const command = await guestCommand();
  assert.match(command.args.at(-1)!, /guest\/main\.ts$/);
  const args = [...command.args.slice(0, -1), import.meta.resolve("./guests/probe_main.ts")];
  const process = startGuestProcess({ ...command, args });
  try {
    await process.ready;
    process.allow(DEFAULT_SANDBOX_LIMITS);
    const end = await runScript(process, {
      source: server,
      seed: 1,
      now: () => new Date(0),
      onCall: () => Promise.resolve({ ok: true }),
    }, { limits: DEFAULT_SANDBOX_LIMITS, packs: 0 });
    assert.ok("execution" in end && end.execution.valueJson !== undefined, JSON.stringify(end));
    return JSON.parse(end.execution.valueJson);
  } finally {
    await process.kill();
  }
}

Deno.test("DEN-01: a guest process holds no permission, and no module comes to it over the network", async () => {
  await using server = await listen();
  const { permissions, attempts } = await probe(server.url);
  const { import: imports, ...others } = permissions;
  for (const [name, state] of Object.entries(others)) assert.equal(state, "denied", name);
  // Registries are allowed by default, which a guest that comes from one needs; what is not cached is refused all the same.
  assert.ok(imports !== undefined);
  for (const [name, result] of Object.entries(attempts)) assert.notEqual(result, "done", name);
  assert.deepEqual(server.hits, []);
});

Deno.test("the machine sees a guest that was started without a permission and with an empty environment", async () => {
  await using table = openProcessTable();
  await using host = createProcessHost();
  await using lease = takeLease(host);
  await evaluateValue(lease, "function run() {}");
  const guests = await table.guests();
  assert.equal(guests.length, 1);
  const { command, environment } = guests[0]!;
  assert.deepEqual(command.filter((word) => /^(-A|--allow.*|--unstable.*)$/.test(word)), []);
  for (const flag of ["--no-prompt", "--cached-only"]) {
    assert.ok(command.includes(flag), `${flag} in ${command.join(" ")}`);
  }
  const passedOn = ["DENO_DIR", "HOME", "XDG_CACHE_HOME", "NO_COLOR"];
  // Not secrets: the runtime's process starter adds them on some roads.
  const tolerated = ["PATH", "DENO_NODE_SHIM_ACTIVE"];
  for (const name of environment) {
    assert.ok([...passedOn, ...tolerated].includes(name), `${name} in the environment`);
  }
});

Deno.test("DEN-01: a script cannot reach an import", async () => {
  await using server = await listen();
  await using host = createProcessHost();
  await using lease = takeLease(host);
  const names = [
    `${server.url}/x.ts?d=secret`,
    "data:text/javascript,export default 1",
    "node:fs",
    "npm:typescript",
    "jsr:@std/text",
    "file:///etc/hostname",
    "./main.ts",
  ];
  for (const name of names) {
    const { failure } = await evaluate(lease, `async function run() { await import("${name}") }`);
    assert.equal(failure?.kind, "threw", name);
    const fixed = await evaluate(lease, `import x from "${name}"; function run() {}`);
    assert.equal(fixed.failure?.kind, "syntax", name);
    const exported = await evaluate(lease, `export * from "${name}"; function run() {}`);
    assert.equal(exported.failure?.kind, "syntax", name);
  }
  assert.deepEqual(server.hits, []);
});

Deno.test("two scopes never share a process", async () => {
  await using table = openProcessTable();
  await using host = createProcessHost();
  await using one = takeLease(host, { scopeKey: "one" });
  await using two = takeLease(host, { scopeKey: "two" });
  await using same = takeLease(host, { scopeKey: "one" });
  for (const lease of [one, two, same]) await evaluateValue(lease, "function run() {}");
  assert.equal((await table.guests()).length, 2);
});
