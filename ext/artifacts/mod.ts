/**
 * Artifacts: texts that runs make for people to open, such as pages and reports. `artifact_save`, `artifact_list` and `artifact_read` for scripts, the same as tools by name,
 * and the handler that serves what was saved, over any `ArtifactStore`.
 *
 * Artifacts belong to the user and tenant of the run; nothing of another's is found. Secrets that the run knows are taken out before anything is kept. To save is asked about by
 * the default policy: it reaches nothing but the store, but what is saved stays, and people open it. `allowTools: ["artifact_save"]` lets it pass.
 *
 * @example
 * ```ts
 * import { DefaultPolicy, DefaultSandboxBuilder, MemoryStore } from "@agentloop/core";
 * import { artifactCapability } from "@agentloop/core/ext/artifacts";
 *
 * const { artifacts } = new MemoryStore();
 * await using sandboxBuilder = new DefaultSandboxBuilder({ capabilities: [artifactCapability({ artifacts })] });
 * const policy = new DefaultPolicy({ allowTools: ["artifact_save"] });
 * console.log(policy.check({ name: "artifact_save", args: [], sideEffect: true, sessionId: "s" }).decision);
 * ```
 *
 * @module
 */
export { artifactAddress } from "./artifact_address.ts";
export { artifactCapability, artifactPack } from "./artifact_capability.ts";
export { type ArtifactOptions, artifactTools } from "./artifact_tools.ts";
export { serveArtifact, type ServeArtifactOptions } from "./serve_artifact.ts";
export type {
  Artifact,
  ArtifactAccess,
  ArtifactInfo,
  ArtifactOwner,
  ArtifactStore,
  NewArtifact,
} from "../../contracts/artifact.ts";
export type { BuildContext, Capability, HostFunction, Pack } from "../../contracts/sandbox.ts";
export type { Tool } from "../../contracts/tool.ts";
