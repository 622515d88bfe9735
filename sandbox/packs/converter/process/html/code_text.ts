/** What a page marks as code: the text of a block as it stands, its language, and the pieces of a span that holds links. */
import { plainCode, plainText } from "./escape_text.ts";
import { attribute, isUnseen, type PageNode, walkPage } from "./page_node.ts";

/** Elements that a browser puts on lines of their own, found in code whose lines are marked one by one. */
const LINES: ReadonlySet<string> = new Set(["div", "li", "p", "tr"]);

/** The text of a block of code. Line breaks may be characters, `br` elements, or one element a line. */
export function blockText(block: PageNode): string {
  let text = "";
  let line: PageNode | undefined;
  for (const node of walkPage(block, isNoCode)) {
    if (LINES.has(node.nodeName)) {
      if (text !== "" && !text.endsWith("\n")) text += "\n";
      else if (line !== undefined && isEmptyLine(line)) text += "\n";
      line = node;
    } else if (node.nodeName === "br") {
      text += "\n";
    } else if (node.nodeName === "img") {
      text += attribute(node, "alt");
    } else if (node.value !== undefined) {
      if (line !== undefined && !isInside(node, line)) {
        if (!text.endsWith("\n") && !node.value.startsWith("\n")) text += "\n";
        line = undefined;
      }
      text += node.value;
    }
  }
  return plainCode(text).replace(/\n$/, "");
}

/** A page's own buttons in code are there to copy it. */
function isNoCode(node: PageNode): boolean {
  return node.nodeName === "button" || isUnseen(node);
}

function isEmptyLine(line: PageNode): boolean {
  return (line.childNodes ?? []).length === 0;
}

function isInside(node: PageNode, outer: PageNode): boolean {
  for (let at = node.parentNode; at != null; at = at.parentNode) if (at === outer) return true;
  return false;
}

/** How pages name the language of a block in a class. */
const LANGUAGE_CLASS =
  /(?:^|\s)(?:lang(?:uage)?-|highlight-(?:source-|text-)?|brush:\s*)([A-Za-z][\w+#.-]{0,29})(?![^\s;])/i;
/** The same classes, where they say something else. */
const NO_LANGUAGE: ReadonlySet<string> = new Set(["default", "none", "notranslate", "plaintext"]);

/** The language of a block, from the block, the code in it or what is around it; "" when nothing says. */
export function blockLanguage(block: PageNode): string {
  const inner = (block.childNodes ?? []).filter((node) => node.nodeName === "code");
  const outer = block.parentNode;
  for (const node of [...inner, block, outer, outer?.parentNode]) {
    if (node == null) continue;
    const named = attribute(node, "data-lang") || attribute(node, "data-language") ||
      languageOfClass(attribute(node, "class"));
    const language = named.toLowerCase();
    if (/^[a-z][\w+#.-]{0,29}$/.test(language) && !NO_LANGUAGE.has(language)) return language;
  }
  return "";
}

function languageOfClass(names: string): string {
  const language = LANGUAGE_CLASS.exec(names.slice(0, 500))?.[1] ?? "";
  if (language !== "") return language;
  const words = names.slice(0, 500).split(/\s+/);
  if (!words.includes("hljs") && !words.includes("sourceCode")) return "";
  return words.find((word) => word !== "hljs" && word !== "sourceCode") ?? "";
}

/** What a code span cannot hold: pictures and blocks. */
const NO_SPAN: ReadonlySet<string> = new Set(
  "blockquote dd div dl dt h1 h2 h3 h4 h5 h6 hr img input li ol p pre table ul".split(" "),
);

/** Whether what a page marks as a code span can be one. */
export function isPlainSpan(span: PageNode): boolean {
  for (const node of walkPage(span, isUnseen)) if (NO_SPAN.has(node.nodeName)) return false;
  return true;
}

/** A piece of a code span: text, and where it leads. */
export interface CodePiece {
  readonly text: string;
  readonly url?: string;
}

/** The pieces of a code span, in order; more than one when parts of it are links. */
export function spanPieces(span: PageNode): CodePiece[] {
  const pieces: { text: string; url?: string; link?: PageNode }[] = [];
  for (const node of walkPage(span, isUnseen)) {
    const text = node.nodeName === "br" ? " " : node.value;
    if (text === undefined) continue;
    const link = linkAround(node, span);
    const last = pieces.at(-1);
    if (last !== undefined && last.link === link) last.text += text;
    else pieces.push({ text, ...(link && { link, url: attribute(link, "href") }) });
  }
  return pieces.map(({ text, url }) => ({
    text: plainText(text),
    ...(url !== undefined && { url }),
  }));
}

function linkAround(node: PageNode, span: PageNode): PageNode | undefined {
  for (let at = node.parentNode; at != null && at !== span; at = at.parentNode) {
    if (at.nodeName === "a" && attribute(at, "href") !== "") return at;
  }
  return undefined;
}
