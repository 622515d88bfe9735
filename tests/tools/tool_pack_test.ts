/** Tools as functions of scripts, through the whole engine: a scripted model, the gate, a real guest. */
import { deepEqual, equal, match, throws } from "node:assert/strict";
import * as z from "npm:zod@4.6.7";
import type { ApprovalRequest } from "../../contracts/approval.ts";
import { DefaultPolicy } from "../../loop/policy.ts";
import { defineTool } from "../../tools/define_tool.ts";
import { toolCapability, toolPack } from "../../tools/tool_pack.ts";
import { ToolRegistry } from "../../tools/tool_registry.ts";
import { runScripts } from "../packs/script_loop.ts";

const weather = defineTool({
  name: "get-weather",
  description: "The weather in a city",
  parameters: {
    type: "object",
    properties: { city: { type: "string" }, days: { type: "integer", minimum: 1, maximum: 7 } },
    required: ["city"],
    additionalProperties: false,
  },
  returns: {
    type: "object",
    properties: { degrees: { type: "array", items: { type: "number" } } },
    required: ["degrees"],
  },
  execute: ({ city, days = 1 }) => ({ city, degrees: Array(days).fill(21) }),
});

const clock = defineTool({
  name: "now",
  description: "The time",
  parameters: { type: "object", properties: { zone: { type: "string" } } },
  execute: ({ zone = "UTC" }) => zone,
});

/** A script whose `run` has this body. */
const script = (body: string) => `async function run(args) {\n${body}\n}`;

Deno.test("tools: a script calls them by one object, and by nothing where nothing is required", async () => {
  const { result } = await runScripts([
    script(`answer([
      await get_weather({ city: "Oslo", days: 2 }),
      await now(), await now(undefined), await now(null), await now({}), await now({ zone: "CET" }),
    ]);`),
  ], { capabilities: [toolCapability([weather, clock])] });
  deepEqual(JSON.parse(result.finalText), [
    { city: "Oslo", degrees: [21, 21] },
    "UTC",
    "UTC",
    "UTC",
    "UTC",
    "CET",
  ]);
});

Deno.test("TOL-04 tools: no arguments and null are an empty object for a tool that needs none, and a fault for one that does", async () => {
  const { result } = await runScripts([
    `function run() {
      const said = [];
      for (const give of [() => now(null), () => now(), () => get_weather(null), () => get_weather()]) {
        try { said.push(give()); } catch (error) { said.push(error.message); }
      }
      answer(said);
    }`,
  ], { capabilities: [toolCapability([weather, clock])] });
  const fault = "the arguments of get-weather do not fit: $.city: missing, expected string";
  deepEqual(JSON.parse(result.finalText), ["UTC", "UTC", fault, fault]);
});

Deno.test("tools: a script can catch what does not fit, and the model is told of what it did not catch", async () => {
  const { observations, result } = await runScripts([
    script(`return await get_weather({ city: 5, days: 9, when: "now" });`),
    script(`try { await get_weather("Oslo"); } catch (error) {
      try { await get_weather("Oslo", 2); } catch (second) { answer([error.name, error.message, second.message]); }
    }`),
  ], { capabilities: [toolCapability([weather])] });
  match(
    observations[0]!,
    /the arguments of get-weather do not fit: \$\.city: expected string, got 5 \(number\); \$\.days: expected at most 7, got 9 \(number\); \$\.when: not expected; there is city, days/,
  );
  deepEqual(JSON.parse(result.finalText), [
    "TypeError",
    'the arguments of get-weather do not fit: $: expected object, got "Oslo" (string)',
    "get_weather takes one object with named arguments, not 2 arguments",
  ]);
});

Deno.test("tools: a library's schema fills in defaults and converts before execute", async () => {
  const tool = defineTool({
    name: "sum",
    description: "Sums",
    parameters: z.object({ numbers: z.array(z.coerce.number()), times: z.int().default(2) }),
    execute: ({ numbers, times }) => times * numbers.reduce((sum, number) => sum + number, 0),
  });
  const { result } = await runScripts([script(`answer(await sum({ numbers: ["1", 2] }));`)], {
    capabilities: [toolCapability([tool])],
  });
  equal(result.finalText, "6");
});

