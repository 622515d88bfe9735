/**
 * Files for scripts: a capability that reads, lists, searches and changes what lies in one folder, and nothing outside of it.
 *
 * @example
 * ```ts
 * import { DefaultSandboxBuilder } from "@agentloop/core";
 * import { workspaceCapability } from "@agentloop/core/ext/workspace";
 *
 * await using sandboxBuilder = new DefaultSandboxBuilder({
 *   capabilities: [workspaceCapability({ root: "./project" })],
 * });
 * ```
 *
 * @module
 */
export { workspaceCapability, type WorkspaceOptions } from "./workspace_capability.ts";
