/** What is kept of a call of a script that may have to wait. Pure: from an entry to JSON text and back. */
import type { HostReply } from "../contracts/sandbox.ts";
import type { JournalCall } from "../contracts/script_journal.ts";

/** A call as it is known. */
export interface CallEntry {
  /** Position among the calls of its script. */
  readonly position: number;
  readonly name: string;
  /** Its arguments as they left the realm. */
  readonly argsJson: string;
  /** It was decided on, and may have had consequences. */
  begun?: boolean;
  /** How it ended. */
  end?: CallEntryEnd;
}

/** The end of a call. */
export interface CallEntryEnd {
  /** How many calls of its script ended before it. */
  readonly order: number;
  /** The clock that the script was given with the reply. */
  readonly clockMs: number;
  readonly reply: HostReply;
  /** What the model is to be told of it. */
  readonly notes: readonly string[];
}

/** About what an ended call takes. Texts are counted in UTF-16 units, as they lie in memory; in the store most take as many bytes. */
export function sizeOfEntry({ argsJson, end }: CallEntry): number {
  if (end === undefined) return argsJson.length;
  const { reply } = end;
  const result = reply.ok
    ? (reply.json?.length ?? 0) + (reply.text?.value.length ?? 0)
    : reply.message.length;
  return argsJson.length + result;
}

/** A call as a journal keeps it. */
export function keptCall({ position, name, argsJson, begun, end }: CallEntry): JournalCall {
  const json = JSON.stringify({
    name,
    args: argsJson,
    ...(begun === true ? { begun } : {}),
    ...(end === undefined ? {} : {
      end: { order: end.order, clock_ms: end.clockMs, reply: end.reply, notes: end.notes },
    }),
  });
  return { position, json };
}

/** Reads kept calls, in the order in which they were made. Their ends are numbered from 0 without a gap. */
export function readCalls(calls: readonly JournalCall[]): CallEntry[] {
  const entries = calls.map(({ position, json }): CallEntry => {
    const { name, args, begun, end } = JSON.parse(json);
    return {
      position,
      name,
      argsJson: args,
      ...(begun === true ? { begun } : {}),
      ...(end === undefined ? {} : {
        end: { order: end.order, clockMs: end.clock_ms, reply: end.reply, notes: end.notes },
      }),
    };
  });
  const ended = entries.filter(({ end }) => end !== undefined);
  ended.sort((a, b) => a.end!.order - b.end!.order);
  ended.forEach((entry, order) => entry.end = { ...entry.end!, order });
  return entries;
}

/** Calls that a process began and whose end nobody saw. */
export function unknownCalls(entries: readonly CallEntry[]): CallEntry[] {
  return entries.filter(({ begun, end }) => begun === true && end === undefined);
}

/** Names for a model, each with how often: `look (3 times), send`. */
export function namesOf(entries: readonly CallEntry[]): string {
  const counts = Map.groupBy(entries, ({ name }) => name);
  const names = [...counts].slice(0, MAX_NAMES)
    .map(([name, { length }]) => length === 1 ? name : `${name} (${length} times)`);
  return [...names, ...(counts.size > MAX_NAMES ? ["…"] : [])].join(", ");
}

/** So many names are told. */
const MAX_NAMES = 20;
