/**
 * Project instructions: finds the `AGENTS.md` files of a checkout and puts them into a prompt, whole or in part with the rest within reach of scripts.
 *
 * @example
 * ```ts
 * import { loadProject, projectCapability, renderCatalog, renderProject } from "@agentloop/core/ext/project";
 *
 * const { documents, warnings } = await loadProject({ cwd: "." });
 * for (const warning of warnings) console.warn(warning);
 *
 * // Either: everything in the prompt, as `context` of a run.
 * const context = renderProject(documents);
 *
 * // Or: the beginnings in the prompt; scripts read the rest by `projectGet`. Both take the same options.
 * const options = { inlineBytes: 2048 };
 * const catalog = renderCatalog(documents, options);
 * const capability = projectCapability(documents, options);
 * ```
 *
 * @module
 */
export {
  loadProject,
  type LoadProjectOptions,
  type ProjectDocument,
  type ProjectInstructions,
} from "./load_project.ts";
export { renderProject, type RenderProjectOptions } from "./render_project.ts";
export { type CatalogOptions, renderCatalog } from "./render_catalog.ts";
export { projectCapability } from "./project_capability.ts";
