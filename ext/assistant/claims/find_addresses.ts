/** Finds the addresses of artifacts that a text names, in prose, links and code. Time in proportion to the text's length. */

/** What no address holds; a comma separates two. */
const BREAK = /[\s()<>[\]"'`|\\,;{}“”„«»‘’]+/u;
const MARK = "/artifacts/";
/** Signs at the end of an address that belong to the sentence around it. */
const TRAILING = new Set(".:!?*_~…");
const ORIGIN = /^https?:\/\/[^/]+$/i;
/** A host without its scheme: a dot in its name, or a port. */
const HOST = /^(?:[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}|[\w.-]+:\d{1,5}|localhost)$/i;

/**
 * The addresses, each once, as they are written: `/artifacts/…`, with a scheme and a host before it where one stands there. A fragment is left out. Paths of files, such
 * as `dist/artifacts/a.zip`, and patterns, such as `/artifacts/{id}`, are none.
 */
export function findAddresses(text: string): readonly string[] {
  const found = new Set<string>();
  for (const token of text.split(BREAK)) {
    const at = token.toLowerCase().indexOf(MARK);
    if (at < 0) continue;
    const before = token.slice(token.slice(0, at).lastIndexOf("=") + 1, at).replace(/^[*_~]+/, "");
    const isOurs = before === "" || before === "." || before === ".." || ORIGIN.test(before) ||
      HOST.test(before);
    if (!isOurs) continue;
    const rest = withoutTail(token.slice(at + MARK.length).split("#", 1)[0]!);
    if (!/^[a-z0-9]/i.test(rest)) continue;
    found.add((before.startsWith(".") ? "" : before) + MARK + rest);
  }
  return [...found];
}

function withoutTail(text: string): string {
  let end = text.length;
  while (end > 0 && TRAILING.has(text[end - 1]!)) end--;
  return text.slice(0, end);
}
