/** A search engine on loopback, and searches as scripts and tools make them. */
import type { CallContext } from "../../../contracts/sandbox.ts";
import { type SearchProvider, searchTools, searxngProvider } from "../../../ext/search/mod.ts";
import { type Site, startSite } from "../../fixtures/http/site.ts";

/** An engine that answers everything alike. */
export function startEngine(
  answer: (url: URL) => Response | Promise<Response>,
): Site & { readonly url: string } {
  const site = startSite((request) => answer(new URL(request.url)));
  return Object.assign(site, { url: `http://127.0.0.1:${site.port}` });
}

/** An answer as the engine writes it. */
export function results(...entries: readonly object[]): Response {
  return Response.json({ query: "q", number_of_results: 0, results: entries });
}

/** A call by name, past the gate: its value, or what it threw. */
export async function search(
  provider: SearchProvider,
  args: object,
  { signal = new AbortController().signal, redact = (text: string) => text }: Partial<
    Pick<CallContext, "signal" | "redact">
  > = {},
  // deno-lint-ignore no-explicit-any -- a test looks into whatever came
): Promise<any> {
  const [tool] = searchTools({ provider });
  const checked = await tool!.check(args);
  if (!checked.ok) throw new TypeError(checked.issues.join("; "));
  return await tool!.execute(checked.value, { signal, redact } as CallContext);
}

/** The message of a search that fails. */
export async function failureOf(url: string, options: object = {}): Promise<string> {
  try {
    await search(searxngProvider({ url, ...options }), { query: "q" });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  throw new Error("the search did not fail");
}
