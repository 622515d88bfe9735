import { deepEqual, equal, ok } from "node:assert/strict";
import type { RunEvent } from "../contracts/event.ts";
import { AgentLoopError } from "../contracts/errors.ts";
import type { LoopConfig, RunResult } from "../contracts/loop.ts";
import type { HostFunction } from "../contracts/sandbox.ts";
import type { Span, SpanAttributes } from "../contracts/tracing.ts";
import { scriptedClient, type ScriptedStep } from "../llm/scripted.ts";
import { Redactor } from "../redact/redactor.ts";
import { MemoryStore } from "../stores/memory.ts";
import { keepFacts } from "./_fact_keeper.ts";
import { fakeSandboxBuilder } from "./_fake_sandbox.ts";
import { seededRandom } from "./_random_text.ts";
import { block } from "./_run_fixture.ts";
import { createLoop } from "./create_loop.ts";
import { AllowAll } from "./policy.ts";
import { SummarizingCompactor } from "./summarizing_compactor.ts";

const SECRET = 'sk-"live"/AbC+1234567890';
const MESSAGE = { sessionId: "s", message: "x" };

/** A loop with everything that can be observed of it. */
interface Observed {
  readonly run: (message?: string) => Promise<RunResult>;
  readonly store: MemoryStore;
  readonly llm: ReturnType<typeof scriptedClient>;
  readonly events: RunEvent[];
  readonly spans: unknown[];
  /** Every surface as text, in the order in which it was seen. */
  surfaces(): Promise<string>;
}

function observed(
  replies: readonly ScriptedStep[],
  { secrets = [SECRET], functions = [], config = {} }: {
    readonly secrets?: readonly string[];
    readonly functions?: readonly HostFunction[];
    readonly config?: Partial<LoopConfig>;
  } = {},
): Observed {
  const store = new MemoryStore();
  const llm = scriptedClient(replies);
  const events: RunEvent[] = [];
  const spans: unknown[] = [];
  const results: RunResult[] = [];
  const span = (name: string, attributes?: SpanAttributes): Span => {
    spans.push([name, attributes]);
    return {
      setAttributes: (more) => void spans.push(more),
      fail: (message) => void spans.push(message),
      end: () => {},
      child: span,
    };
  };
  const loop = createLoop({
    llm,
    sessions: store,
    steps: store,
    calls: store,
    sandboxBuilder: fakeSandboxBuilder({ functions }),
    redactor: Redactor.fromSecrets(
      Object.fromEntries(secrets.map((secret, at) => [`KEY_${at}`, secret])),
      { minLength: 1 },
    ),
    tracer: { start: span },
    policy: new AllowAll(),
    ...config,
  });
  return {
    store,
    llm,
    events,
    spans,
    run: async (message = "x") => {
      const result = await loop.run({
        ...MESSAGE,
        message,
        onEvent: (event) => events.push(event),
      });
      results.push(result);
      return result;
    },
    surfaces: async () => {
      const chunks = events.map((event) => event.type === "response_chunk" ? event.content : "");
      return [
        JSON.stringify(events),
        chunks.join(""),
        JSON.stringify(await store.lastN("s", Infinity)),
        JSON.stringify(await store.calls("s")),
        JSON.stringify(spans),
        ...results.flatMap(({ finalText, error }) => [
          finalText,
          error?.message ?? "",
          error?.stack ?? "",
          String(error?.cause),
        ]),
      ].join("\n");
    },
  };
}

/** No form of a secret that a plain search finds. */
function assertNoSecret(text: string, secret: string): void {
  for (const form of [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)]) {
    ok(
      !text.includes(form),
      `${form} in …${text.slice(Math.max(0, text.indexOf(form) - 80)).slice(0, 200)}`,
    );
  }
}

