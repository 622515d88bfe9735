import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { AgentLoopError, type ErrorCode } from "../contracts/errors.ts";
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

Deno.test("what a variable names is told with the option that names it too", () => {
  const hintOf = (code: ErrorCode, message: string) =>
    describeFailure(new AgentLoopError(message, { code })).hint;
  match(hintOf("model_not_found", "There is no such model.") ?? "", /--model NAME.*--base-url URL/);
  match(hintOf("model_connection", "Nobody answers.") ?? "", /--base-url URL/);
  match(hintOf("config", "Name one (OPENAI_CHAT_MODEL).") ?? "", /--model NAME/);
  strictEqual(hintOf("config", "No key."), undefined);
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
