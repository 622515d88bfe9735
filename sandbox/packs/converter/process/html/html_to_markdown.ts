/**
 * HTML as Markdown. The page is parsed as a browser would, brought into a tree of what a reader sees, and walked by Turndown with rules of our own.
 * The bare imports name versions of what the packages stand on: the process runs without a lock file and finds only what its parent has fetched.
 */
import "npm:@mixmark-io/domino@2.2.0";
import "npm:entities@9.0.0/decode";
import { defaultTreeAdapter, parse } from "npm:parse5@8.1.1";
import TurndownService from "npm:turndown@7.2.5";
import { buildTree } from "./build_tree.ts";
import { escapeText } from "./escape_text.ts";
import type { MarkupNode } from "./markup_node.ts";
import type { PageNode } from "./page_node.ts";
import { MARKUP_RULES, type MarkupRule } from "./markup_rules.ts";

/** Elements that one page may have. */
const MAX_ELEMENTS = 500_000;

/**
 * Converts a page or a part of one.
 *
 * @throws {RangeError} when it has more elements than a page may have.
 */
export function htmlToMarkdown(html: string): string {
  const root = buildTree(parsePage(html));
  let output = "";
  const service = new TurndownService({}) as unknown as MarkupConverter;
  service.escape = escapeText;
  for (const rule of MARKUP_RULES) service.addRule(rule.name, rule);
  // Taken here, and not from what Turndown returns: it trims the whole with expressions that take too long on some texts.
  service.addRule("whole", {
    name: "whole",
    filter: (node) => node.nodeName === "BODY",
    replacement(content) {
      output = content;
      return "";
    },
  });
  service.turndown(root);
  return output.trim();
}

/** As much of Turndown as is used, on nodes of our own. */
interface MarkupConverter {
  escape: (text: string) => string;
  addRule(name: string, rule: MarkupRule): void;
  turndown(root: MarkupNode): string;
}

function parsePage(html: string): PageNode {
  let elements = 0;
  const { createElement } = defaultTreeAdapter;
  return parse(html, {
    treeAdapter: {
      ...defaultTreeAdapter,
      createElement(...args) {
        if (++elements > MAX_ELEMENTS) {
          throw new RangeError(`it has more than ${MAX_ELEMENTS} elements`);
        }
        return createElement(...args);
      },
    },
  }) as PageNode;
}
