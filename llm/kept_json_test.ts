import { deepEqual, equal, notEqual } from "node:assert/strict";
import type { Message, ToolDeclaration } from "../contracts/model.ts";
import { settledMessage } from "../contracts/settled_message.ts";
import { bodyJson, isFrozenWhole } from "./kept_json.ts";
import { type CallForm, wireMessages } from "./wire_messages.ts";
import { wireTools } from "./wire_tools.ts";

/** A reply that called a tool, with its result. */
function exchange(
  { name = "read", metadata }: { name?: string; metadata?: Readonly<Record<string, unknown>> } = {},
): Message[] {
  const more = metadata === undefined ? {} : { providerMetadata: metadata };
  const call = { id: "call_1", name, argumentsJson: '{"a": "\ud83d"}', ...more };
  return [
    { role: "user", content: "go \ud83d" },
    { role: "assistant", content: "", toolCalls: [call] },
    { role: "tool", content: "42", toolCallId: "call_1" },
  ];
}

function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null) Object.values(value).forEach(frozen);
  return Object.freeze(value);
}

/** Messages as the loop makes them. */
function settled(messages: readonly Message[]): Message[] {
  return messages.map((message) => settledMessage(frozen(message)));
}

/** A list as it arrives. */
function jsonOf(list: readonly object[]): unknown[] {
  return JSON.parse(bodyJson({ list })).list;
}

function sent(
  messages: readonly Message[],
  { tools = [], forms = [] }: { tools?: ToolDeclaration[]; forms?: CallForm[] } = {},
): string[] {
  return jsonOf(wireMessages({ messages, tools }, new Set(forms))).map((message) =>
    JSON.stringify(message)
  );
}

const TOOL: ToolDeclaration = { name: "read it", description: "reads \ud83d", parameters: {} };

Deno.test("kept JSON: messages that cannot change are sent as others are, however often", () => {
  const metadata = { google: { thought_signature: "s" } };
  for (const call of [{}, { metadata }, { name: "read it" }]) {
    const asMade = sent(exchange(call));
    const messages = settled(exchange(call));
    deepEqual([sent(messages), sent(messages)], [asMade, asMade]);
  }
});

Deno.test("kept JSON: what can still change is sent as it is now", () => {
  const inside = exchange();
  for (const message of inside) Object.freeze(message);
  const call = inside[1]!.toolCalls![0] as { name: string };
  const outside: { role: "user"; content: string } = { role: "user", content: "a" };
  const metadata = { signature: "a" };
  const deepInside = exchange({ metadata });
  deepInside.forEach(({ toolCalls }) => toolCalls?.forEach((one) => Object.freeze(one)));
  deepInside.forEach((message) => Object.freeze(message.toolCalls) && Object.freeze(message));
  const messages = [...inside, outside, ...deepInside];
  const before = sent(messages);
  [call.name, outside.content, metadata.signature] = ["write", "b", "b"];
  deepEqual(
    sent(messages).map((json, at) => json === before[at]),
    [true, false, true, false, true, false, true],
  );
});

Deno.test("kept JSON: a name that only some requests declare is sent as each takes it", () => {
  const messages = settled(exchange({ name: "read it" }));
  const nameIn = (json: string[]) => JSON.parse(json[1]!).tool_calls[0].function.name;
  equal(nameIn(sent(messages)), "read_it");
  equal(nameIn(sent(messages, { tools: [TOOL] })), "read it");
  equal(nameIn(sent(messages)), "read_it");
});

Deno.test("kept JSON: a form that a provider asks for later is kept to", () => {
  const messages = settled(exchange({ metadata: { signature: "s" } }));
  const plain = sent(messages);
  const changed = sent(messages, { forms: ["short_ids", "no_metadata"] });
  notEqual(changed[1], plain[1]);
  deepEqual(sent(messages), plain);
});

Deno.test("kept JSON: a declaration that can change is sent as it is now", () => {
  const parameters = { type: "object" };
  const tool = Object.freeze({ ...TOOL, parameters });
  const json = () => bodyJson({ tools: wireTools([tool]) });
  const before = json();
  equal(before.includes('"reads \ufffd"'), true);
  parameters.type = "array";
  notEqual(json(), before);
  const still = frozen(structuredClone(tool));
  equal(wireTools([still])[0], wireTools([still])[0]);
  deepEqual(jsonOf(wireTools([still, tool])), wireTools([still, tool]));
});

