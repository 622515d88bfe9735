/** Reads a body up to a bound. What the transport unpacks counts as unpacked: a small answer that unpacks into a large one is stopped where the bound is. */

/**
 * The text of a body, `undefined` when it is longer than the bound; the rest is then never read.
 *
 * @throws what the body's stream throws.
 */
export async function readBounded(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
): Promise<string | undefined> {
  if (body === null) return "";
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.length;
    if (bytes > maxBytes) {
      await reader.cancel().catch(() => {});
      return undefined;
    }
    text += decoder.decode(value, { stream: true });
  }
}
