/**
 * Takes the header off a `SKILL.md` and reads its YAML. Nothing of it is dropped: what is not understood in full is a problem of the file, with
 * its line. Which keys there must be is for `read_skill.ts` to say.
 */
import type { JsonValue } from "../../contracts/json.ts";

/** Bytes of a header: ten times the longest that was seen, and little enough that no YAML takes long. */
const MAX_HEADER_BYTES = 16_384;

/** How deep values may lie in each other. */
const MAX_DEPTH = 8;

/** Something to say about a line. */
export interface LineNote {
  /** The line in the file, from 1. */
  readonly line?: number;
  /** What there is to say. */
  readonly message: string;
}

/** A file, taken apart. */
export interface FrontMatter {
  /** Keys and values; every scalar is text as written. */
  readonly header: { readonly [key: string]: JsonValue };
  /** The line of each key. */
  readonly lines: ReadonlyMap<string, number>;
  /** The text below. */
  readonly body: string;
  /** What was set right. */
  readonly notes: readonly LineNote[];
}

/** A header and a text, apart. */
export interface SplitText {
  /** The lines between the dashes. */
  readonly yaml: string;
  /** The text below, without blank lines around it. */
  readonly body: string;
}

/** A file whose header cannot be read, or that has none. */
export class FrontMatterProblem extends Error {
  /** The line in the file, from 1. */
  readonly line?: number;

  /** Creates one with what is wrong. */
  constructor(message: string, line?: number) {
    super(message);
    this.name = "FrontMatterProblem";
    if (line !== undefined) this.line = line;
  }
}

/** Parts header and text: lines of three dashes, the first at the very beginning. Nothing when there are no such two lines. */
export function splitFrontMatter(text: string): SplitText | undefined {
  const lines = text.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n");
  const opening = /^---[ \t]*\n/.exec(lines);
  if (opening === null) return undefined;
  const closing = /^---[ \t]*$/gm;
  closing.lastIndex = opening[0].length;
  const end = closing.exec(lines);
  if (end === null) return undefined;
  return {
    yaml: lines.slice(opening[0].length, end.index),
    body: lines.slice(closing.lastIndex).replace(/^(?:[ \t]*\n)+/, "").trimEnd(),
  };
}

/**
 * Reads header and text.
 *
 * @throws {FrontMatterProblem} when there is no header, or it is not plain YAML with keys: duplicate keys, tags, anchors, several documents.
 */
export async function readFrontMatter(text: string): Promise<FrontMatter> {
  const split = splitFrontMatter(text);
  if (split === undefined || !hasKeys(split.yaml)) {
    throw new FrontMatterProblem(
      "there is no front matter: name and description between two lines of ---",
      1,
    );
  }
  if (new TextEncoder().encode(split.yaml).length > MAX_HEADER_BYTES) {
    throw new FrontMatterProblem(`the front matter is larger than ${MAX_HEADER_BYTES} bytes`, 1);
  }
  // What follows the end of a document would be left out without a word.
  const ended = split.yaml.split("\n").findIndex((line) => /^\.\.\.(?:\s|$)/.test(line));
  if (ended >= 0) throw new FrontMatterProblem("the front matter ends before its end", ended + 2);
  try {
    return { ...await readYaml(split.yaml), body: split.body, notes: [] };
  } catch (error) {
    const repaired = error instanceof FrontMatterProblem ? quoteDescription(split.yaml) : undefined;
    if (repaired === undefined) throw error;
    const read = await readYaml(repaired.yaml).catch(() => Promise.reject(error));
    const message = "the description has a colon and should stand in quotes; it was read as if";
    return { ...read, body: split.body, notes: [{ line: repaired.line, message }] };
  }
}

/** Whether the lines may be keys: two rules with prose between them are no header. */
function hasKeys(yaml: string): boolean {
  return /^[ \t]*(?:["']?[\w.-]+["']?[ \t]*:|[{?])/m.test(yaml);
}

/** A description of one line that holds a colon is the commonest mistake. In quotes it can be read, and then all else must be without fault. */
function quoteDescription(
  yaml: string,
): { readonly yaml: string; readonly line: number } | undefined {
  const lines = yaml.split("\n");
  const at = lines.findIndex((line) =>
    /^description[ \t]*:[ \t]+[^\s"'[{|>&*!#%@`].*:(?:\s|$)/.test(line)
  );
  const line = lines[at];
  if (line === undefined) return undefined;
  const value = line.slice(line.indexOf(":") + 1).trim();
  const quoted = lines.with(at, `description: ${JSON.stringify(value)}`);
  return { yaml: quoted.join("\n"), line: at + 2 };
}

async function readYaml(yaml: string): Promise<Pick<FrontMatter, "header" | "lines">> {
  const [{ isMap, isScalar, isSeq, LineCounter, parseDocument }, { default: process }] =
    await Promise.all([import("npm:yaml@2.9.1"), import("node:process")]);
  const lineCounter = new LineCounter();
  const options = {
    schema: "failsafe",
    stringKeys: true,
    logLevel: "silent",
    lineCounter,
  } as const;
  let document: ReturnType<typeof parseDocument>;
  // The package asks the environment whether to log, and asking takes a permission. Nothing else runs until it is done.
  const { env } = process;
  process.env = {};
  try {
    document = parseDocument(yaml, options);
  } catch (error) {
    // The parser calls itself for each level, and says only of some that there are too many.
    if (error instanceof RangeError) {
      throw new FrontMatterProblem("the front matter lies too deep", 1);
    }
    throw error;
  } finally {
    process.env = env;
  }
  const fault = document.errors[0] ?? document.warnings[0];
  if (fault !== undefined) {
    const [said = ""] = fault.message.split(/ at line \d+|\n/);
    throw new FrontMatterProblem(
      `the front matter is no plain YAML: ${said}`,
      lineAt(fault.pos[0]),
    );
  }

  function lineAt(offset: number | undefined): number {
    return offset === undefined ? 1 : lineCounter.linePos(offset).line + 1;
  }

  function plain(node: unknown, depth: number): JsonValue {
    if (node === null) return "";
    const line = lineAt((node as { readonly range?: readonly number[] | null }).range?.[0]);
    if (depth > MAX_DEPTH) throw new FrontMatterProblem("the front matter lies too deep", line);
    if ((isMap(node) || isSeq(node) || isScalar(node)) && !node.anchor && !node.tag) {
      if (isScalar(node)) return String(node.value ?? "");
      if (isSeq(node)) return node.items.map((item) => plain(item, depth + 1));
      return Object.fromEntries(
        node.items.map(({ key, value }) => [String(plain(key, depth)), plain(value, depth + 1)]),
      );
    }
    throw new FrontMatterProblem("tags, anchors and aliases have no place in front matter", line);
  }

  const { contents } = document;
  if (!isMap(contents)) {
    throw new FrontMatterProblem("the front matter must be keys with values", 2);
  }
  const lines = contents.items.map(({ key }) =>
    [String(plain(key, 0)), lineAt(isScalar(key) ? key.range?.[0] : undefined)] as const
  );
  return { header: plain(contents, 0) as FrontMatter["header"], lines: new Map(lines) };
}