Deno.test("run redaction: no surface of a run shows a secret; script, data and calls have it whole", async () => {
  const seen: unknown[] = [];
  const functions: HostFunction[] = [
    { name: "secret", execute: () => SECRET },
    {
      name: "post",
      target: () => `host/${SECRET}`,
      execute: (args) => {
        seen.push(args[0]);
        throw new Error(`refused for ${SECRET}`);
      },
    },
  ];
  const source = `// uses ${SECRET}
async function run(args) {
  const key = await secret();
  log("key", key);
  await post({ key }).catch((error) => log(error.message));
  return { key, [key]: 1 };
}`;
  const made = observed([
    `Let me use ${SECRET}.\n${block(source)}`,
    block("function run(args) { throw new Error('bad ' + args.key); }"),
    `The key is ${SECRET}.`,
  ], { functions });
  const result = await made.run(`My key is ${SECRET}.`);
  equal(result.finalText, "The key is [redacted].");
  assertNoSecret(await made.surfaces(), SECRET);
  deepEqual(seen, [{ key: SECRET }]);
  equal((await made.store.get("s")).data, JSON.stringify({ key: SECRET, [SECRET]: 1 }));
  const update = made.events.find((event) => event.type === "data_update");
  deepEqual(update?.type === "data_update" && update.args, { key: "[redacted]", "[redacted]": 1 });
  const [, post] = await made.store.calls("s");
  deepEqual([post?.argsJson, post?.target, post?.error], [
    '[{"key":"[redacted]"}]',
    "host/[redacted]",
    "refused for [redacted]",
  ]);
});

Deno.test("run redaction: the model is sent what is stored, and the message that it answers as it was given", async () => {
  const made = observed([
    block(
      `function run(args) { log(${JSON.stringify(SECRET)}); return ${JSON.stringify(SECRET)}; }`,
    ),
    "4",
    "5",
  ]);
  await made.run(`Use ${SECRET}.`);
  await made.run("Again.");
  const [first, second, third] = made.llm.requests.map(({ messages }) => messages.slice(1));
  equal(first?.[0]?.content, `Use ${SECRET}.`);
  assertNoSecret(JSON.stringify(second?.slice(1)), SECRET);
  // But for the message, the next run sends the same bytes.
  deepEqual(third?.slice(1, 3), second?.slice(1, 3));
  assertNoSecret(JSON.stringify(third), SECRET);
});

Deno.test("run redaction: streaming goes on; what may be the beginning of a secret waits", async () => {
  const chunks = [
    "The key is ",
    SECRET.slice(0, 7),
    SECRET.slice(7, 12),
    SECRET.slice(12),
    ", the end is sk-",
  ];
  const made = observed([{ chunks }]);
  await made.run();
  const told = made.events.flatMap((event) =>
    event.type === "response_chunk" ? [event.content] : []
  );
  // The "s" could be the beginning of the secret.
  equal(told[0], "The key i");
  ok(told.length >= 3, JSON.stringify(told));
  equal(told.join(""), "The key is [redacted], the end is sk-");
});

Deno.test("run redaction: a streamed reply that was no answer leaves nothing behind in the stream", async () => {
  const half = SECRET.slice(0, 10);
  const made = observed([
    { chunks: [`Say ${half}`, `\n${block("function run() {}")}`] },
    { discarded: [half], chunks: [SECRET.slice(10), " end"] },
  ]);
  const { finalText } = await made.run();
  equal(finalText, `${SECRET.slice(10)} end`);
});

Deno.test("run redaction: errors, warnings and what the trace keeps of them", async () => {
  const made = observed([
    `\`\`\`python\nprint("${SECRET}")\nanswer(1)\n\`\`\``,
    { error: new AgentLoopError(`no ${SECRET}`, { code: "model_auth", cause: new Error(SECRET) }) },
  ]);
  const { error } = await made.run();
  ok(error instanceof AgentLoopError);
  deepEqual([error.message, error.code], ["no [redacted]", "model_auth"]);
  assertNoSecret(await made.surfaces(), SECRET);
  assertNoSecret(JSON.stringify(made.llm.requests[1]?.messages), SECRET);
});

