/** From the parser's tokens of one paragraph to spans of text. Pure; whatever it gives is fit to be shown. */
import type { MarkdownToken } from "../../sandbox/packs/converter/process/markdown/markdown_token.ts";
import { escapeControls } from "../terminal_text.ts";
import type { Span } from "../wrap_text.ts";

/** How what is emphasized is shown. */
export interface Look {
  /** By styles of the terminal; else by the marks of Markdown. */
  readonly color: boolean;
}

/** Kinds of emphasis, by the beginning of their tokens' names: the style, and the mark where there are no styles. */
const EMPHASIS: Readonly<Record<string, { readonly style: string; readonly mark: string }>> = {
  strong: { style: "1", mark: "**" },
  em: { style: "3", mark: "*" },
  s: { style: "9", mark: "~~" },
};
const CODE_STYLE = "36";
const LINK_STYLE = "4";
const ADDRESS_STYLE = "2";

/** Turns the tokens of a paragraph into spans; `base` is the style of all of it. */
export function inlineSpans(
  tokens: readonly MarkdownToken[],
  { color }: Look,
  base: string = "",
): readonly Span[] {
  const spans: Span[] = [];
  /** How many of each style are open; text may be emphasized a thousand times over. */
  const open = new Map<string, number>();
  let link: { readonly address: string; readonly from: number } | undefined;

  function add(text: string, style: string = ""): void {
    if (text === "") return;
    const styles = color ? [base, ...open.keys(), style].filter((one) => one !== "") : [];
    spans.push({ text, style: [...new Set(styles)].join(";") });
  }

  function turn(style: string, isOn: boolean): void {
    const count = (open.get(style) ?? 0) + (isOn ? 1 : -1);
    if (count > 0) open.set(style, count);
    else open.delete(style);
  }

  function emphasize(name: string, isOpening: boolean): void {
    const { style, mark } = EMPHASIS[name] ?? { style: "", mark: "" };
    if (color) turn(style, isOpening);
    else add(mark);
  }

  function closeLink(): void {
    if (color) turn(LINK_STYLE, false);
    if (link === undefined) return;
    const { address, from } = link;
    link = undefined;
    const text = spans.slice(from).map((span) => span.text).join("").trim();
    if (text === address || `mailto:${text}` === address || address === "") return;
    // Written out, never as a link of the terminal's own: that would hide where it leads.
    add(text === "" ? address : ` (${address})`, ADDRESS_STYLE);
  }

  for (const token of tokens) {
    const [, name = "", way] = /^(.+)_(open|close)$/.exec(token.type) ?? [];
    switch (token.type) {
      case "softbreak":
        add(" ");
        break;
      case "hardbreak":
        add("\n");
        break;
      case "code_inline":
        add(color ? shown(token.content) : `\`${shown(token.content)}\``, CODE_STYLE);
        break;
      case "link_open":
        link = { address: shown(token.attrGet("href") ?? ""), from: spans.length };
        if (color) turn(LINK_STYLE, true);
        break;
      case "link_close":
        closeLink();
        break;
      case "image": {
        const text = shown(plainText(token.children ?? []));
        add(`[image${text === "" ? "" : `: ${text}`}]`);
        add(` (${shown(token.attrGet("src") ?? "")})`, ADDRESS_STYLE);
        break;
      }
      case "html_inline":
        add(/^<br\s*\/?>$/i.test(token.content) ? "\n" : shown(token.content));
        break;
      default:
        if (way !== undefined) emphasize(name, way === "open");
        else add(shown(token.content));
    }
  }
  return spans;
}

/** Text of the model on one line: control characters are escaped here, where entities have been decoded. */
export function shown(text: string): string {
  return escapeControls(text).replace(/[\n\t]+/g, " ");
}

function plainText(tokens: readonly MarkdownToken[]): string {
  return tokens.map(({ type, content }) => /break$/.test(type) ? " " : content).join("");
}
