/** The URLs that scripts and redirects give: which are taken, in what one form, and what they are aimed at. */
import type { JsonValue } from "../../../contracts/json.ts";
import type { CallAim } from "../../../contracts/policy.ts";
import { badRequest } from "./http_failure.ts";
import { classifyHost } from "./network_class.ts";

/** Reads a URL: absolute, http or https, without credentials. The fragment is dropped, and so is a dot at the end of the host. */
export function readUrl(value: JsonValue | undefined): URL {
  const text = typeof value === "string" ? value.trim() : "";
  const url = URL.parse(text);
  if (url === null) {
    throw badRequest(
      `${quoted(value)} is not a URL; give an absolute one, such as "https://host/path"`,
    );
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw badRequest(`${quoted(url.protocol)} URLs are not allowed; use http: or https:`);
  }
  if (url.username !== "" || url.password !== "") {
    throw badRequest("the URL holds a user name; send an Authorization header instead");
  }
  url.hash = "";
  if (/[^.]\.$/.test(url.hostname)) url.hostname = url.hostname.slice(0, -1);
  return url;
}

/** What a request to a URL is aimed at; the network as far as the host alone tells it. */
export function aimOfUrl(url: URL): CallAim & { readonly port: number } {
  const network = classifyHost(url.hostname);
  return {
    target: url.hostname,
    port: portOf(url),
    ...(network === undefined ? {} : { network }),
  };
}

/** The port, also where the URL leaves it to the scheme. */
export function portOf(url: URL): number {
  if (url.port !== "") return Number(url.port);
  return url.protocol === "https:" ? 443 : 80;
}

/** The host as sockets and resolvers take it: an IPv6 address without its brackets. */
export function bareHost(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, "$1");
}

function quoted(value: JsonValue | undefined): string {
  const text = typeof value === "string" ? value : JSON.stringify(value) ?? "nothing";
  return JSON.stringify(text.length <= 200 ? text : `${text.slice(0, 200).toWellFormed()}…`);
}
