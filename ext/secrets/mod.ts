/**
 * Secrets for scripts: `secret("NAME")` gives a script the value, and `{{secret:NAME}}` in what it hands to `fetch` or `exec` stands for a value
 * that it never sees.
 *
 * Where the values come from is a callback; no permission is needed here. What a run was given is taken out of all that is observed of it: events, stored
 * steps, audit rows, answers. What a script returns is kept as it is: prefer the placeholder, and bind a secret to its `hosts`.
 *
 * @example
 * ```ts
 * import { defaultCapabilities, DefaultPolicy, DefaultSandboxBuilder } from "@agentloop/core";
 * import { secretCapability } from "@agentloop/core/ext/secrets";
 *
 * const secrets = secretCapability({
 *   names: ["GITHUB_TOKEN"],
 *   get: (name) =>
 *     name === "GITHUB_TOKEN" ? { value: "ghp_0123456789", hosts: ["api.github.com"] } : undefined,
 * });
 * await using sandboxBuilder = new DefaultSandboxBuilder({
 *   capabilities: [...defaultCapabilities(), secrets],
 * });
 * const policy = new DefaultPolicy({ allowDomains: ["api.github.com"], allowTools: ["secret"] });
 * console.log(policy.check({ name: "secret", args: ["GITHUB_TOKEN"], sideEffect: true, sessionId: "s" }).decision);
 * ```
 *
 * @module
 */
export { secretCapability, secretPack } from "./secret_capability.ts";
export type { SecretOptions } from "./secret_capability.ts";
export type { Secret, SecretRequest, SecretSource, SecretUse } from "../../contracts/secret.ts";
export type { BuildContext, Capability, HostFunction, Pack } from "../../contracts/sandbox.ts";
