/**
 * The demo's model: replies that were written down, one for each turn. Each holds a script that really runs against the shop's API; no figure, name or
 * count of the result stands in them. Speaks the `Client` interface; there is no wire.
 */
import { AgentLoopError } from "../../contracts/errors.ts";
import type { Client, Completion, CompletionRequest } from "../../contracts/model.ts";

/** The recorded model and what it was sent. */
export interface RecordedModel extends Client {
  /** Bytes of each request as it would go over the wire: `{"model":…,"messages":[…]}`. */
  readonly requestBytes: readonly number[];
}

/** The name that the recorded model answers under. */
export const RECORDED_MODEL = "recorded";

/** What the model asks for though nobody allowed it. The name is one that never resolves; the policy refuses it before anybody tries. */
export const RATES_URL = "https://rates.example/latest?base=EUR";

/** What the user asks in the demo. */
export function demoQuestion(baseUrl: string): string {
  return `Which ten customers ordered for the most money? Leave cancelled orders out. The shop's API: GET ${baseUrl}/orders?page=1 (more pages follow) and GET ${baseUrl}/customers.`;
}

/** Creates the model for a shop at a base URL. It answers as often as it has replies, and fails after that. */
export function createRecordedModel(baseUrl: string): RecordedModel {
  const replies = recordedReplies(baseUrl);
  const requestBytes: number[] = [];
  return {
    requestBytes,
    // deno-lint-ignore require-await -- an interface method; a failure is to reject
    async complete(request: CompletionRequest): Promise<Completion> {
      request.signal?.throwIfAborted();
      const text = replies[requestBytes.length];
      const bytes = wireBytes(request.messages);
      requestBytes.push(bytes);
      if (text === undefined) {
        throw new AgentLoopError(
          `The recorded model has ${replies.length} replies and was asked once more: a script of the demo did not do its part.`,
          { code: "model_rejected" },
        );
      }
      request.onText?.(text);
      const usage = { prompt: Math.ceil(bytes / 4), completion: Math.ceil(text.length / 4) };
      return { text, finishReason: "stop", usage, model: RECORDED_MODEL };
    },
  };
}

/** Bytes of the body of a request that carries these messages. */
export function wireBytes(messages: readonly unknown[], tools?: readonly unknown[]): number {
  const body = JSON.stringify({ model: RECORDED_MODEL, messages, tools });
  return new TextEncoder().encode(body).length;
}

/** The replies, in their order. */
export function recordedReplies(baseUrl: string): readonly string[] {
  return [
    reply(
      "First a look at one page, to see what an order is made of, and at exchange rates, should there be several currencies.",
      `
function run() {
  const page = fetch("${baseUrl}/orders?page=1").json();
  log("pages:", page.pages, "orders on this one:", page.orders.length);
  log("an order:", page.orders[0]);
  try {
    log("rates:", fetch("${RATES_URL}").json());
  } catch (error) {
    log("no rates:", error.message);
  }
  return { pages: page.pages, orders: page.orders };
}`,
    ),
    reply(
      "The rates are refused, so it has to go without them, which it does if all is in one currency. Now the other pages and the customers, all at once.",
      `
async function run({ pages, orders }) {
  const load = async (path) => (await fetch("${baseUrl}" + path)).json();
  const paths = ["/customers"];
  for (let page = 2; page <= pages; page++) paths.push("/orders?page=" + page);
  const [customers, ...rest] = await Promise.all(paths.map(load));
  for (const page of rest) orders.push(...page.orders);
  log("orders:", orders.length, "customers:", customers.length);
  log("currencies:", [...new Set(orders.map((order) => order.currency))].join(", "));
  return { orders, customers };
}`,
    ),
    reply(
      "Add up what was not cancelled, in cents so that nothing is lost to rounding, and join the names.",
      `
function run({ orders, customers }) {
  const byId = new Map(customers.map((customer) => [customer.id, customer]));
  const cents = new Map();
  let left = 0;
  for (const order of orders) {
    if (order.status === "cancelled") { left++; continue; }
    cents.set(order.customerId, (cents.get(order.customerId) ?? 0) + Math.round(order.total * 100));
  }
  log("cancelled and left out:", left, "customers with orders:", cents.size);
  const top = [...cents].sort((a, b) => b[1] - a[1]).slice(0, 10);
  return top.map(([id, sum]) => ({ name: byId.get(id).name, country: byId.get(id).country, cents: sum }));
}`,
    ),
    reply(
      "That is all that the answer needs.",
      `
function run(top) {
  const lines = top.map((row, index) =>
    (index + 1) + ". " + row.name + " (" + row.country + "): " + (row.cents / 100).toFixed(2) + " EUR");
  answer("Customers by the total of their orders, cancelled ones left out:\\n" + lines.join("\\n"));
}`,
    ),
  ];
}

function reply(thought: string, script: string): string {
  return `${thought}\n\n\`\`\`javascript${script}\n\`\`\``;
}
