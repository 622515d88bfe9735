/** The floor: a hand-written loop on `fetch` against the same server, without a library, a sandbox or a log. */

const TOOLS = [{
  type: "function",
  function: {
    name: "tick",
    description: "Tick",
    parameters: { type: "object", properties: { i: { type: "number" } }, required: ["i"] },
  },
}];

/** One run from message to answer. */
export async function runBare(
  baseUrl: string,
  { model, id }: { readonly model: string; readonly id: string },
): Promise<string> {
  // deno-lint-ignore no-explicit-any -- the wire's own shapes, as a hand-written loop would take them
  const messages: any[] = [
    { role: "system", content: "You are a test agent." },
    { role: "user", content: id },
  ];
  for (;;) {
    const response = await fetch(`${baseUrl}/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: "Bearer x" },
      body: JSON.stringify({ model, messages, tools: TOOLS }),
    });
    const message = (await response.json()).choices[0].message;
    messages.push(message);
    if (message.tool_calls === undefined) return message.content;
    for (const call of message.tool_calls) {
      const { i } = JSON.parse(call.function.arguments);
      messages.push({ role: "tool", tool_call_id: call.id, content: `ok ${i}` });
    }
  }
}

if (import.meta.main) {
  const [baseUrl, model = "loop:1"] = Deno.args;
  console.log(await runBare(baseUrl!, { model, id: "start" }));
}
