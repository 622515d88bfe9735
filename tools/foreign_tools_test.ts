import { deepEqual, equal, match, notEqual, ok, rejects } from "node:assert/strict";
import type { CallContext } from "../contracts/sandbox.ts";
import type { ToolDefinition } from "./define_tool.ts";
import { defineForeignTools, foreignToolName } from "./foreign_tools.ts";
import { scriptName } from "./tool_name.ts";
import { ToolRegistry } from "./tool_registry.ts";

const LONG = "a".repeat(99);
/** What the case gives: two servers, one with names that clean to the same and long ones that differ at the end. */
const CASE: readonly (readonly [string, string])[] = [
  ["server1", "catalog.query"],
  ["server1", "catalog_query"],
  ["server1", "1st-tool"],
  ["server1", `${LONG}x`],
  ["server1", `${LONG}y`],
  ["server2", "catalog.query"],
];

function definition(name: string, more: Partial<ToolDefinition> = {}): ToolDefinition {
  return {
    name,
    description: `does ${name}`,
    parameters: { type: "object" },
    execute: () => `${name} was called`,
    ...more,
  };
}

/** A registry with all tools of the case. */
async function registered(order = CASE): Promise<ToolRegistry> {
  const registry = new ToolRegistry();
  for (const [source, names] of Map.groupBy(order, ([source]) => source)) {
    await registry.registerForeign(source, names.map(([_, name]) => definition(name)));
  }
  return registry;
}

Deno.test("MCP-05: foreign tools get different names that every provider takes, each mapped to its own original", async () => {
  const registry = await registered();
  const tools = registry.list();
  equal(tools.length, 6);
  equal(new Set(tools.map(({ name }) => name)).size, 6);
  for (const { name } of tools) match(name, /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/);
  // In scripts too, where a "-" is a "_".
  equal(new Set(tools.map(({ name }) => scriptName(name))).size, 6);
  deepEqual(tools.map(({ origin }) => [origin?.source, origin?.name]), CASE);
  for (const { name, origin, execute } of tools) {
    equal(registry.get(name)?.origin, origin);
    equal(await execute({}, {} as CallContext), `${origin?.name} was called`);
  }
  equal(registry.callable().length, 6);
});

Deno.test("MCP-05: a name depends on source and original alone, so that it is the same in every run", async () => {
  const names = (registry: ToolRegistry) =>
    registry.list().map(({ name, origin }) => `${origin?.source} ${origin?.name} ${name}`).sort();
  deepEqual(names(await registered([...CASE].reverse())), names(await registered()));
  const alone = await registered([CASE[1]!]);
  equal(alone.list()[0]?.name, "server1__catalog_query");
  // Pinned: what was allowed by these names is allowed by them tomorrow.
  equal(
    await foreignToolName({ source: "server1", name: "catalog.query" }),
    "server1__catalog_query__pv76wjbs55",
  );
});

Deno.test("foreign tools: made-up pairs of source and name never share a name", async () => {
  const parts = [
    "a",
    "b",
    "_",
    "__",
    "a_b",
    "a__b",
    "-",
    ".",
    "é",
    "",
    "1",
    " ",
    "A",
    "\ud83d",
    "🎉",
  ];
  const texts = parts.flatMap((x) => parts.map((y) => x + y)).filter((text) => text !== "");
  const pairs = new Set<string>();
  const names = new Set<string>();
  for (const source of texts) {
    for (const name of texts) {
      pairs.add(JSON.stringify([source, name]));
      const made = await foreignToolName({ source, name });
      match(made, /^[A-Za-z][A-Za-z0-9_]{0,63}$/);
      names.add(made);
    }
  }
  ok(pairs.size > 30_000);
  equal(names.size, pairs.size);
});

Deno.test("foreign tools: a server cannot take the name of another's tool", async () => {
  const victim = await foreignToolName({ source: "bank", name: "pay.out" });
  for (const source of ["bank.", "ban", "bank__pay_out", "b"]) {
    for (const cut of [0, 1, 3, 4, 5, 6, 13, 14, 15]) {
      notEqual(await foreignToolName({ source, name: victim.slice(cut) }), victim);
    }
  }
});

Deno.test("foreign tools: two of one name are refused, and so is what has none; nothing is registered then", async () => {
  const registry = new ToolRegistry();
  await rejects(
    () => registry.registerForeign("s", [definition("a"), definition("b.c"), definition("b.c")]),
    { name: "TypeError", message: /"s" has two tools named "b\.c"/ },
  );
  await rejects(() => registry.registerForeign("", [definition("a")]), /the source of a foreign/);
  await rejects(() => registry.registerForeign("s", [definition("")]), /the name of a foreign/);
  await rejects(
    () => registry.registerForeign("s", [definition("ok"), definition("x", { parameters: [] })]),
    TypeError,
  );
  deepEqual(registry.list(), []);
  await registry.registerForeign("s", [definition("a")]);
  await rejects(
    () => registry.registerForeign("s", [definition("b"), definition("a")]),
    /there are two tools named "s__a"/,
  );
  deepEqual(registry.list().map(({ name }) => name), ["s__a"]);
});

Deno.test("foreign tools: a missing description is made of the name", async () => {
  const [tool] = await defineForeignTools("shop", [
    { ...definition("x.y"), description: undefined as unknown as string },
  ]);
  equal(tool?.description, "x.y, a tool of shop");
});

Deno.test("foreign tools: what else their source says of them is left out, and no mistake", async () => {
  const told = { title: "Query", inputSchema: {}, annotations: { readOnlyHint: true } };
  const [tool] = await defineForeignTools("shop", [{ ...definition("query"), ...told }]);
  equal(tool?.name, "shop__query");
  equal(Object.hasOwn(tool!, "title"), false);
});
