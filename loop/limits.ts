/** The limits by name, and whether something that is about to be spent would pass one. Pure; what was spent is counted in spending.ts. */
import type { Spend, SpendLimits } from "../contracts/limits.ts";

/** A limit's name, as a run that ended on it gives it for its reason. */
export type LimitName =
  | "total_tokens"
  | "cost"
  | "host_calls"
  | "args_bytes"
  | "scope_total_tokens"
  | "scope_cost"
  | "scope_host_calls";

/** Ends a run on one of its limits. No failure: it goes from where the limit was met to the end of the run, and no further. */
export class LimitReached extends Error {
  /** The limit. */
  readonly limit: LimitName;

  /** Says which limit it was, and how it was met. */
  constructor(limit: LimitName, message: string) {
    super(message);
    this.name = "LimitReached";
    this.limit = limit;
  }
}

/** Limits, with what was spent of them. */
export interface Account {
  readonly limits: SpendLimits;
  readonly spent: Spend;
  readonly prefix: "" | "scope_";
}

const KINDS = [
  { field: "totalTokens", of: "tokens", limit: "total_tokens", unit: "tokens" },
  { field: "cost", of: "cost", limit: "cost", unit: "of cost" },
  { field: "hostCalls", of: "hostCalls", limit: "host_calls", unit: "host calls" },
] as const;

/** The limit that spending so much more would pass, if there is one. */
export function passedLimit(accounts: readonly Account[], spend: Spend): LimitReached | undefined {
  return firstOf(accounts, ({ kind, most, spent }) => {
    const more = spend[kind.of];
    if (more === 0 || spent + more <= most) return undefined;
    const wanted = kind.of === "hostCalls"
      ? more === 1 ? "one more was wanted" : `${figure(more)} more were wanted`
      : `the next call would take about ${figure(more)}`;
    return `${figure(spent)} are spent, and ${wanted}`;
  });
}

/** The limit of tokens or cost of which nothing is left. What a function will spend of them is not known before it is called. */
export function usedUpLimit(accounts: readonly Account[]): LimitReached | undefined {
  return firstOf(accounts, ({ kind, most, spent }) => {
    if (kind.of === "hostCalls" || spent === 0 || spent < most) return undefined;
    return `${figure(spent)} are spent`;
  });
}

interface Held {
  readonly kind: typeof KINDS[number];
  readonly most: number;
  readonly spent: number;
}

function firstOf(
  accounts: readonly Account[],
  fault: (held: Held) => string | undefined,
): LimitReached | undefined {
  for (const { limits, spent, prefix } of accounts) {
    for (const kind of KINDS) {
      const most = limits[kind.field];
      const why = most === undefined ? undefined : fault({ kind, most, spent: spent[kind.of] });
      if (most === undefined || why === undefined) continue;
      const whose = prefix === "" ? "run" : "scope";
      return new LimitReached(
        `${prefix}${kind.limit}`,
        `The ${whose} may spend ${figure(most)} ${kind.unit} (${kind.field}): ${why}.`,
      );
    }
  }
  return undefined;
}

function figure(value: number): string {
  return Number.isInteger(value) ? `${value}` : `${Number(value.toPrecision(4))}`;
}
