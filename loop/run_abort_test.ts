import { deepEqual, equal, match, notEqual, ok } from "node:assert/strict";
import { AgentLoopError } from "../contracts/errors.ts";
import type { Execution } from "../contracts/sandbox.ts";
import { execution } from "./_fake_sandbox.ts";
import { block, type Fixture, fixture, returning } from "./_run_fixture.ts";

const REQUEST = { sessionId: "s", message: "x" };

async function lastStep({ store }: Fixture): Promise<string[]> {
  const [step] = await store.lastN("s", 1);
  return [step?.stepType ?? "", step?.toolArgs ?? ""];
}

Deno.test("run abort: during the model call the run ends at once, is recorded and finalized", async () => {
  const controller = new AbortController();
  const never = new Promise<never>(() => {});
  using made = fixture([{ until: never }]);
  const running = made.loop.run({
    ...REQUEST,
    signal: controller.signal,
    onEvent: (event) => {
      made.onEvent(event);
      if (event.type === "turn_start") queueMicrotask(() => controller.abort("user left"));
    },
  });
  const result = await running;
  deepEqual([result.status, result.reason], ["error", "aborted"]);
  equal(result.error?.cause, "user left");
  deepEqual(await lastStep(made), ["error", '{"code":"aborted"}']);
  deepEqual(made.events.map((event) => event.type), ["user", "turn_start", "error", "done"]);
  equal((await made.store.list())[0]?.status, "error");
  equal(made.sandboxBuilder.disposed, 1);
});

Deno.test("run abort: a client that does not heed its signal cannot hold the run", async () => {
  const controller = new AbortController();
  using made = fixture([], {
    config: {
      llm: {
        complete: () => {
          controller.abort();
          return new Promise(() => {});
        },
      },
    },
  });
  const { reason } = await made.loop.run({ ...REQUEST, signal: controller.signal });
  equal(reason, "aborted");
});

/** A sandbox whose scripts go on until their signal ends, and then tell that they were cancelled. */
function waiting(onStart: () => void) {
  return ({ signal }: { readonly signal?: AbortSignal }): Promise<Execution> =>
    new Promise((resolve) => {
      signal?.addEventListener("abort", () => {
        resolve(execution({ failure: { kind: "cancelled", message: "cancelled" } }));
      });
      onStart();
    });
}

Deno.test("run abort: during a script the run ends at once, and args stay as they were", async () => {
  const controller = new AbortController();
  let started = 0;
  using made = fixture([returning(1), block("function run() { for (;;); }")], {
    sandbox: {
      evaluate: (request) => {
        if (!request.source.includes("for")) return undefined;
        return waiting(() => {
          started++;
          controller.abort();
        })(request);
      },
    },
  });
  const result = await made.loop.run({ ...REQUEST, signal: controller.signal });
  deepEqual([result.status, result.reason, started], ["error", "aborted", 1]);
  equal((await made.store.get("s")).data, "1");
  deepEqual((await made.store.lastN("s", 9)).map((step) => step.stepType), [
    "user",
    "execute_js",
    "execute_js_result",
    "execute_js",
    "error",
  ]);
});

Deno.test("run abort: a sandbox that does not heed its signal cannot hold the run", async () => {
  const controller = new AbortController();
  using made = fixture([returning(1)], {
    sandbox: {
      evaluate: () => {
        controller.abort();
        return new Promise(() => {});
      },
    },
  });
  const { reason } = await made.loop.run({ ...REQUEST, signal: controller.signal });
  equal(reason, "aborted");
  equal(made.sandboxBuilder.disposed, 1);
});

Deno.test("run abort: at the wall time the run ends with timeout, in the model call and in a script", async () => {
  using asking = fixture([{ until: new Promise(() => {}) }]);
  const asked = await asking.loop.run({ ...REQUEST, timeoutMs: 20 });
  deepEqual([asked.status, asked.reason], ["error", "timeout"]);
  match(asked.error?.message ?? "", /limit of 20 ms/);
  using running = fixture([returning(1)], {
    sandbox: { evaluate: waiting(() => {}) },
    config: { runTimeoutMs: 20 },
  });
  equal((await running.loop.run(REQUEST)).reason, "timeout");
  deepEqual(await lastStep(running), ["error", '{"code":"timeout"}']);
});

Deno.test("run abort: a signal that had ended before makes no model call", async () => {
  using made = fixture([]);
  const result = await made.loop.run({ ...REQUEST, signal: AbortSignal.abort() });
  deepEqual([result.status, result.reason], ["error", "aborted"]);
  equal(made.llm.requests.length, 0);
  deepEqual(await lastStep(made), ["error", '{"code":"aborted"}']);
});

Deno.test("run abort: a sandbox that is ready only after the run has ended is disposed all the same", async () => {
  const controller = new AbortController();
  const ready = Promise.withResolvers<void>();
  using made = fixture([], {
    sandbox: {
      onBuild: () => {
        controller.abort();
        return ready.promise;
      },
    },
  });
  equal((await made.loop.run({ ...REQUEST, signal: controller.signal })).reason, "aborted");
  equal(made.sandboxBuilder.disposed, 0);
  ready.resolve();
  await new Promise((resolve) => setTimeout(resolve));
  deepEqual([made.sandboxBuilder.built, made.sandboxBuilder.disposed], [1, 1]);
});

Deno.test("run abort: a session can go on after it; the broken exchange is told as such", async () => {
  const controller = new AbortController();
  using made = fixture([block("function run() { for (;;); }"), "4"], {
    sandbox: { evaluate: waiting(() => controller.abort()) },
  });
  await made.loop.run({ ...REQUEST, signal: controller.signal });
  equal((await made.loop.run({ sessionId: "s", message: "again" })).finalText, "4");
  const messages = made.llm.requests[1]?.messages ?? [];
  deepEqual(messages.map((message) => message.role), ["system", "user", "assistant", "user"]);
  match(messages[3]?.content ?? "", /ended before this script's result.*\n\n.*again$/s);
});

Deno.test("run abort: the caller's signal is let go of when the run ends", async () => {
  let listeners = 0;
  const { signal } = new AbortController();
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  Object.assign(signal, {
    addEventListener: (...args: Parameters<typeof add>) => (listeners++, add(...args)),
    removeEventListener: (...args: Parameters<typeof remove>) => (listeners--, remove(...args)),
  });
  using made = fixture([returning(1), "4"]);
  await made.loop.run({ ...REQUEST, signal });
  ok(listeners <= 0, `${listeners} listeners are left`);
});

Deno.test("run abort: the error that ends a run's signal is its own: what is written on it is in no other run", async () => {
  const reasons: unknown[] = [];
  using made = fixture(["4", "5"]);
  const { llm } = made;
  const { loop } = fixture([], {
    config: {
      llm: {
        complete(request) {
          const { signal } = request;
          signal?.addEventListener("abort", () => reasons.push(signal.reason));
          return llm.complete(request);
        },
      },
    },
  });
  for (const sessionId of ["one", "other"]) await loop.run({ sessionId, message: "x" });
  const [one, other] = reasons;
  ok(one instanceof AgentLoopError && other instanceof AgentLoopError);
  equal(one.code, "aborted");
  notEqual(one, other);
});
