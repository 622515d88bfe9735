import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { AgentLoopError } from "../contracts/errors.ts";
import { CliError, describeFailure, usageError } from "./failure.ts";

Deno.test("wrong use has exit code 3 and points to the help of its command", () => {
  const { type, exitCode, hint } = describeFailure(usageError("no", "sessions ls"));
  deepStrictEqual([type, exitCode, hint], ["usage", 3, "Try: agentloop help sessions"]);
});

Deno.test("failures of the world keep their code and their words", () => {
  const { type, exitCode, message, hint } = describeFailure(
    new AgentLoopError("The store is locked.", { code: "store_locked" }),
  );
  deepStrictEqual([type, exitCode, message, hint], [
    "store_locked",
    1,
    "The store is locked.",
    undefined,
  ]);
  strictEqual(describeFailure(new CliError("input", "x")).exitCode, 1);
});

Deno.test("where a message names a variable, the option that says the same is told", () => {
  const hintOf = (message: string) =>
    describeFailure(new AgentLoopError(message, { code: "model_not_found" })).hint;
  strictEqual(
    hintOf("Check the base URL (OPENAI_BASE_URL) and the model (OPENAI_CHAT_MODEL)."),
    "On the command line: --model NAME, --base-url URL.",
  );
  strictEqual(hintOf("Name one (OPENAI_CHAT_MODEL)."), "On the command line: --model NAME.");
  strictEqual(hintOf("Try again later."), undefined);
});

Deno.test("what nobody expected is one line and says how to see more", () => {
  for (
    const error of [
      new TypeError("x is undefined"),
      "text",
      undefined,
      new AgentLoopError("y", { code: "internal" }),
    ]
  ) {
    const { type, exitCode, message, hint, cause } = describeFailure(error);
    deepStrictEqual([type, exitCode, cause], ["internal", 1, error]);
    match(message, /^Internal error: [^\n]+$/);
    match(hint ?? "", /AGENTLOOP_DEBUG=1/);
  }
});

Deno.test("a permission that is missing is told as such", () => {
  const { type, hint } = describeFailure(new Deno.errors.NotCapable("Requires net access"));
  strictEqual(type, "permission");
  match(hint ?? "", /deno run -A/);
});
