/** What `web_search` does, whichever way it was called: its arguments are checked, the query holds no secret, the results are cleaned. */
import type { CallContext } from "../../contracts/sandbox.ts";
import type { CheckedArguments } from "../../contracts/tool.ts";
import { cleanResults } from "./clean_results.ts";
import type { SearchProvider, SearchResult } from "./search_provider.ts";

/** The name that scripts and models call it by. */
export const SEARCH_NAME = "web_search";
/** Results of one search, unless told otherwise. */
export const DEFAULT_RESULTS = 5;
/** Results of one search at most: as many as engines give at once. */
export const MAX_RESULTS = 20;
/** Characters of a query at most; engines cut longer ones. */
export const MAX_QUERY_LENGTH = 400;
/** Time for a call, in ms; a provider has less for itself. */
export const SEARCH_TIMEOUT_MS = 30_000;

/** What is searched for. */
export interface SearchRequest {
  /** The words. */
  readonly query: string;
  /** Results at most. @default 5 */
  readonly limit?: number;
  /** A tag such as `en` or `pt-BR`. */
  readonly language?: string;
}

/** Checks what a script or a model gave: `ok` with a {@linkcode SearchRequest}, or what is wrong with it. */
export function checkSearch(value: unknown): CheckedArguments {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return { ok: false, issues: ["$: expected object"] };
  }
  const { query, limit, language, ...rest } = value as Record<string, unknown>;
  const issues = [
    ...queryIssues(query),
    ...(limit === undefined || limit === null || isCount(limit)
      ? []
      : [`$.limit: expected a whole number from 1 to ${MAX_RESULTS}`]),
    ...(language === undefined || language === null || isLanguage(language)
      ? []
      : ["$.language: expected a language tag such as en or pt-BR"]),
    ...Object.keys(rest).slice(0, 5)
      .map((name) => `$.${name.slice(0, 40).toWellFormed()}: is no argument of ${SEARCH_NAME}`),
  ];
  if (issues.length > 0) return { ok: false, issues };
  return {
    ok: true,
    value: {
      query: String(query).trim(),
      ...(isCount(limit) ? { limit } : {}),
      ...(isLanguage(language) ? { language } : {}),
    },
  };
}

/**
 * Searches.
 *
 * @throws {Error} when the query holds a secret that the run knows, and what the provider throws.
 */
export async function searchWeb(
  provider: SearchProvider,
  { query, limit = DEFAULT_RESULTS, language }: SearchRequest,
  context: Pick<CallContext, "signal" | "redact">,
): Promise<SearchResult[]> {
  // Engines pass queries on to others, and keep them.
  if (context.redact(query) !== query) {
    throw new Error(`${SEARCH_NAME}: the query holds a secret; search without it`);
  }
  const found = await provider.search(query, {
    limit,
    signal: context.signal,
    ...(language === undefined ? {} : { language }),
  });
  return await cleanResults(found, limit);
}

/**
 * Demands a provider.
 *
 * @throws {TypeError} when there is none.
 */
export function checkedProvider(
  { provider }: { readonly provider: SearchProvider },
  caller: string,
): SearchProvider {
  if (typeof provider?.search === "function" && typeof provider.target === "string") {
    return provider;
  }
  throw new TypeError(`${caller}: provider must have a target and a function search`);
}

function queryIssues(query: unknown): string[] {
  if (query === undefined) return ["$.query: is missing"];
  if (typeof query !== "string") return [`$.query: expected string, got ${typeof query}`];
  if (query.trim() === "") return ["$.query: expected words, got an empty string"];
  return query.length <= MAX_QUERY_LENGTH
    ? []
    : [`$.query: expected at most ${MAX_QUERY_LENGTH} characters, got ${query.length}`];
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_RESULTS;
}

function isLanguage(value: unknown): value is string {
  return typeof value === "string" && /^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,2}$/.test(value);
}
