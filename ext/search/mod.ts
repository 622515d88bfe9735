/**
 * A web search for scripts and as a tool by name, `web_search`, over any `SearchProvider`. The one that comes with it asks a SearXNG instance, or whatever answers
 * `/search?q=…&format=json` as that does.
 *
 * A program needs `--allow-net` for the engine's host. Queries go to the engine and to those that it asks; one that holds a secret which the run knows is refused. Results are
 * bounded and are plain text, and their addresses are of the web.
 *
 * @example
 * ```ts
 * import { DefaultSandboxBuilder } from "@agentloop/core";
 * import { searchCapability, searxngProvider } from "@agentloop/core/ext/search";
 *
 * const provider = searxngProvider({ url: "http://127.0.0.1:8888" });
 * await using sandboxBuilder = new DefaultSandboxBuilder({ capabilities: [searchCapability({ provider })] });
 * console.log(provider.target);
 * ```
 *
 * @module
 */
export { searchCapability, searchPack, type SearchToolOptions } from "./search_capability.ts";
export type { SearchOptions, SearchProvider, SearchResult } from "./search_provider.ts";
export { searchTools } from "./search_tools.ts";
export { type SearxngOptions, searxngProvider } from "./searxng_provider.ts";
export type { BuildContext, Capability, HostFunction, Pack } from "../../contracts/sandbox.ts";
export type { Tool } from "../../contracts/tool.ts";
