/** The pool of sandboxes: what a session's capabilities built is used again by its next run, one run at a time. */
import assert from "node:assert/strict";
import type { RunEventBody } from "../../contracts/event.ts";
import type { BuildContext, SandboxBuilder, SandboxBuildRequest } from "../../contracts/sandbox.ts";
import { DefaultSandboxBuilder } from "../../sandbox/default_builder.ts";
import { SandboxPool, type SandboxPoolOptions } from "../../sandbox/sandbox_pool.ts";
import { until } from "./process_table.ts";

/** A pool around a builder whose capability keeps the context that it was built with. */
function openPool(options: SandboxPoolOptions = {}) {
  const contexts: BuildContext[] = [];
  /** What the builder was asked with. */
  const requests: SandboxBuildRequest[] = [];
  let disposed = 0;
  /** Builds that are to fail. */
  const faults: string[] = [];
  const builder = new DefaultSandboxBuilder({
    capabilities: [{
      name: "who",
      description: "",
      build(context) {
        contexts.push(context);
        // A name that scripts need is refused when the packs are put together.
        const name = faults.shift() ?? "who";
        const prompt = `declare function ${name}(): string;`;
        return [{ name: "who", prompt, functions: [{ name, execute: () => context.userId }] }];
      },
    }],
  });
  const counting: SandboxBuilder = {
    async build(request) {
      requests.push(request);
      const sandbox = await builder.build(request);
      return {
        ...sandbox,
        async [Symbol.asyncDispose]() {
          disposed++;
          await sandbox[Symbol.asyncDispose]();
        },
      };
    },
  };
  const pool = new SandboxPool(counting, options);
  return {
    pool,
    contexts,
    requests,
    faults,
    get disposed() {
      return disposed;
    },
    async [Symbol.asyncDispose]() {
      await pool.close();
      await builder[Symbol.asyncDispose]();
    },
  };
}

function requestOf(
  fields: Partial<SandboxBuildRequest> & { readonly events?: RunEventBody[] } = {},
): SandboxBuildRequest {
  const { events, ...rest } = fields;
  return {
    session: { id: "session" },
    runId: "run",
    signal: new AbortController().signal,
    emit: (event) => void events?.push(event),
    ...rest,
  };
}

