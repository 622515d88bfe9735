import { deepEqual, match } from "node:assert/strict";
import type { ApprovalRequest, Approve } from "../contracts/approval.ts";
import type { JsonValue } from "../contracts/json.ts";
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

Deno.test("judge: a person who changes the arguments has agreed to the new aim, and no longer to the one that was asked about", async () => {
  const asked: (string | undefined)[] = [];
  const gate = testGate(async (_, { authorize }) => {
    await authorize({ target: "new.example" });
    await authorize({ target: "old.example" });
    return "done";
  }, {
    policy: ASKS,
    function: { target: ([host]) => String(host) },
    approve: ({ target }) => {
      asked.push(target);
      return asked.length === 1
        ? { decision: "approve", args: ["new.example"] }
        : { decision: "deny", reason: "not there" };
    },
  });
  match(errorOf(await gate.call(["old.example"])), /f \(old\.example\) is refused.*not there/);
  deepEqual(asked, ["old.example", "old.example"]);
});

Deno.test("judge: a yes to a host is none to its other ports, nor to it once it turns out to lie in a private network", async () => {
  const asked: string[] = [];
  const gate = testGate(async (_, { authorize }) => {
    for (const port of [443, 80]) await authorize({ target: "a.example", port });
    await authorize({ target: "a.example", port: 443, network: "public" });
    for (let i = 0; i < 2; i++) {
      await authorize({ target: "a.example", port: 443, network: "private" });
      await authorize({ target: "a.example", port: 22 });
    }
    return "done";
  }, {
    policy: {
      check: ({ port, network }) => ({ decision: "ask", reason: `${network ?? "any"} ${port}` }),
    },
    function: { target: ([target]) => ({ target: String(target), port: 443 }) },
    approve: ({ reason }) => (asked.push(reason), { decision: "approve" }),
  });
  deepEqual(await gate.call(["a.example"]), { ok: true, json: '"done"' });
  deepEqual(asked, ["any 443", "private 443", "any 22"]);
});

Deno.test("judge: a list of changed arguments that is changed once more, after it was handed in, is done as it was judged", async () => {
  const args = ["b.example"];
  const done: unknown[] = [];
  const gate = testGate((given) => done.push(given), {
    policy: {
      check: ({ target }) => {
        if (target === "a.example") return { decision: "ask", reason: "?" };
        args[0] = "c.example";
        return { decision: "allow" };
      },
    },
    function: { target: ([host]) => String(host) },
    approve: () => ({ decision: "approve", args }),
  });
  await gate.call(["a.example"]);
  deepEqual(done, [["b.example"]]);
});

Deno.test("judge: what the policy denies stays denied where a person changed the arguments to it", async () => {
  let ran = 0;
  const gate = testGate(() => ran++, {
    policy: {
      check: ({ target }) =>
        target === "private"
          ? { decision: "deny", reason: "it is private" }
          : { decision: "ask", reason: "?" },
    },
    function: { target: ([host]) => String(host) },
    approve: () => ({ decision: "approve", args: ["private"] }),
  });
  match(errorOf(await gate.call(["public"])), /is refused: .*as changed.*it is private/);
  deepEqual(ran, 0);
});

Deno.test("judge: on its way a call cannot be changed any more; a person who would change it has not agreed", async () => {
  const gate = testGate(async (_, { authorize }) => {
    await authorize({ target: "other.example" });
    return "done";
  }, {
    policy: {
      check: ({ target }) =>
        target === "other.example" ? { decision: "ask", reason: "?" } : { decision: "allow" },
    },
    approve: () => ({ decision: "approve", args: ["third.example"] }),
  });
  match(
    errorOf(await gate.call()),
    /f \(other\.example\) is refused: .*cannot be changed any more/,
  );
});

Deno.test("judge: what is no answer of a policy lets nothing pass, and says what one is", async () => {
  const answers = [undefined, null, true, false, "allow", {}, { decision: "Deny" }, {
    decision: "allowed",
  }];
  for (const answer of answers) {
    let ran = 0;
    const gate = testGate(() => ran++, { policy: { check: () => answer as never } });
    match(
      errorOf(await gate.call()),
      /is refused: the policy failed: check must give \{ decision: "allow" \}, .*, got /,
    );
    deepEqual(ran, 0);
  }
});

Deno.test("judge: a policy that refuses or asks without a reason is said to give none", async () => {
  const policyOf = (decision: "deny" | "ask") => ({ check: () => ({ decision }) as never });
  for (const decision of ["deny", "ask"] as const) {
    const reply = await testGate(() => 1, { policy: policyOf(decision) }).call();
    match(errorOf(reply), /is refused: .*the policy gives no reason/);
  }
});

Deno.test("judge: what is no word of a person is a refusal that says so", async () => {
  for (const word of [undefined, null, true, "approve", {}, { approved: true }]) {
    const gate = testGate(() => 1, { policy: ASKS, approve: () => word as never });
    match(
      errorOf(await gate.call()),
      /is refused: asking for approval failed: approve must give \{ decision: "approve" \}, .*, got /,
    );
  }
});

Deno.test("judge: where args is misspelt the call is not made as it was", async () => {
  let ran = 0;
  const approve = () => ({ decision: "approve", arg: ["other"] }) as never;
  const gate = testGate(() => ran++, { policy: ASKS, approve });
  match(
    errorOf(await gate.call()),
    /approve: there is no option arg; there are decision, args, reason/,
  );
  deepEqual(ran, 0);
});

Deno.test("judge: changed arguments that are no list of JSON values are not what a function is called with", async () => {
  for (const args of [{ to: "b" }, "ab", null, [() => 1], [new Date(0)], [1n], ["a", undefined]]) {
    let ran = 0;
    const gate = testGate(() => ran++, {
      policy: ASKS,
      approve: () => ({ decision: "approve", args: args as never }),
    });
    match(
      errorOf(await gate.call()),
      /the arguments that it was to be changed to are no list in JSON/,
    );
    deepEqual(ran, 0);
  }
});

Deno.test("judge: whoever decides cannot change what is done by changing what was shown", async () => {
  const spoil = (args: readonly JsonValue[]) => {
    const [first] = args as { a: number }[];
    first!.a = 666;
    (args as JsonValue[]).push("more");
  };
  const seen: (readonly JsonValue[])[] = [];
  const shownTo: string[] = [];
  const gate = testGate((args) => (seen.push(args), "done"), {
    policy: {
      check({ args }) {
        spoil(args);
        return { decision: "ask", reason: "?" };
      },
    },
    function: { preview: (args) => (spoil(args), "x") },
    approve({ args }) {
      shownTo.push(JSON.stringify(args));
      spoil(args);
      return { decision: "approve" };
    },
  });
  deepEqual(await gate.call([{ a: 1 }]), { ok: true, json: '"done"' });
  deepEqual(shownTo, ['[{"a":1}]']);
  deepEqual(seen, [[{ a: 1 }]]);
});