Deno.test("tools: arguments that a person changed are checked again, and run as checked", async () => {
  const asked: ApprovalRequest[] = [];
  const sent: unknown[] = [];
  const mail = defineTool({
    name: "send",
    description: "Sends a text",
    parameters: {
      type: "object",
      properties: { to: { type: "string" }, copies: { type: "integer" } },
      required: ["to"],
    },
    sideEffect: true,
    target: ({ to }) => typeof to === "string" ? to : undefined,
    preview: ({ to, copies = 1 }) => `${copies} to ${to}`,
    execute: (args) => {
      sent.push(args);
      return null;
    },
  });
  const changes = [{ to: "b@example.com" }, { to: 5 }, "b@example.com"];
  const { result, store } = await runScripts([
    script(`const said = [];
    for (let call = 0; call < 3; call++) {
      try { said.push(await send({ to: "a@example.com", copies: 2 })); } catch (error) { said.push(error.message); }
    }
    answer(said);`),
  ], {
    capabilities: [toolCapability([mail])],
    config: {
      policy: new DefaultPolicy(),
      approve: (request) => {
        asked.push(request);
        return { decision: "approve", args: [changes[asked.length - 1]!] };
      },
    },
  });
  deepEqual(sent, [{ to: "b@example.com" }]);
  deepEqual(JSON.parse(result.finalText), [
    null,
    "the arguments of send do not fit: $.to: expected string, got 5 (number)",
    'the arguments of send do not fit: $: expected object, got "b@example.com" (string)',
  ]);
  deepEqual(
    asked.map(({ target, preview }) => [target, preview]),
    Array(3).fill(["a@example.com", "2 to a@example.com"]),
  );
  deepEqual((await store.calls("s")).map((row) => [row.name, row.target, row.outcome]), [
    ["send", "b@example.com", "ok"],
    ["send", undefined, "error"],
    ["send", undefined, "error"],
  ]);
});

Deno.test("tools: a preview of arguments that do not fit says so, and nothing is done", async () => {
  const previews: (string | undefined)[] = [];
  let done = 0;
  const tool = defineTool({
    name: "drop",
    description: "Drops a table",
    parameters: { type: "object", properties: { table: { type: "string" } }, required: ["table"] },
    sideEffect: true,
    target: ({ table }) => String(table),
    preview: ({ table }) => `drops ${table.toUpperCase()}`,
    execute: () => done++,
  });
  await runScripts([
    script(
      `try { await drop({ table: 1 }); } catch {} try { await drop("x"); } catch {} answer(1);`,
    ),
  ], {
    capabilities: [toolCapability([tool])],
    config: {
      policy: new DefaultPolicy(),
      approve: ({ preview }) => {
        previews.push(preview);
        return { decision: "approve" };
      },
    },
  });
  equal(done, 0);
  deepEqual(previews, [
    "The call will fail: the arguments of drop do not fit: $.table: expected string, got 1 (number)",
    'The call will fail: the arguments of drop do not fit: $: expected object, got "x" (string)',
  ]);
});

Deno.test("tools: the policy can refuse one by its target, and its deadline is kept", async () => {
  const seen: unknown[] = [];
  const tool = defineTool({
    name: "wait",
    description: "Waits",
    parameters: { type: "object", properties: { on: { type: "string" } } },
    timeoutMs: 20,
    target: ({ on }) => on as string,
    execute: (_args, { signal }) =>
      new Promise((resolve) => signal.addEventListener("abort", () => resolve(1))),
  });
  const { result } = await runScripts([
    script(`const said = [];
    for (const on of ["good", "bad"]) try { await wait({ on }); } catch (error) { said.push(error.name); }
    answer(said);`),
  ], {
    capabilities: [toolCapability([tool])],
    config: {
      policy: {
        check: ({ name, target, args, sideEffect }) => {
          seen.push([name, target, args, sideEffect]);
          return target === "bad" ? { decision: "deny", reason: "no" } : { decision: "allow" };
        },
      },
    },
  });
  deepEqual(JSON.parse(result.finalText), ["TimeoutError", "PermissionError"]);
  deepEqual(seen, [["wait", "good", [{ on: "good" }], false], [
    "wait",
    "bad",
    [{ on: "bad" }],
    false,
  ]]);
});

Deno.test("tools: a registry gives what is switched on when a run begins", async () => {
  const registry = new ToolRegistry([weather, clock]);
  const capability = toolCapability(registry, { name: "mine" });
  registry.disable("get-weather");
  const { result } = await runScripts([script(`answer([typeof get_weather, typeof now]);`)], {
    capabilities: [capability],
  });
  deepEqual(JSON.parse(result.finalText), ["undefined", "function"]);
});

Deno.test("tools: two that have one name in scripts are refused, and so is a word that scripts need", () => {
  const named = (name: string) =>
    defineTool({ name, description: "d", parameters: { type: "object" }, execute: () => 1 });
  throws(() => toolCapability([named("a-b"), named("a_b")]), {
    name: "TypeError",
    message: 'the tools "a-b" and "a_b" are both a_b in scripts',
  });
  for (
    const name of ["delete", "run", "answer", "await", "console", "JSON", "Promise", "__proto__"]
  ) {
    throws(() => toolPack([named(name)]), /scripts need the word/);
  }
});

Deno.test("tools: what a long declaration leaves out stands behind help", async () => {
  const fields = Object.fromEntries(
    Array.from(
      { length: 80 },
      (
        _,
        index,
      ) => [`field_${index}`, { type: "string", description: `What field number ${index} is for` }],
    ),
  );
  const tool = defineTool({
    name: "big-form",
    description: "Fills in a form",
    parameters: { type: "object", properties: fields },
    execute: () => null,
  });
  const { prompt } = toolPack([tool]);
  equal(prompt.length < 1_500, true);
  const { result } = await runScripts([script(`answer(await help("big_form"));`)], {
    capabilities: [toolCapability([tool])],
  });
  match(result.finalText, /^Fills in a form/);
  match(result.finalText, /What field number 79 is for/);
});
