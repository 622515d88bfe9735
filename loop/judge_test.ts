import { deepEqual, match } from "node:assert/strict";
import type { ApprovalRequest, Approve } from "../contracts/approval.ts";
import type { PolicyChecker } from "../contracts/policy.ts";
import type { HostFunction } from "../contracts/sandbox.ts";
import { errorOf, testGate } from "./_gate_fixture.ts";

const ASKS: PolicyChecker = { check: () => ({ decision: "ask", reason: "it writes" }) };
const APPROVES: Approve = () => ({ decision: "approve" });

/** Calls a function whose policy asks, and gives what the person was shown and what the script got. */
async function shown(preview: HostFunction["preview"]): Promise<[string | undefined, unknown]> {
  const requests: ApprovalRequest[] = [];
  const gate = testGate(() => "done", {
    policy: ASKS,
    function: preview === undefined ? {} : { preview },
    approve: (request) => (requests.push(request), APPROVES(request)),
  });
  const reply = await gate.call(["a.txt"]);
  return [requests[0]?.preview, reply.ok && reply.json];
}

Deno.test("judge: a person is shown what the function shows of the call", async () => {
  deepEqual(await shown(undefined), [undefined, '"done"']);
  deepEqual(await shown(() => undefined), [undefined, '"done"']);
  deepEqual(await shown(([file]) => `--- ${file}`), ["--- a.txt", '"done"']);
  deepEqual(await shown(([file]) => Promise.resolve(`+++ ${file}`)), ["+++ a.txt", '"done"']);
});

Deno.test("judge: a preview that fails says so, and the person still decides", async () => {
  const failing = [() => Promise.reject(new Error("no such file")), () => {
    throw new Error("no such file");
  }];
  for (const preview of failing) {
    deepEqual(await shown(preview), ["(it cannot be shown: no such file)", '"done"']);
  }
});

Deno.test("judge: nothing is shown where nobody is asked, and none is waited for past the call's end", async () => {
  let previews = 0;
  const counting = { preview: () => (previews++, "x") };
  const allowed = testGate(() => "done", { function: counting });
  deepEqual(await allowed.call(), { ok: true, json: '"done"' });
  const alone = testGate(() => "done", { policy: ASKS, function: counting });
  match(errorOf(await alone.call()), /nobody is here to give/);
  deepEqual(previews, 0);
  const ended = new AbortController();
  const slow = testGate(() => "done", {
    policy: ASKS,
    function: { preview: () => new Promise(() => queueMicrotask(() => ended.abort())) },
    approve: APPROVES,
  });
  match(errorOf(await slow.call([], { signal: ended.signal })), /ended with the script/);
});
