/**
 * A SearXNG instance, or whatever else answers `GET /search?q=…&format=json` as it does. Its answers are read within bounds of time and size, and nothing but its own
 * address is asked: a redirect is a failure.
 */
import { refuseUnknown } from "../../contracts/known_names.ts";
import type { SearchOptions, SearchProvider, SearchResult } from "./search_provider.ts";
import { readBounded } from "./read_bounded.ts";

/** Options of {@linkcode searxngProvider}. */
export interface SearxngOptions {
  /** The instance, `http://127.0.0.1:8888` or `https://example.org/searxng`; `/search` is added. Parameters of its own, such as `engines=…`, are kept. */
  readonly url: string;
  /** Makes the requests. @default fetch */
  readonly fetch?: typeof fetch;
  /** Time for one search, in ms. @default 15_000 */
  readonly timeoutMs?: number;
  /** Bytes of an answer at most, unpacked. @default 2_097_152 (2 MiB): some 2,000 results */
  readonly maxBytes?: number;
}

const OPTIONS: Readonly<Record<keyof SearxngOptions, true>> = {
  url: true,
  fetch: true,
  timeoutMs: true,
  maxBytes: true,
};

/**
 * Makes the provider.
 *
 * @throws {TypeError} when `url` is no http address, or holds a user's name or a password.
 * @throws {RangeError} for a bound that is no whole number above zero.
 */
export function searxngProvider(options: SearxngOptions): SearchProvider {
  refuseUnknown("searxngProvider", options, OPTIONS);
  const { fetch = globalThis.fetch, timeoutMs = 15_000, maxBytes = 2 * 1024 * 1024 } = options;
  const endpoint = endpointOf(options.url);
  for (const [name, value] of Object.entries({ timeoutMs, maxBytes })) {
    if (Number.isInteger(value) && value > 0) continue;
    throw new RangeError(`searxngProvider: ${name} must be a whole number above 0, not ${value}`);
  }
  const { host } = endpoint;

  async function ask(url: URL, signal: AbortSignal): Promise<string> {
    const response = await fetch(url, {
      headers: { accept: "application/json" },
      redirect: "manual",
      signal,
    });
    const problem = problemOf(response);
    if (problem !== undefined) {
      await response.body?.cancel().catch(() => {});
      throw new SearchFailure(`The search engine at ${host} ${problem}`);
    }
    const text = await readBounded(response.body, maxBytes);
    if (text === undefined) {
      throw new SearchFailure(
        `The search engine at ${host} answered with more than ${maxBytes} bytes; ask for something narrower.`,
      );
    }
    return text;
  }

  return {
    target: host,
    async search(query, { limit, signal, language }: SearchOptions) {
      const url = new URL(endpoint);
      url.searchParams.set("q", query);
      url.searchParams.set("format", "json");
      if (language !== undefined) url.searchParams.set("language", language);
      const timer = new AbortController();
      const timeout = setTimeout(() => timer.abort(), timeoutMs);
      try {
        const text = await ask(url, AbortSignal.any([signal, timer.signal]));
        return resultsIn(text, { host, limit });
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof SearchFailure) throw error;
        throw new SearchFailure(
          timer.signal.aborted
            ? `The search engine at ${host} did not answer within ${
              timeoutMs / 1000
            } s; try once more, or go on without it.`
            : `The search engine at ${host} cannot be reached or broke off; searching again at once will not help.`,
          { cause: error },
        );
      } finally {
        clearTimeout(timeout);
      }
    },
  };
}

/** A search that failed, in words for a model. */
class SearchFailure extends Error {
  override readonly name = "SearchFailure";
}

function endpointOf(text: string): URL {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new TypeError(
      "searxngProvider: url must be the address of a search engine, such as http://127.0.0.1:8888",
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw new TypeError("searxngProvider: url must hold no user name and no password");
  }
  url.hash = "";
  if (!/\/search\/?$/.test(url.pathname)) url.pathname = url.pathname.replace(/\/*$/, "/search");
  return url;
}

/** What keeps an answer from being read, `undefined` when nothing does. */
function problemOf({ status, headers }: Response): string | undefined {
  if (status >= 300 && status < 400) {
    return `sends its clients elsewhere (status ${status}); whoever runs this has to name that address.`;
  }
  if (status === 403) {
    return "refuses to answer in JSON (status 403); whoever runs it has to add json to search.formats in its settings.yml.";
  }
  if (status === 429) {
    return "takes no more queries for now (status 429); wait, or go on without it.";
  }
  if (status !== 200) return `failed with status ${status}; try once more, or go on without it.`;
  const type = headers.get("content-type") ?? "";
  if (!/^application\/(?:[\w.-]+\+)?json\b/i.test(type)) {
    return "answers, but not in JSON; it may be no search engine, or have JSON switched off.";
  }
  return undefined;
}

function resultsIn(
  text: string,
  { host, limit }: { readonly host: string; readonly limit: number },
): readonly SearchResult[] {
  const answer = parse(text);
  if (!isRecord(answer) || !Array.isArray(answer.results)) {
    throw new SearchFailure(
      `The search engine at ${host} answers in another form than SearXNG's; whoever runs this has to name another.`,
    );
  }
  const results = answer.results.flatMap((entry: unknown) => {
    if (!isRecord(entry) || typeof entry.url !== "string") return [];
    const { url, title, content } = entry;
    return [{ url, title: textOf(title), snippet: textOf(content) }];
  });
  if (results.length === 0) {
    const silent = silentEngines(answer.unresponsive_engines);
    if (silent.length > 0) {
      throw new SearchFailure(
        `Nothing was found, since engines behind ${host} did not answer: ${
          silent.join(", ")
        }. Try once more later, or go on without it.`,
      );
    }
  }
  // More than are asked for: some are dropped where they are cleaned.
  return results.slice(0, limit * 4);
}

/** The engines that gave nothing, with the reason, `[["google", "timeout"]]` in the answer. */
function silentEngines(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, 5).map((entry: unknown) => {
    const [name, reason] = Array.isArray(entry) ? entry : [entry];
    const words = (part: unknown) => textOf(part).replace(/[^\p{L}\p{N} ._-]/gu, "").slice(0, 40);
    return words(reason) === "" ? words(name) : `${words(name)} (${words(reason)})`;
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
