/** Where fenced code begins and ends in Markdown, line by line. A fence may be indented and may stand in a list or a quote. Pure functions. */

/** An open fence: the run of characters that opened it. */
export type Fence = string;

/** What stands before a fence in a list or a quote. */
const LEAD = /^\s*(?:(?:[-*+>]|\d{1,9}[.)])\s+|>)*/;

/** The fence that is open behind a line, given the one that was open before it. */
export function fenceAfter(line: string, open: Fence | undefined): Fence | undefined {
  const rest = line.slice(LEAD.exec(line)?.[0].length);
  const run = /^(?:`{3,}|~{3,})/.exec(rest)?.[0];
  if (run === undefined) return open;
  const behind = rest.slice(run.length);
  if (open === undefined) return run.startsWith("`") && behind.includes("`") ? undefined : run;
  return run[0] === open[0] && run.length >= open.length && behind.trim() === "" ? undefined : open;
}

/** The fence that a text leaves open. */
export function openFenceOf(text: string): Fence | undefined {
  return text.split("\n").reduce<Fence | undefined>(
    (open, line) => fenceAfter(line, open),
    undefined,
  );
}

/** The text of a heading, nothing for another line. */
export function headingOf(line: string): string | undefined {
  if (!/^ {0,3}#{1,6}(?:\s|$)/.test(line)) return undefined;
  return line.trim().replace(/^#+/, "").trim();
}
