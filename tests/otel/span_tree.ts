/** Spans as a tree of names, and their attributes, whatever exported them. */

/** What is needed of a span. */
export interface ExportedSpan {
  readonly name: string;
  readonly id: string;
  readonly parentId?: string | undefined;
  readonly traceId: string;
  /** When it began; any unit. */
  readonly startedAt: bigint;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** A name, with the names below it where there are any. */
export type NameTree = string | readonly [string, readonly NameTree[]];

/** The tree below a span, its children in the order in which they began. */
export function nameTree(root: ExportedSpan, spans: readonly ExportedSpan[]): NameTree {
  const children = spans.filter((span) => span.parentId === root.id)
    .sort((a, b) => a.startedAt < b.startedAt ? -1 : a.startedAt > b.startedAt ? 1 : 0);
  if (children.length === 0) return root.name;
  return [root.name, children.map((child) => nameTree(child, spans))];
}

/** The tree of a run of two turns, of which the first makes one host call. */
export const RUN_TREE: NameTree = ["agentloop.run", [
  "agentloop.sandbox_build",
  ["agentloop.turn", [
    "agentloop.llm_call",
    ["agentloop.execute_js", ["agentloop.host_call"]],
  ]],
  ["agentloop.turn", ["agentloop.llm_call", "agentloop.execute_js"]],
]];
