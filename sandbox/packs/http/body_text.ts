/** Turns the bytes of a body into text: which encoding they are in is told by a mark at their beginning, the header, or the document itself. */

/** Documents name their encoding within this many bytes (HTML standard). */
const SNIFFED_BYTES = 1024;

/**
 * Decodes a body. Labels that are unknown are passed over; without any the body is UTF-8. Bytes that do not fit become U+FFFD.
 *
 * @param contentType the header's value; undefined where there is none
 */
export function decodeBody(bytes: Uint8Array, contentType: string | undefined): string {
  const decoder = decoderFor(markedEncoding(bytes)) ?? decoderFor(headerCharset(contentType)) ??
    decoderFor(documentEncoding(bytes, contentType)) ?? new TextDecoder();
  return decoder.decode(bytes);
}

function decoderFor(label: string | undefined): TextDecoder | undefined {
  if (label === undefined) return undefined;
  try {
    return new TextDecoder(label);
  } catch {
    return undefined;
  }
}

/** The encoding that a byte order mark tells; it beats the header. */
function markedEncoding([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  return first === 0xff && second === 0xfe ? "utf-16le" : undefined;
}

function headerCharset(contentType: string | undefined): string | undefined {
  const match = /;\s*charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s;]+))/i.exec(contentType ?? "");
  return match?.[1] ?? match?.[2] ?? match?.[3];
}

/** The encoding that a document tells of itself. Only HTML and XML do. */
function documentEncoding(bytes: Uint8Array, contentType: string | undefined): string | undefined {
  if (contentType !== undefined && !/html|xml/i.test(contentType)) return undefined;
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, SNIFFED_BYTES))
    .replace(/<!--[\s\S]*?(?:-->|$)/g, "");
  const label = /^\s*<\?xml\s[^>]*?encoding\s*=\s*["']([^"']+)["']/i.exec(head)?.[1] ??
    metaCharset(head);
  // A document that can be read this far is not in UTF-16, whatever it says (HTML standard).
  return label !== undefined && /^\s*utf-?16/i.test(label) ? "utf-8" : label;
}

function metaCharset(head: string): string | undefined {
  for (const [tag] of head.matchAll(/<meta[\s/][^>]*>/gi)) {
    // A description may speak of charsets; what counts is an attribute of its own, or the stand-in for the header.
    if (/\bcontent\s*=/i.test(tag) && !/http-equiv\s*=\s*["']?content-type/i.test(tag)) continue;
    const match = /charset\s*=\s*["']?\s*([^\s"'/>;]+)/i.exec(tag);
    if (match !== null) return match[1];
  }
  return undefined;
}
