import { equal, match } from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

/** Serves the checkout's modules on loopback, as a registry does. Disposing closes it. */
async function serveCheckout(): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer(async (request, response) => {
    try {
      const path = new URL(request.url ?? "/", "http://127.0.0.1").pathname;
      const text = await Deno.readTextFile(join(Deno.cwd(), path));
      response.writeHead(200, { "content-type": "application/typescript" }).end(text);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

async function runDeno(
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: Record<string, string> } = {},
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [...args],
    cwd: options.cwd,
    env: { NO_COLOR: "1", ...options.env },
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

/** A cache of its own for what comes over http, with the installed packages of the real one: nothing is left behind in that. */
async function makeCache(folder: string): Promise<string> {
  const { denoDir } = JSON.parse((await runDeno(["info", "--json"])).stdout);
  const cache = join(folder, "cache");
  await Deno.mkdir(cache);
  // Making a link takes more permission than a test has.
  const link = `Deno.symlinkSync(${JSON.stringify(join(denoDir, "npm"))}, ${
    JSON.stringify(join(cache, "npm"))
  })`;
  const { code, stderr } = await runDeno(["eval", link]);
  equal(code, 0, stderr);
  return cache;
}

function program(url: string): string {
  return `
    import { createLoop, DefaultSandboxBuilder, MemoryStore } from "${url}/mod.ts";
    import { scriptedClient } from "${url}/testing.ts";
    const store = new MemoryStore();
    await using sandboxBuilder = new DefaultSandboxBuilder();
    using llm = scriptedClient(["\`\`\`javascript\\nfunction run() { answer(6 * 7); }\\n\`\`\`"]);
    const loop = createLoop({ llm, sessions: store, steps: store, sandboxBuilder });
    const result = await loop.run({ sessionId: "s", message: "?" });
    console.log(result.status, result.finalText, result.error?.message ?? "");
  `;
}

Deno.test("DEN-06: runs a turn when its modules come over http, as from a registry", async () => {
  await using server = await serveCheckout();
  const folder = await Deno.makeTempDir({ prefix: "remote_package_" });
  try {
    await Deno.writeTextFile(join(folder, "main.ts"), program(server.url));
    const { host } = new URL(server.url);
    const { code, stdout, stderr } = await runDeno([
      "run",
      "--no-prompt",
      "--no-lock",
      `--allow-import=${host}`,
      `--allow-run=${Deno.execPath()}`,
      "--allow-env=DENO_DIR,HOME,XDG_CACHE_HOME",
      "main.ts",
    ], { cwd: folder, env: { DENO_DIR: await makeCache(folder) } });
    equal(code, 0, stderr);
    match(stdout, /^completed 42 $/m, stderr);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