Deno.test("run redaction: a secret across the place where a log or a reply is shortened does not show in halves", async () => {
  const script = `function run() { log("x".repeat(${500 - 8}) + ${
    JSON.stringify(SECRET)
  } + "y".repeat(5000)); }`;
  const made = observed(
    [`${"s".repeat(2040)}${SECRET}${"t".repeat(5000)}\n${block(script)}`, "4"],
    {
      config: { sandboxBuilder: fakeSandboxBuilder({ limits: { logBytes: 1000 } }) },
    },
  );
  await made.run();
  const surfaces = await made.surfaces();
  ok(surfaces.includes("bytes left out"));
  for (let length = 6; length < SECRET.length; length++) {
    ok(!surfaces.includes(SECRET.slice(0, length)) && !surfaces.includes(SECRET.slice(-length)));
  }
});

Deno.test("run redaction: a summary is stored, told and sent without secrets", async () => {
  const summarizer = scriptedClient([], { otherwise: keepFacts });
  const made = observed([], {
    config: {
      llm: { complete: () => Promise.reject(new Error("not asked")) },
      compactor: new SummarizingCompactor({ llm: summarizer, trigger: 4, keep: 2 }),
    },
  });
  const now = new Date();
  for (const content of [`FACT ${SECRET}\n${"long ".repeat(50)}`, "b", "c"]) {
    const step = { sessionId: "s", runId: "r", createdAt: now };
    await made.store.append({ ...step, stepType: "user", content });
    await made.store.append({ ...step, stepType: "response", content: "ok" });
  }
  await made.run();
  const [summary] = (await made.store.lastN("s", Infinity)).filter((one) =>
    one.stepType === "summary"
  );
  equal(summary?.content, "FACT [redacted]");
});

Deno.test("run redaction: property: for random secrets and texts no surface contains one", async () => {
  const random = seededRandom(20_260_102);
  for (let round = 0; round < 60; round++) {
    const secrets = Array.from(
      { length: 1 + Math.floor(random() * 4) },
      () => randomSecret(random),
    );
    const text = () => randomText(random, secrets);
    const json = () => JSON.stringify(text());
    const functions: HostFunction[] = [{
      name: "call",
      target: (args) => String(args[0]),
      execute: (args) => {
        if (random() < 0.3) throw new Error(text());
        return [args, text()];
      },
    }];
    const made = observed([
      `${text()}\n${
        block(`// ${text().replaceAll(/[\n\r\u2028\u2029]/g, " ")}
async function run() {
  log(${json()}, ${json()});
  return { [${json()}]: await call(${json()}, ${json()}).catch((e) => e.message) };
}`)
      }`,
      block(`function run(args) { throw new Error(${json()}); }`),
      { chunks: pieces(`The answer: ${text()}`, random) },
    ], { secrets, functions });
    await made.run(text() || "x");
    const surfaces = await made.surfaces();
    for (const secret of secrets) ok(!surfaces.includes(secret), JSON.stringify([round, secrets]));
  }
});

const SIGNS = 'abcXYZ019+/=-_."\\ \n%&é🎉';

/** Eight to twenty characters, with white space at neither end: that is no part of a secret. */
function randomSecret(random: () => number): string {
  const signs = [...SIGNS];
  const inner = Array.from(
    { length: 6 + Math.floor(random() * 12) },
    () => signs[Math.floor(random() * signs.length)],
  );
  return `Q${inner.join("")}Z`;
}

function randomText(random: () => number, secrets: readonly string[]): string {
  const parts = Array.from({ length: Math.floor(random() * 6) }, () => {
    const secret = secrets[Math.floor(random() * secrets.length)] ?? "";
    const kinds = [
      secret,
      secret.slice(0, 5),
      "word ",
      "123",
      encodeURIComponent(secret),
      JSON.stringify(secret),
    ];
    return kinds[Math.floor(random() * kinds.length)];
  });
  return parts.join("");
}

function pieces(text: string, random: () => number): string[] {
  const all: string[] = [];
  for (let at = 0; at < text.length;) {
    const end = at + 1 + Math.floor(random() * 6);
    all.push(text.slice(at, end));
    at = end;
  }
  return all;
}