/** Whether something has settled once everything that is ready has been done. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  promise.then(() => settled = true, () => settled = true);
  await new Promise((resolve) => setTimeout(resolve, 0));
  return settled;
}

for (const state of ["cold", "warm"] as const) {
  Deno.test(`runs of one session that begin in one moment take turns, and each has its own context (${state})`, async () => {
    await using opened = openPool();
    const { pool, contexts } = opened;
    if (state === "warm") await (await pool.build(requestOf()))[Symbol.asyncDispose]();
    const users = ["alice", "bob", "carol"];
    const builds = users.map((userId) => pool.build(requestOf({ userId })));
    for (const [at, userId] of users.entries()) {
      const sandbox = await builds[at]!;
      assert.equal(contexts[0]!.userId, userId);
      const next = builds[at + 1];
      assert.ok(next === undefined || !await isSettled(next), `${users[at + 1]} waits`);
      assert.equal(contexts[0]!.userId, userId, "still");
      await sandbox[Symbol.asyncDispose]();
    }
    assert.equal(contexts.length, 1, "it was built once");
  });
}

Deno.test("runs of another session or tenant do not wait, and share nothing", async () => {
  await using opened = openPool();
  const { pool, contexts } = opened;
  await Promise.all([
    pool.build(requestOf()),
    pool.build(requestOf({ session: { id: "other" } })),
    pool.build(requestOf({ scope: { workspaceId: "w" } })),
    pool.build(requestOf({ scope: { workspaceId: "w", projectId: "p" } })),
  ]);
  assert.equal(contexts.length, 4);
  assert.equal(pool.size, 4);
});

Deno.test("each run's signal, tenant, user, message and events reach what an earlier run built", async () => {
  await using opened = openPool();
  const { pool, contexts, requests } = opened;
  const [past, events]: RunEventBody[][] = [[], []];
  await (await pool.build(requestOf({ userId: "alice", events: past! })))[Symbol.asyncDispose]();
  const run = new AbortController();
  await using _sandbox = await pool.build(requestOf({
    session: { id: "session", messageId: "mail-2" },
    userId: "bob",
    runId: "run-2",
    signal: run.signal,
    events: events!,
  }));
  const warning = { type: "warning", content: "late" } as const;
  requests[0]!.emit(warning);
  assert.deepEqual([past, events, requests[0]!.runId], [[], [warning], "run-2"]);
  const [context] = contexts;
  assert.deepEqual([context!.userId, context!.messageId], ["bob", "mail-2"]);
  assert.equal(context!.signal, run.signal);
});

Deno.test("a run that waits for its session can be cancelled, and the others keep their order", async () => {
  await using opened = openPool();
  const { pool } = opened;
  const first = await pool.build(requestOf());
  const second = new AbortController();
  const builds = [
    pool.build(requestOf({ signal: second.signal })),
    pool.build(requestOf({ userId: "third" })),
  ];
  second.abort(new Error("enough"));
  await assert.rejects(builds[0]!, {
    code: "aborted",
    message: "The run was ended while it waited for another run of its session.",
    cause: new Error("enough"),
  });
  await assert.rejects(pool.build(requestOf({ signal: second.signal })), { code: "aborted" });
  assert.ok(!await isSettled(builds[1]!));
  await first[Symbol.asyncDispose]();
  await (await builds[1]!)[Symbol.asyncDispose]();
});

Deno.test("one run more than may wait is refused with the session's name", async () => {
  await using opened = openPool({ maxWaiting: 1 });
  const { pool } = opened;
  const first = await pool.build(requestOf());
  const second = pool.build(requestOf());
  await assert.rejects(pool.build(requestOf()), {
    code: "sandbox_busy",
    message: '1 runs of the session "session" wait already (maxWaiting).',
  });
  await first[Symbol.asyncDispose]();
  await (await second)[Symbol.asyncDispose]();
});

Deno.test("what could not be built is not kept, and those that waited for it build it in their turn", async () => {
  await using opened = openPool();
  const { pool, contexts, faults } = opened;
  faults.push("answer");
  const builds = ["alice", "bob", "carol"].map((userId) => pool.build(requestOf({ userId })));
  await assert.rejects(builds[0]!, /claims the name "answer"/);
  const second = await builds[1]!;
  assert.ok(!await isSettled(builds[2]!), "carol waits for bob");
  assert.equal(contexts[1]!.userId, "bob");
  await second[Symbol.asyncDispose]();
  const third = await builds[2]!;
  assert.equal(contexts[1]!.userId, "carol");
  await third[Symbol.asyncDispose]();
  assert.equal(contexts.length, 2);
});

Deno.test("a sandbox goes when its session was idle for so long, and not while a run has it", async () => {
  await using opened = openPool({ idleTimeoutMs: 20 });
  const { pool } = opened;
  const sandbox = await pool.build(requestOf());
  await new Promise((resolve) => setTimeout(resolve, 60));
  assert.equal(pool.size, 1);
  await sandbox[Symbol.asyncDispose]();
  await until("it is gone", () => opened.disposed === 1);
  assert.equal(pool.size, 0);
});

for (const idleTimeoutMs of [Infinity, 2 ** 31]) {
  Deno.test(`an idle time of ${idleTimeoutMs} ms is none that has passed at once`, async () => {
    await using opened = openPool({ idleTimeoutMs });
    const { pool } = opened;
    await (await pool.build(requestOf()))[Symbol.asyncDispose]();
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.deepEqual([pool.size, opened.disposed], [1, 0]);
  });
}

Deno.test("of too many the least recently used goes first, and none that a run has", async () => {
  await using opened = openPool({ maxSandboxes: 2 });
  const { pool, contexts } = opened;
  const build = (id: string) => pool.build(requestOf({ session: { id } }));
  const use = async (id: string) => await (await build(id))[Symbol.asyncDispose]();
  for (const id of ["a", "b", "a", "c"]) await use(id);
  assert.deepEqual([pool.size, opened.disposed], [2, 1]);
  await use("a");
  assert.equal(contexts.length, 3, "a was kept");
  await use("b");
  assert.equal(contexts.length, 4, "b was not");
  const held = await Promise.all(["x", "y", "z"].map(build));
  assert.equal(pool.size, 3, "more than the bound are in use");
  for (const sandbox of held) await sandbox[Symbol.asyncDispose]();
  assert.equal(pool.size, 2);
});

Deno.test("closing a pool disposes what it keeps once, and refuses those that wait and those that come", async () => {
  await using opened = openPool();
  const { pool } = opened;
  const sandbox = await pool.build(requestOf());
  await (await pool.build(requestOf({ session: { id: "other" } })))[Symbol.asyncDispose]();
  const waiting = pool.build(requestOf());
  await pool.close();
  await assert.rejects(waiting, /The sandbox pool was closed\./);
  await assert.rejects(pool.build(requestOf()), /The sandbox pool was closed\./);
  await sandbox[Symbol.asyncDispose]();
  await pool.close();
  assert.deepEqual([pool.size, opened.disposed], [0, 2]);
});

Deno.test("what one run found is not the next one's", async () => {
  await using opened = openPool();
  const { pool } = opened;
  const first = await pool.build(requestOf());
  first.extend?.([{ name: "found", execute: () => 1 }]);
  assert.ok(first.functions.has("found"));
  await first[Symbol.asyncDispose]();
  await using second = await pool.build(requestOf());
  assert.deepEqual([...second.functions.keys()], ["who"]);
});
