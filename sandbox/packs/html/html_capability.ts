/** `htmlToMarkdown` for scripts: the page is converted in a process of its run's own, never on the host's thread. */
import type { JsonValue } from "../../../contracts/json.ts";
import type { BuildContext, Capability, Pack } from "../../../contracts/sandbox.ts";
import { type Converter, type ConverterOptions, createConverter } from "../converter/converter.ts";

const PROMPT = `/** HTML as Markdown, without scripts, styles and hidden text. */
declare function htmlToMarkdown(html: string): string;`;

/**
 * A capability named `htmlToMarkdown` that lets scripts turn HTML into Markdown. Headings, links, images, lists, tables and code are kept, relative links as
 * they are. What a script, a style, a comment, a `hidden` attribute or an inline style keeps from a reader's eyes is left out; style sheets are not read.
 *
 * @throws {TypeError} when there is no such option. @throws {RangeError} when one is out of range.
 */
export function htmlToMarkdownCapability(options: ConverterOptions = {}): Capability {
  return htmlCapabilityOn(createConverter(options));
}

/** The same on a converter that other packs share; it stays the caller's to dispose. */
export function htmlCapabilityOn(converter: Converter): Capability {
  return {
    name: "htmlToMarkdown",
    description: "HTML to Markdown",
    build: (run) => [htmlPack(converter, run)],
  };
}

function htmlPack(converter: Converter, run: BuildContext): Pack {
  return {
    name: "htmlToMarkdown",
    prompt: PROMPT,
    functions: [{
      name: "htmlToMarkdown",
      execute: ([html], { signal }) =>
        converter.forRun(run.signal).convert({
          name: { call: "htmlToMarkdown", input: "the HTML" },
          task: { type: "html" },
          text: checkedHtml(html),
        }, signal),
    }],
  };
}

function checkedHtml(html: JsonValue | undefined): string {
  if (typeof html === "string") return html;
  const given = html === null ? "null" : Array.isArray(html) ? "an array" : typeof html;
  throw new TypeError(
    `htmlToMarkdown(html): html must be a string, not ${given}; of a response pass its text()`,
  );
}
