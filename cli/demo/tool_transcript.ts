/**
 * What the same job costs as a transcript of tool calls, one call a turn: built for real, message by message, and measured like the demo's own requests.
 * Favourable to the transcript: a system prompt of one line, the shortest call messages that the wire allows, and no mistake on the way.
 */
import { wireBytes } from "./recorded_model.ts";
import { ordersOnPage, PAGE_COUNT, type ShopData } from "./shop_data.ts";

const TOOLS = [
  {
    type: "function",
    function: {
      name: "list_orders",
      description: "One page of orders.",
      parameters: { type: "object", properties: { page: { type: "integer" } }, required: ["page"] },
    },
  },
  {
    type: "function",
    function: {
      name: "list_customers",
      description: "All customers.",
      parameters: { type: "object", properties: {} },
    },
  },
];

/** Bytes of each request of the transcript: one before every call, and the last one that asks for the answer. */
export function toolTranscriptBytes(question: string, data: ShopData): readonly number[] {
  const pages = Array.from({ length: PAGE_COUNT }, (_, index) => index + 1);
  const calls = [
    ...pages.map((page) => ({
      name: "list_orders",
      args: { page },
      result: { page, pages: PAGE_COUNT, orders: ordersOnPage(data, page) },
    })),
    { name: "list_customers", args: {}, result: data.customers },
  ];
  const messages: unknown[] = [
    { role: "system", content: "You answer questions with the help of tools." },
    { role: "user", content: question },
  ];
  const sizes = [wireBytes(messages, TOOLS)];
  calls.forEach((call, index) => {
    const id = `call_${index + 1}`;
    messages.push(
      {
        role: "assistant",
        tool_calls: [{
          id,
          type: "function",
          function: { name: call.name, arguments: JSON.stringify(call.args) },
        }],
      },
      { role: "tool", tool_call_id: id, content: JSON.stringify(call.result) },
    );
    sizes.push(wireBytes(messages, TOOLS));
  });
  return sizes;
}
