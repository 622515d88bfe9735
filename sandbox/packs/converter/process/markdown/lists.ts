/** Lists with their items, the lists within those, and whether a task is done. */
import { inlineText, type MarkdownToken } from "./markdown_token.ts";

/** A list. */
export interface List {
  readonly ordered: boolean;
  readonly items: ListItem[];
}

/** An item of a list. */
export interface ListItem {
  /** All that stands in the item but for the lists in it. */
  readonly text: string;
  /** Whether the task is done; absent where the item is no task. */
  readonly checked?: boolean;
  /** The items of the lists in it. */
  readonly items?: ListItem[];
}

interface OpenItem {
  readonly texts: string[];
  checked?: boolean;
  readonly items: ListItem[];
}

/** Reads the lists, wherever they stand. A list in an item is told with the item. */
export function readLists(tokens: readonly MarkdownToken[]): List[] {
  const lists: List[] = [];
  const open: { readonly list: List; readonly items: OpenItem[] }[] = [];
  for (const token of tokens) {
    const item = open.at(-1)?.items.at(-1);
    switch (token.type) {
      case "bullet_list_open":
      case "ordered_list_open":
        open.push({
          list: { ordered: token.type === "ordered_list_open", items: [] },
          items: [],
        });
        break;
      case "list_item_open":
        open.at(-1)!.items.push({ texts: [], items: [] });
        break;
      case "list_item_close":
        closeItem(open.at(-1)!);
        break;
      case "bullet_list_close":
      case "ordered_list_close": {
        const { list } = open.pop()!;
        const outer = open.at(-1)?.items.at(-1);
        if (outer === undefined) lists.push(list);
        else outer.items.push(...list.items);
        break;
      }
      case "inline":
        if (item !== undefined) addText(item, token);
        break;
      case "code_block":
      case "fence":
      case "html_block":
        item?.texts.push(token.content.replace(/\n$/, ""));
    }
  }
  return lists;
}

function addText(item: OpenItem, token: MarkdownToken): void {
  const text = inlineText(token.children);
  const task = item.texts.length === 0 ? /^\[([ xX])\](?:\s|$)/.exec(token.content) : null;
  if (task === null) return void item.texts.push(text);
  item.checked = task[1] !== " ";
  item.texts.push(text.slice(task[0].length).trim());
}

function closeItem(open: { readonly list: List; readonly items: OpenItem[] }): void {
  const { texts, checked, items } = open.items.pop()!;
  open.list.items.push({
    text: texts.filter((text) => text !== "").join("\n"),
    ...(checked !== undefined && { checked }),
    ...(items.length > 0 && { items }),
  });
}
