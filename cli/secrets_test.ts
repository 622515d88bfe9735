import { strictEqual } from "node:assert/strict";
import { commandRedactor } from "./secrets.ts";

/** Runs with a key in the environment, and puts back what was there. */
function withKey(key: string, check: () => void): void {
  const before = Deno.env.get("OPENAI_API_KEY");
  Deno.env.set("OPENAI_API_KEY", key);
  try {
    check();
  } finally {
    if (before === undefined) Deno.env.delete("OPENAI_API_KEY");
    else Deno.env.set("OPENAI_API_KEY", before);
  }
}

Deno.test("the keys of environment and options are taken out, and what is secret in the address", () => {
  withKey("sk-from-environment", () => {
    const redactor = commandRedactor({
      apiKey: "sk-from-options",
      baseUrl: "http://user:pass-word@127.0.0.1/v1?key=AIzaTEST123456789",
    });
    for (
      const secret of ["sk-from-environment", "sk-from-options", "pass-word", "AIzaTEST123456789"]
    ) {
      strictEqual(redactor.redact(`<${secret}>`), "<[redacted]>");
    }
  });
});

Deno.test("what stands for no key is no secret, nor what is too short to be one", () => {
  for (const key of ["ollama", "LM-Studio", "none", "x", " "]) {
    withKey(key, () => {
      strictEqual(commandRedactor().redact(`a word like ${key} stays`), `a word like ${key} stays`);
    });
  }
});

Deno.test("an address that cannot be read is somebody else's business", () => {
  withKey("", () => strictEqual(commandRedactor({ baseUrl: "nonsense" }).redact("text"), "text"));
});
