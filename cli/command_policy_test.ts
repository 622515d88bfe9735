import { deepStrictEqual, match, strictEqual, throws } from "node:assert/strict";
import type { JsonValue } from "../contracts/json.ts";
import type { PolicyCall } from "../contracts/policy.ts";
import { commandPolicy } from "./command_policy.ts";
import { CliError } from "./failure.ts";

function call(aim: Partial<PolicyCall>): PolicyCall {
  return { name: "fetch", args: [], sideEffect: false, sessionId: "s", ...aim };
}

Deno.test("what an option lets through passes, and what it would let through is refused with its name", () => {
  const policy = commandPolicy({ allowNet: ["example.com"], allowPrivateNet: ["127.0.0.1:8080"] });
  deepStrictEqual(policy.check(call({ target: "example.com" })), { decision: "allow" });
  deepStrictEqual(
    policy.check(call({ target: "127.0.0.1", port: 8080, network: "private" })),
    { decision: "allow" },
  );
  deepStrictEqual(policy.check(call({ target: "other.example" })), {
    decision: "ask",
    reason: "other.example is not among the allowed hosts; --allow-net other.example lets it pass",
  });
  deepStrictEqual(policy.check(call({ target: "10.0.0.1", port: 81, network: "private" })), {
    decision: "deny",
    reason: "10.0.0.1 lies in a private network; --allow-private-net 10.0.0.1:81 lets it pass",
  });
});

Deno.test("why a call was refused is remembered for its target", () => {
  const policy = commandPolicy({ allowNet: ["example.com"] });
  policy.check(call({ target: "example.com" }));
  policy.check(call({ target: "other.example" }));
  strictEqual(policy.whyRefused("fetch", "example.com"), undefined);
  match(policy.whyRefused("fetch", "other.example") ?? "", /--allow-net other\.example/);
});

Deno.test("why a command, a secret or a call without a target was refused is remembered too", () => {
  const policy = commandPolicy({});
  policy.check(call({ name: "exec", target: "make", args: [["make"]] }));
  policy.check(call({ name: "secret", target: "A_KEY", args: ["A_KEY"] }));
  policy.check(call({ name: "remember", sideEffect: true }));
  match(policy.whyRefused("exec", "make") ?? "", /--allow-exec make/);
  match(policy.whyRefused("secret", "A_KEY") ?? "", /--secret/);
  match(policy.whyRefused("remember") ?? "", /--allow-tools remember/);
});

Deno.test("a value that is no host is wrong use of its option", () => {
  for (
    const [field, option] of [["allowNet", "--allow-net"], [
      "allowPrivateNet",
      "--allow-private-net",
    ]]
  ) {
    throws(() => commandPolicy({ [field ?? ""]: ["http://x/"] }), (error) => {
      strictEqual(error instanceof CliError && error.type, "usage");
      match(String(error), new RegExp(`${option}: expected hosts such as "example\\.com"`));
      return true;
    });
  }
});

Deno.test("commands that were named run without a question, others and paths do not", () => {
  const policy = commandPolicy({ allowExec: ["git"] });
  const run = (target: string | undefined, options: JsonValue = {}) =>
    policy.check(
      call({
        name: "exec",
        args: [["x"], options],
        sideEffect: true,
        ...(target === undefined ? {} : { target }),
      }),
    );
  deepStrictEqual(run("git"), { decision: "allow" });
  deepStrictEqual(run("git", { cwd: "src" }), { decision: "allow" });
  deepStrictEqual(run("make"), {
    decision: "ask",
    reason: "it runs a command; --allow-exec make lets it pass",
  });
  for (const [target, options] of [["./git", {}], ["/bin/git", {}], ["git", { env: { A: "b" } }]]) {
    strictEqual(run(target as string, options as JsonValue).decision, "ask", String(target));
  }
  strictEqual(run(undefined).decision, "ask");
  strictEqual(
    commandPolicy({ allowExec: [] }).check(call({ name: "exec", target: "git" })).decision,
    "ask",
  );
});

Deno.test("a command is allowed by its name and not by a path", () => {
  for (const name of ["./git", "/bin/git", "a b", ""]) {
    throws(() => commandPolicy({ allowExec: [name] }), /--allow-exec takes names of commands/);
  }
});

Deno.test("functions that were named pass without a question, but none that has an option of its own", () => {
  const policy = commandPolicy({ allowTools: ["writeFile"] });
  const write = call({ name: "writeFile", target: "x.txt", sideEffect: true });
  deepStrictEqual(policy.check(write), { decision: "allow" });
  const { decision, reason } = policy.check({ ...write, name: "editFile" }) as {
    readonly decision: string;
    readonly reason: string;
  };
  strictEqual(decision, "ask");
  match(reason, /--approve auto or --allow-tools editFile lets it pass/);
  for (const name of ["exec", "secret", "write file", "", "../x"]) {
    throws(() => commandPolicy({ allowTools: [name] }), (error) => {
      strictEqual(error instanceof CliError && error.type, "usage");
      match(String(error), /--allow-tools/);
      return true;
    });
  }
});
