import { equal, match } from "node:assert/strict";
import { startSite } from "../fixtures/http/site.ts";

const MODULE = new URL("../../sandbox/packs/http/capability.ts", import.meta.url).href;

/** Makes one request in a program of its own that has the given permissions and no others, and gives the body or the error's message. */
async function requestWith(flags: readonly string[], url: string): Promise<string> {
  const program = `
    import { fetchCapability } from ${JSON.stringify(MODULE)};
    const signal = new AbortController().signal;
    const [pack] = await fetchCapability().build({ signal, sessionId: "s" });
    const fill = (text) => Promise.resolve(text);
    const context = { signal, sessionId: "s", runId: "r", emit() {}, spend() {}, fill, authorize: async () => {} };
    try {
      console.log((await pack.functions[0].execute([${JSON.stringify(url)}], context)).body);
    } catch (error) {
      console.log(error.message);
    }`;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-prompt", "--no-lock", "--no-check", "--ext=js", ...flags, "-"],
    env: { NO_COLOR: "1" },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(program));
  await writer.close();
  const { code, stdout, stderr } = await child.output();
  const decoder = new TextDecoder();
  equal(code, 0, decoder.decode(stderr));
  return decoder.decode(stdout).trim();
}

Deno.test("fetch: the permission for the host's name is enough, without that for its address", async () => {
  await using site = startSite(() => new Response("reached"));
  const url = `http://localhost:${site.port}/`;
  for (const host of ["localhost", `localhost:${site.port}`]) {
    equal(await requestWith([`--allow-net=${host}`], url), "reached");
  }
});

Deno.test("fetch: the permission for an address is enough for a URL with the address", async () => {
  await using site = startSite(() => new Response("reached"));
  const url = `http://127.0.0.1:${site.port}/`;
  equal(await requestWith([`--allow-net=127.0.0.1:${site.port}`], url), "reached");
});

Deno.test("fetch: without the permission the message says what to grant", async () => {
  await using site = startSite(() => new Response("reached"));
  for (const host of [`localhost:${site.port}`, `127.0.0.1:${site.port}`]) {
    equal(
      await requestWith(["--allow-net=example.com"], `http://${host}/`),
      `fetch: ${host} cannot be asked: the program that runs the script has no permission to connect there (--allow-net=${host})`,
    );
  }
  equal(site.hits.length, 0);
});

Deno.test("fetch: an address that is denied stays denied under a name that is allowed", async () => {
  await using site = startSite(() => new Response("reached"));
  const flags = ["--allow-net=localhost", "--deny-net=127.0.0.1"];
  match(await requestWith(flags, `http://localhost:${site.port}/`), /has no permission to connect/);
  equal(site.hits.length, 0);
});

Deno.test("fetch: https needs no more than http, neither files nor environment", async () => {
  await using site = startSite(() => new Response("reached"), { secure: true });
  match(
    await requestWith([`--allow-net=localhost:${site.port}`], `https://localhost:${site.port}/`),
    /its certificate comes from an authority that is not trusted here/,
  );
});
