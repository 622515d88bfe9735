/**
 * The model of the benches: a process of its own that speaks the OpenAI wire on loopback. A request whose model is `loop:N` gets N turns and then
 * `done N`; with tools declared the turns are tool calls, without they are scripts. `delay:MS:N` waits before each reply.
 * It prints its port as the first line and ends with its stdin.
 *
 *     deno run --allow-net=127.0.0.1 bench/model_server.ts
 */

interface Request {
  readonly model: string;
  readonly stream?: boolean;
  readonly tools?: unknown;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}

const usage = { prompt_tokens: 10, completion_tokens: 5 };

/** Turns served by conversation, which is known by its first user message. */
const served = new Map<string, number>();
let firstRequestAt = 0;
let bytes = 0;
let requests = 0;

const server = Deno.serve({
  hostname: "127.0.0.1",
  port: 0,
  onListen: ({ port }) => console.log(port),
}, serve);
for await (const _ of Deno.stdin.readable);
await server.shutdown();

async function serve(request: globalThis.Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (pathname === "/stats") {
    const stats = { firstRequestAt, bytes, requests };
    [firstRequestAt, bytes, requests] = [0, 0, 0];
    served.clear();
    return Response.json(stats);
  }
  if (pathname.endsWith("/models")) return Response.json({ data: [{ id: "loop:1" }] });
  firstRequestAt ||= performance.timeOrigin + performance.now();
  const text = await request.text();
  requests++;
  bytes += text.length;
  return await reply(JSON.parse(text));
}

async function reply(request: Request): Promise<Response> {
  const [kind, first, second] = request.model.split(":");
  const turns = Number(kind === "delay" ? second : first);
  if (kind === "delay") await new Promise((resolve) => setTimeout(resolve, Number(first)));
  const key = request.messages.find((message) => message.role === "user")?.content ?? "";
  const turn = served.get(key) ?? 0;
  served.set(key, turn + 1);
  if (request.tools !== undefined) {
    return toolReply(turn, { turns, stream: request.stream === true });
  }
  const source = turn < turns
    ? `function run(args) { return { i: tick(${turn}) }; }`
    : `function run() { answer("done ${turns}"); }`;
  return textReply("```javascript\n" + source + "\n```", request.stream === true);
}

function toolReply(
  turn: number,
  { turns, stream }: { readonly turns: number; readonly stream: boolean },
): Response {
  const isLast = turn >= turns;
  const message = isLast ? { role: "assistant", content: `done ${turns}` } : {
    role: "assistant",
    content: null,
    tool_calls: [{
      id: `c${turn}`,
      type: "function",
      function: { name: "tick", arguments: JSON.stringify({ i: turn }) },
    }],
  };
  const finish_reason = isLast ? "stop" : "tool_calls";
  if (!stream) return Response.json({ choices: [{ index: 0, message, finish_reason }], usage });
  const calls = message.tool_calls?.map((call, index) => ({ index, ...call }));
  return streamed([
    { choices: [{ index: 0, delta: { ...message, ...(calls && { tool_calls: calls }) } }] },
    { choices: [{ index: 0, delta: {}, finish_reason }] },
    { choices: [], usage },
  ]);
}

function textReply(content: string, stream: boolean): Response {
  if (!stream) {
    const message = { role: "assistant", content };
    return Response.json({ choices: [{ index: 0, message, finish_reason: "stop" }], usage });
  }
  return streamed([
    { choices: [{ index: 0, delta: { role: "assistant", content } }] },
    { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
    { choices: [], usage },
  ]);
}

function streamed(chunks: readonly unknown[]): Response {
  const body = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("") +
    "data: [DONE]\n\n";
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}
