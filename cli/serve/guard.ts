/**
 * What is demanded of a request before anybody looks at its path: that it names this server, and that no page of another origin sent it. Browsers say both, and only
 * they can be made to send what their user did not mean.
 */
import { isOwnHost, type ListenAddress } from "./address.ts";
import { Refusal } from "./refusal.ts";

/**
 * Checks a request.
 *
 * @throws {Refusal} `wrong_host` or `cross_origin`.
 */
export function checkOrigin(
  { headers }: Pick<Request, "headers">,
  { url, address }: { readonly url: URL; readonly address: ListenAddress },
): void {
  const host = headers.get("host");
  // A target may be a whole URL, which names a host too.
  if (!isOwnHost(host, address) || !isOwnHost(url.host, address)) {
    throw new Refusal("wrong_host", "The request names a host that is not this server.");
  }
  const origin = headers.get("origin");
  if (origin !== null && origin.toLowerCase() !== `http://${host?.toLowerCase()}`) {
    throw new Refusal("cross_origin", "Pages of other origins are not served.");
  }
}

/**
 * Checks a request that is no artifact's: those may be opened by a link that stands anywhere, all else is for programs.
 *
 * @throws {Refusal} `cross_origin`.
 */
export function checkSite({ headers }: Pick<Request, "headers">): void {
  const site = headers.get("sec-fetch-site");
  if (site !== null && site !== "same-origin" && site !== "none") {
    throw new Refusal("cross_origin", "Pages of other sites are not served.");
  }
}