Deno.test("kept JSON: conversations that begin alike, grow, shrink and change in the middle are each sent as they are", () => {
  const messages = Array.from(
    { length: 8 },
    (_, at) => settledMessage({ role: at % 2 === 0 ? "user" : "assistant", content: `m${at}` }),
  );
  const changed = messages.with(3, settledMessage({ role: "assistant", content: "other" }));
  const open = messages.with(5, { role: "assistant", content: "can change" });
  const lists = [
    messages.slice(0, 3),
    messages,
    changed,
    messages.slice(0, 1),
    open,
    messages,
    [],
    messages.slice(2),
    changed.slice(0, 5),
  ];
  for (const list of [...lists, ...lists.toReversed()]) {
    const wire = wireMessages({ messages: list }, new Set());
    deepEqual(wire, list);
    equal(bodyJson({ list: wire }), JSON.stringify({ list }));
  }
});

Deno.test("kept JSON: a list is kept while others are sent, and let go of when hundreds of others were, though its last item lives on", () => {
  const message = (content: string) => settledMessage({ role: "user", content });
  const beginning = [message("a"), message("b")];
  const wireOf = (messages: readonly Message[]) => wireMessages({ messages }, new Set())[0];
  const sendOthers = (count: number) => {
    for (let at = 0; at < count; at++) wireOf([message(`other ${at}`)]);
  };
  const first = wireOf(beginning);
  sendOthers(500);
  equal(wireOf([...beginning, message("c")]), first);
  const again = wireOf(beginning);
  sendOthers(1100);
  notEqual(wireOf(beginning), again);
});

Deno.test("kept JSON: a body is the JSON that it would be otherwise", () => {
  const messages = wireMessages({ messages: settled(exchange()) }, new Set());
  const bodies = [
    {},
    { model: "m" },
    { messages, model: "\ud83d", none: undefined, flag: true, nothing: null, list: [1, "a"] },
    { a: undefined, b: () => {}, c: Symbol("c"), d: { toJSON: () => undefined }, e: 1 },
    { a: undefined, messages: wireMessages({ messages: [] }, new Set()), tools: wireTools([TOOL]) },
  ];
  for (const body of bodies) equal(bodyJson(body), JSON.stringify(body));
});

Deno.test("kept JSON: what a frozen message computes is asked for each time", () => {
  let count = 0;
  const own: Message = Object.freeze({
    role: "user",
    get content() {
      return `own ${count++}`;
    },
  });
  class Counting {
    readonly role = "user";
    get content(): string {
      return `of a class ${count++}`;
    }
  }
  const messages = [own, Object.freeze(new Counting())];
  for (const expected of [["own 0", "of a class 1"], ["own 2", "of a class 3"]]) {
    deepEqual(sent(messages).map((json) => JSON.parse(json).content), expected);
  }
});

Deno.test("kept JSON: what frozen parameters compute is asked for each time", () => {
  let count = 0;
  const at = new Date(0);
  const hidden = Object.defineProperty({}, "toJSON", { value: () => ({ count: count++ }) });
  const tools: ToolDeclaration[] = [
    { ...TOOL, parameters: { toJSON: () => ({ count: count++ }) } },
    { ...TOOL, parameters: hidden },
    { ...TOOL, parameters: { at } },
    Object.defineProperty({ ...TOOL }, "parameters", {
      get: () => Object.freeze({ count: count++ }),
      enumerable: true,
    }),
  ];
  for (const tool of tools) {
    Object.freeze(tool.parameters);
    Object.freeze(at);
    const json = () => bodyJson({ tools: wireTools([Object.freeze(tool)]) });
    const before = json();
    at.setTime(at.getTime() + 1);
    notEqual(json(), before);
  }
});

Deno.test("kept JSON: a value is frozen whole when nothing in it can change", () => {
  for (const value of [1, "a", null, undefined, frozen({ a: [{ b: 1 }] })]) {
    equal(isFrozenWhole(value), true);
  }
  for (const value of [{}, Object.freeze({ a: {} }), Object.freeze([[]]), () => {}]) {
    equal(isFrozenWhole(value), false);
  }
});
