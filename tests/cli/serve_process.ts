/**
 * Starts `agentloop serve` as a process of its own on a free port of loopback, and speaks to it as a client does.
 */
import type { Home } from "./cli_process.ts";

/** Where it is killed, whatever a test does. */
const PATIENCE_MS = 60_000;

/** An event of a stream. */
export interface ServedEvent {
  /** Its name. */
  readonly event: string;
  /** Its data, decoded from JSON. */
  // deno-lint-ignore no-explicit-any -- a test looks into whatever was sent
  readonly data: any;
}

/** A server that listens. Disposing kills it when it is still there. */
export interface ServeProcess extends AsyncDisposable {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** The port. */
  readonly port: number;
  /** The token of its file; "" where it has none. */
  readonly token: string;
  /** The process. */
  readonly child: Deno.ChildProcess;
  /** A request with the token. */
  request(path: string, init?: RequestInit): Promise<Response>;
  /** Puts a message to a session. */
  send(sessionId: string, message: string, init?: RequestInit): Promise<Response>;
  /** Waits for its end. */
  ended(): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>;
}

/** Starts it and waits until it listens. */
export async function startServe(
  home: Home,
  words: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<ServeProcess> {
  const child = home.start(["serve", "--json", "--port", "0", ...words], { env });
  const stdout = collect(child.stdout);
  const stderr = collect(child.stderr);
  const killer = setTimeout(() => kill(child), PATIENCE_MS);
  const line = await stdout.firstLine;
  if (line === undefined) {
    clearTimeout(killer);
    await child.status;
    throw new Error(`serve ended before it listened: ${await stdout.whole}${await stderr.whole}`);
  }
  const { url, token_file } = JSON.parse(line);
  const token = env.AGENTLOOP_TOKEN ??
    (token_file === null ? "" : (await Deno.readTextFile(token_file)).trim());

  function request(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set("authorization", `Bearer ${token}`);
    return fetch(`${url}${path}`, { ...init, headers });
  }

  let isEnded = false;
  async function ended() {
    const { code } = await child.status;
    clearTimeout(killer);
    isEnded = true;
    return { code, stdout: await stdout.whole, stderr: await stderr.whole };
  }

  return {
    url,
    port: Number(new URL(url).port),
    token,
    child,
    request,
    send: (sessionId, message, init = {}) =>
      request(`/sessions/${encodeURIComponent(sessionId)}/messages`, {
        method: "POST",
        body: JSON.stringify({ message }),
        ...init,
        headers: { "content-type": "application/json", ...init.headers },
      }),
    ended,
    async [Symbol.asyncDispose]() {
      if (isEnded) return;
      kill(child);
      await ended();
    },
  };
}

/** The status alone. */
export async function statusOf(response: Promise<Response>): Promise<number> {
  const { status, body } = await response;
  await body?.cancel();
  return status;
}

/** The events of a stream as they come; comments are left out. */
export async function* eventsOf(response: Response): AsyncGenerator<ServedEvent> {
  let text = "";
  for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
    text += part;
    for (let at = text.indexOf("\n\n"); at >= 0; at = text.indexOf("\n\n")) {
      const event = readEvent(text.slice(0, at));
      text = text.slice(at + 2);
      if (event !== undefined) yield event;
    }
  }
  if (text !== "") throw new Error(`the stream ended within an event: ${text}`);
}

/** All events of a stream. */
export async function allEvents(response: Response): Promise<readonly ServedEvent[]> {
  return await Array.fromAsync(eventsOf(response));
}

function readEvent(text: string): ServedEvent | undefined {
  if (text === ":") return undefined;
  const match = /^event: (\w+)\ndata: (.*)$/.exec(text);
  if (match === null) throw new Error(`no event: ${JSON.stringify(text)}`);
  const [, event = "", data = ""] = match;
  return { event, data: JSON.parse(data) };
}

/** Sends bytes as they are, and gives all that comes back until the connection is closed. */
export async function rawRequest(port: number, text: string): Promise<string> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  await connection.write(new TextEncoder().encode(text));
  const parts: Uint8Array[] = [];
  const buffer = new Uint8Array(64 * 1024);
  for (;;) {
    const count = await connection.read(buffer);
    if (count === null) break;
    parts.push(buffer.slice(0, count));
  }
  return new TextDecoder().decode(await new Blob(parts as BlobPart[]).bytes());
}

function kill(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGKILL");
  } catch {
    // It has ended.
  }
}

/** Reads a stream to its end; its first line is there as soon as it is whole, `undefined` when there is none. */
function collect(stream: ReadableStream<Uint8Array>): {
  readonly firstLine: Promise<string | undefined>;
  readonly whole: Promise<string>;
} {
  const first = Promise.withResolvers<string | undefined>();
  async function read(): Promise<string> {
    let text = "";
    for await (const part of stream.pipeThrough(new TextDecoderStream())) {
      text += part;
      const end = text.indexOf("\n");
      if (end >= 0) first.resolve(text.slice(0, end));
    }
    first.resolve(undefined);
    return text;
  }
  return { firstLine: first.promise, whole: read() };
}
