/** Starts the benches' model in a process of its own, so that its work is not on the clock of the thread that is measured. */

/** The model under way. Disposing it ends it. */
export interface ModelProcess extends AsyncDisposable {
  /** Base URL of the wire. */
  readonly baseUrl: string;
  /** What was asked since the last call: bytes of request bodies, requests, and when the first came (ms since the epoch). */
  stats(): Promise<{ firstRequestAt: number; bytes: number; requests: number }>;
}

/** Starts the model. */
export async function startModel(): Promise<ModelProcess> {
  const script = new URL("./model_server.ts", import.meta.url).pathname;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-prompt", "--no-lock", "--no-config", "--allow-net=127.0.0.1", script],
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  const origin = `http://127.0.0.1:${new TextDecoder().decode(value).trim()}`;
  return {
    baseUrl: `${origin}/v1`,
    stats: async () => await (await fetch(`${origin}/stats`)).json(),
    async [Symbol.asyncDispose]() {
      await child.stdin.close();
      await reader.cancel();
      await child.status;
    },
  };
}
