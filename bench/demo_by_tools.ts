/**
 * The demo's data job for a model that calls tools by name: two tools over the shop's API, and a scripted model that really reads what it is told, to the end of each
 * result, and adds up in its head. It makes no mistake and says nothing beside its calls, which favours the protocol.
 */
import { expectedTopTen, type RankedCustomer } from "../cli/demo/answer_check.ts";
import { type Customer, type Order, PAGE_COUNT } from "../cli/demo/shop_data.ts";
import type { Tool } from "../contracts/tool.ts";
import type {
  Client,
  Completion,
  CompletionRequest,
  Message,
  ModelToolCall,
} from "../contracts/model.ts";
import { defineTool } from "../tools/define_tool.ts";

/** The tools of the job. */
export function shopTools(baseUrl: string): Tool[] {
  const get = async (path: string) => await (await fetch(`${baseUrl}${path}`)).json();
  return [
    defineTool({
      name: "list_orders",
      description: "One page of orders.",
      parameters: { type: "object", properties: { page: { type: "integer" } }, required: ["page"] },
      safe: true,
      execute: ({ page }) => get(`/orders?page=${page}`),
    }),
    defineTool({
      name: "list_customers",
      description: "All customers.",
      parameters: { type: "object", properties: {} },
      safe: true,
      execute: () => get("/customers"),
    }),
  ];
}

/** Calls of one reply: one, or all that can be made without knowing more. */
export type Pace = "one_by_one" | "at_once";

/** A model for one run of the job. */
export function createToolModel(pace: Pace): Client {
  let made = 0;
  return {
    // deno-lint-ignore require-await -- an interface method; a failure is to reject
    async complete({ messages }: CompletionRequest): Promise<Completion> {
      const wanted = nextCalls(messages);
      const calls = pace === "at_once" ? wanted : wanted.slice(0, 1);
      const toolCalls = calls.map((call) => ({ id: `call_${++made}`, ...call }));
      const text = calls.length > 0 ? "" : answerOf(messages);
      return {
        text,
        ...(calls.length > 0 ? { toolCalls } : {}),
        finishReason: calls.length > 0 ? "tool_calls" : "stop",
        usage: { prompt: 0, completion: 0 },
        model: "scripted",
      };
    },
  };
}

type Call = Omit<ModelToolCall, "id">;

const JOB: readonly Call[] = [
  ...Array.from({ length: PAGE_COUNT }, (_, at) => ({
    name: "list_orders",
    argumentsJson: JSON.stringify({ page: at + 1 }),
  })),
  { name: "list_customers", argumentsJson: "{}" },
];

/** What is left to be called: the rest of results that were shortened, then what was not asked for. */
function nextCalls(messages: readonly Message[]): readonly Call[] {
  const known = readings(messages);
  const rest = known.flatMap(({ id, text, missing }) =>
    missing === undefined ? [] : partsOf(id, {
      from: text.length,
      to: text.length + missing,
    })
  );
  if (rest.length > 0) return rest;
  return JOB.slice(known.length);
}

/** Characters from one call of `read_result` to the next: a result is 16 KiB at most, and a few letters of the customers' names are two bytes. */
const PART = 16_000;

function partsOf(id: string, { from, to }: { readonly from: number; readonly to: number }): Call[] {
  const calls: Call[] = [];
  for (let at = from; at < to; at += PART) {
    calls.push({ name: "read_result", argumentsJson: JSON.stringify({ call_id: id, from: at }) });
  }
  return calls;
}

/** What the model knows of one result. */
interface Reading {
  readonly id: string;
  /** Its text from the beginning, as far as it was told without a gap. */
  text: string;
  /** Characters between that and the end that was told; nothing once it is whole. */
  missing: number | undefined;
  readonly tail: string;
}

const SHORTENED =
  /^([^]*)\n… \d+ bytes left out …\n([^]*)\n\[shortened: the result has (\d+) characters[^\n]*\]$/;
const PART_OF = /^\[characters (\d+) to \d+ of \d+[^\n]*\]\n([^]*)$/;

function readings(messages: readonly Message[]): Reading[] {
  const calls = new Map(messages.flatMap(({ toolCalls = [] }) => toolCalls.map((c) => [c.id, c])));
  const known: Reading[] = [];
  for (const { role, content, toolCallId = "" } of messages) {
    if (role !== "tool") continue;
    const call = calls.get(toolCallId)!;
    if (call.name !== "read_result") {
      const [, head, tail = "", length] = SHORTENED.exec(content) ?? [];
      known.push(
        head === undefined ? { id: toolCallId, text: content, missing: undefined, tail: "" } : {
          id: toolCallId,
          text: head,
          missing: Number(length) - head.length - tail.length,
          tail,
        },
      );
      continue;
    }
    const reading = known.find(({ id }) => id === JSON.parse(call.argumentsJson).call_id)!;
    const [, from, part = ""] = PART_OF.exec(content) ?? [];
    addPart(reading, { from: Number(from), part });
  }
  return known;
}

function addPart(
  reading: Reading,
  { from, part }: { readonly from: number; readonly part: string },
): void {
  const { text, missing = 0 } = reading;
  if (!(from <= text.length)) throw new Error(`a gap in what was read of ${reading.id}`);
  const added = part.slice(text.length - from).slice(0, missing);
  reading.text += added;
  reading.missing = missing - added.length;
  if (reading.missing > 0) return;
  reading.text += reading.tail;
  reading.missing = undefined;
}

/** The answer, from what was read and nothing else. */
function answerOf(messages: readonly Message[]): string {
  const values: unknown[] = readings(messages).map(({ text }) => JSON.parse(text));
  const pages = values.slice(0, PAGE_COUNT) as { readonly orders: readonly Order[] }[];
  const customers = values[PAGE_COUNT] as readonly Customer[];
  const rows = expectedTopTen({ orders: pages.flatMap(({ orders }) => orders), customers });
  return rows.map((row: RankedCustomer, index) =>
    `${index + 1}. ${row.name} (${row.country}): ${row.total} EUR`
  ).join("\n");
}
