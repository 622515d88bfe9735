/** Lines of a text, whatever ends them. Pure. */

/** Calls back for each line with what ends it: `\n`, `\r\n`, `\r`, or nothing at the end of the text. Takes time linear in the text's length. */
export function eachLine(text: string, take: (line: string, ending: string) => void): void {
  let lineFeed = text.indexOf("\n");
  let carriageReturn = text.indexOf("\r");
  for (let from = 0; from < text.length;) {
    // Looked for again only behind the one that was found: a text without one of them is searched once.
    if (lineFeed >= 0 && lineFeed < from) lineFeed = text.indexOf("\n", from);
    if (carriageReturn >= 0 && carriageReturn < from) carriageReturn = text.indexOf("\r", from);
    const returns = carriageReturn >= 0 && (lineFeed < 0 || carriageReturn < lineFeed);
    const end = returns ? carriageReturn : lineFeed;
    if (end < 0) return take(text.slice(from), "");
    const ending = !returns ? "\n" : lineFeed === end + 1 ? "\r\n" : "\r";
    take(text.slice(from, end), ending);
    from = end + ending.length;
  }
}
