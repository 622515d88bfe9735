/** How requests of the wire get to an endpoint: its address, and what stands at the head of each. */
import { jsonOf } from "./kept_json.ts";
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

/** The JSON of a body, much of which is mostly what was sent before. */
function bodyJson(body: object): string {
  const fields: string[] = [];
  for (const [name, value] of Object.entries(body)) {
    const json = jsonOf(value);
    if (json !== undefined) fields.push(`${JSON.stringify(name)}:${json}`);
  }
  return `{${fields.join(",")}}`;
}

function splitQuery(url: string): [base: string, query: string] {
  const at = url.indexOf("?");
  return at < 0 ? [url, ""] : [url.slice(0, at), url.slice(at)];
}
