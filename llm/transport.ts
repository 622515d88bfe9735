/** How requests of the wire get to an endpoint: its address, and what stands at the head of each. */
import { bodyJson } from "./kept_json.ts";
import type { ResolvedConfig } from "./openai_config.ts";
import type { ResourceTransport } from "./openai_package.d.ts";

/** Sends what the package's resources ask for, through the caller's `fetch`. It resolves with any status, and rejects as `fetch` does. */
export function transportTo(
  { endpoint, apiKey, headers: own, fetch }: ResolvedConfig,
): ResourceTransport {
  const headers = [
    ...new Headers({
      accept: "application/json",
      "user-agent": "agentloop",
      ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      ...own,
    }),
  ];
  const jsonHeaders = "content-type" in own
    ? headers
    : [...headers, ["content-type", "application/json"] as [string, string]];
  const [base, query] = splitQuery(endpoint.baseUrl);
  return {
    post: (path, { body, signal }) =>
      fetch(`${base}${path}${query}`, {
        method: "POST",
        headers: jsonHeaders,
        body: bodyJson(body),
        signal,
      }),
    getAPIList: (path, _page, { signal }) =>
      fetch(`${base}${path}${query}`, { method: "GET", headers, signal }),
  };
}

function splitQuery(url: string): [base: string, query: string] {
  const at = url.indexOf("?");
  return at < 0 ? [url, ""] : [url.slice(0, at), url.slice(at)];
}
