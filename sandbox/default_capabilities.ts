/** What most agents want to call: HTTP, HTML to Markdown, Markdown as data, and a model. */
import type { Client } from "../contracts/model.ts";
import type { Capability } from "../contracts/sandbox.ts";
import { aiCapability } from "./packs/ai/ai_pack.ts";
import { createConverter } from "./packs/converter/converter.ts";
import { fetchCapability, httpCapability } from "./packs/http/capability.ts";
import { htmlCapabilityOn } from "./packs/html/html_capability.ts";
import { markdownCapabilityOn } from "./packs/markdown/markdown_capability.ts";

/**
 * The general bundle: `fetch` and `require("http")`, `htmlToMarkdown`, `require("markdown")`, and with a client `ai` and `aiJSON`. `require`, `help`,
 * `skillList` and `skillGet` come with them. Which hosts may be asked is the policy's business.
 *
 * Needs `--allow-net` for the hosts, and `--allow-run` for the runtime's own path, as every script does.
 *
 * @param client what `ai` asks; without one scripts have no `ai`
 * @param model the model of each sub-call; left out for the client's own
 */
export function defaultCapabilities(client?: Client, model?: string): Capability[] {
  // One process converts for both packs.
  const converter = createConverter();
  return [
    fetchCapability(),
    httpCapability(),
    htmlCapabilityOn(converter),
    markdownCapabilityOn(converter),
    aiCapability(client, model),
  ];
}
