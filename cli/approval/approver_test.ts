import { deepEqual, equal } from "node:assert/strict";
import type { ApprovalRequest } from "../../contracts/approval.ts";
import { MemoryStore } from "../../stores/memory.ts";
import { type Answer, createApprover } from "./approver.ts";

function request(fields: Partial<ApprovalRequest> = {}): ApprovalRequest {
  return {
    name: "fetch",
    target: "a.test",
    args: ["https://a.test/"],
    reason: "",
    runId: "r",
    sessionId: "s",
    signal: new AbortController().signal,
    ...fields,
  };
}

/** An approver of session "s" whose person gives these answers. */
function approver(answers: readonly Answer[], store: MemoryStore = new MemoryStore()) {
  const asked: string[] = [];
  let atOnce = 0;
  const approve = createApprover({
    grants: store,
    sessionId: "s",
    async ask({ name, target }) {
      equal(++atOnce, 1);
      asked.push(`${name} ${target}`);
      await new Promise((resolve) => setTimeout(resolve, 1));
      atOnce--;
      return answers[asked.length - 1] ?? { kind: "no" };
    },
  });
  return { approve, asked, store };
}

const YES = { decision: "approve" };

Deno.test("approver: y holds for the session, also in another invocation; o does not", async () => {
  const first = approver([{ kind: "session" }, { kind: "once" }, { kind: "once" }]);
  deepEqual(await first.approve(request()), YES);
  deepEqual(await first.approve(request({ args: ["https://a.test/other"] })), YES);
  deepEqual(await first.approve(request({ target: "b.test" })), YES);
  deepEqual(await first.approve(request({ target: "b.test" })), YES);
  deepEqual(first.asked, ["fetch a.test", "fetch b.test", "fetch b.test"]);
  const second = approver([], first.store);
  deepEqual(await second.approve(request()), YES);
  deepEqual(await second.approve(request({ target: "b.test" })), { decision: "deny" });
});

Deno.test("approver: a refusal holds for the invocation and is never kept", async () => {
  const { approve, asked, store } = approver([{ kind: "no" }]);
  deepEqual(await approve(request()), { decision: "deny" });
  deepEqual(await approve(request()), { decision: "deny", reason: "it was refused before" });
  equal(asked.length, 1);
  deepEqual(await store.grants("s"), []);
  deepEqual(await approver([{ kind: "once" }], store).approve(request()), YES);
});

Deno.test("approver: a allows every call of the function, and of no other", async () => {
  const { approve, asked } = approver([{ kind: "all" }, { kind: "no" }]);
  deepEqual(await approve(request()), YES);
  deepEqual(await approve(request({ target: "b.test" })), YES);
  deepEqual(await approve(request({ name: "http", target: "b.test" })), { decision: "deny" });
  equal(asked.length, 2);
});

Deno.test("approver: changed arguments are handed on, once", async () => {
  const { approve, asked } = approver([{ kind: "edited", args: ["x"] }]);
  deepEqual(await approve(request()), { decision: "approve", args: ["x"] });
  deepEqual(await approve(request()), { decision: "deny" });
  equal(asked.length, 2);
});

Deno.test("approver: calls at once are asked about one after the other, and what one answer settles is not asked again", async () => {
  const { approve, asked } = approver([{ kind: "session" }, { kind: "no" }]);
  const decisions = await Promise.all(
    ["a.test", "a.test", "b.test", "b.test"].map((target) => approve(request({ target }))),
  );
  deepEqual(decisions.map(({ decision }) => decision), ["approve", "approve", "deny", "deny"]);
  deepEqual(asked, ["fetch a.test", "fetch b.test"]);
});

Deno.test("approver: nobody is asked about a call that has ended, and a store that fails refuses only its own call", async () => {
  const { approve, asked } = approver([{ kind: "once" }]);
  deepEqual(await approve(request({ signal: AbortSignal.abort() })), { decision: "deny" });
  equal(asked.length, 0);
  const store = new MemoryStore();
  const failing = Object.assign(store, {
    grants: () => Promise.reject(new Error("the disk is full")),
  });
  const broken = approver([], failing);
  const failed = await Promise.allSettled([broken.approve(request()), broken.approve(request())]);
  deepEqual(failed.map(({ status }) => status), ["rejected", "rejected"]);
});
