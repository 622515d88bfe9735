/**
 * A memory beyond sessions: `remember`, `recall` and `forget` for scripts, and the same as tools by name, over any `FactStore`.
 *
 * Facts belong to the user and tenant of the run; nothing of another's is found. Secrets that the run knows are taken out before a fact is kept. To remember and to
 * forget have consequences: the default policy asks about both, and `allowTools: ["remember", "forget"]` lets them pass.
 *
 * @example
 * ```ts
 * import { DefaultPolicy, DefaultSandboxBuilder, MemoryStore } from "@agentloop/core";
 * import { memoryCapability } from "@agentloop/core/ext/memory";
 *
 * const { facts } = new MemoryStore();
 * await using sandboxBuilder = new DefaultSandboxBuilder({ capabilities: [memoryCapability({ facts })] });
 * const policy = new DefaultPolicy({ allowTools: ["remember", "forget"] });
 * console.log(policy.check({ name: "remember", args: ["Ada drinks tea"], sideEffect: true, sessionId: "s" }).decision);
 * ```
 *
 * @module
 */
export { memoryCapability, type MemoryOptions, memoryPack } from "./memory_capability.ts";
export { memoryTools } from "./memory_tools.ts";
export type { Fact, FactOwner, FactStore, NewFact } from "../../contracts/fact.ts";
export type { BuildContext, Capability, HostFunction, Pack } from "../../contracts/sandbox.ts";
export type { Tool } from "../../contracts/tool.ts";
