/**
 * Makes what an engine gave fit for a prompt: plain text of a bounded length, addresses of the web. What strangers wrote stays what it says; nothing of it is hidden from whoever
 * reads along.
 */
import type { SearchResult } from "./search_provider.ts";

/** Characters of a title at most. */
const TITLE_LENGTH = 200;
/** Characters of a snippet at most; engines show some 300. */
const SNIPPET_LENGTH = 600;
/** Characters of an address at most; longer ones hold state, not a place. */
const URL_LENGTH = 2000;
/** Characters of markup that are looked at. */
const MARKUP_LENGTH = 8192;

/** What does not show. Joiners stay: words and emoji are written with them. */
const HIDDEN =
  /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Co}\p{Cn}\u2028\u2029\u{e0100}-\u{e01ef}\u115f\u1160\u3164\uffa0]/gu;

/** The results that can be used, each address once, `limit` at most. */
export async function cleanResults(
  results: readonly SearchResult[],
  limit: number,
): Promise<SearchResult[]> {
  const kept = new Map<string, SearchResult>();
  for (const result of results) {
    if (kept.size === limit) break;
    const url = cleanUrl(result.url);
    if (url === undefined || kept.has(url)) continue;
    const title = await plainText(result.title, TITLE_LENGTH);
    const snippet = await plainText(result.snippet, SNIPPET_LENGTH);
    kept.set(url, { title: title === "" ? url : title, url, snippet });
  }
  return [...kept.values()];
}

/** An address of the web in its normal form; `undefined` for any other, and for one with a password in it. */
function cleanUrl(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  if (url.username !== "" || url.password !== "") return undefined;
  return url.href.length > URL_LENGTH ? undefined : url.href;
}

/** The text that a browser would show of markup, on one line. */
async function plainText(markup: string, maxLength: number): Promise<string> {
  const part = markup.slice(0, MARKUP_LENGTH);
  const text = /[<&]/.test(part) ? await textOfMarkup(part) : part;
  const line = text.toWellFormed().replace(/\s+/g, " ").replace(HIDDEN, "").trim();
  const letters = [...line];
  return letters.length <= maxLength ? line : `${letters.slice(0, maxLength - 1).join("")}…`;
}

const UNSEEN = new Set(["script", "style", "template", "noscript", "iframe", "textarea", "title"]);

/** What the parser gives, as far as it is looked at. */
interface MarkupNode {
  readonly nodeName: string;
  readonly value?: string;
  readonly childNodes?: readonly MarkupNode[];
}

async function textOfMarkup(markup: string): Promise<string> {
  const { parseFragment } = await import("npm:parse5@8.1.1");
  const pieces: string[] = [];
  const open: MarkupNode[] = [parseFragment(markup) as MarkupNode];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (UNSEEN.has(node.nodeName)) continue;
    if (node.nodeName === "#text") pieces.push(node.value ?? "");
    if (node.nodeName === "br" || node.nodeName === "p") pieces.push(" ");
    open.push(...[...node.childNodes ?? []].reverse());
  }
  return pieces.join("");
}
