import { deepEqual, equal, throws } from "node:assert/strict";
import { defineTool } from "./define_tool.ts";
import { ToolRegistry } from "./tool_registry.ts";

const tool = (name: string) =>
  defineTool({ name, description: name, parameters: { type: "object" }, execute: () => name });

const names = (tools: Iterable<{ readonly name: string }>) => Array.from(tools, ({ name }) => name);

Deno.test("registry: tools are listed in the order in which they came, and found by name", () => {
  const [a, b] = [tool("a"), tool("b")];
  const registry = new ToolRegistry([b]).register(a);
  deepEqual(names(registry.list()), ["b", "a"]);
  equal(registry.get("a"), a);
  equal(registry.get("c"), undefined);
  equal(registry.get("constructor"), undefined);
});

Deno.test("registry: a second tool of one name is refused, and the first stays", () => {
  const first = tool("a");
  const registry = new ToolRegistry([first]);
  throws(() => registry.register(tool("a")), {
    name: "TypeError",
    message: 'there are two tools named "a"',
  });
  equal(registry.get("a"), first);
});

Deno.test("registry: what is switched off is neither enabled nor declared, and comes back", () => {
  const registry = new ToolRegistry(["a", "b", "c"].map(tool)).disable("a", "c");
  deepEqual(names(registry.enabled()), ["b"]);
  deepEqual([registry.isEnabled("a"), registry.isEnabled("b"), registry.isEnabled("x")], [
    false,
    true,
    false,
  ]);
  deepEqual(registry.declarations("openai").tools.map((declared) => declared.function.name), ["b"]);
  equal(registry.get("a")?.name, "a");
  deepEqual(names(registry.enable("c").enabled()), ["b", "c"]);
});

Deno.test("registry: an unknown name is told with those there are, and nothing is changed", () => {
  const registry = new ToolRegistry(["a", "b"].map(tool));
  throws(() => registry.disable("a", "nope"), {
    message: 'there is no tool "nope"; there is: a, b',
  });
  deepEqual(names(registry.enabled()), ["a", "b"]);
});

Deno.test("registry: a snapshot stays as it was", () => {
  const registry = new ToolRegistry(["a", "b"].map(tool));
  const snapshot = registry.disable("b").snapshot();
  registry.enable("b").disable("a").register(tool("c"));
  deepEqual([...snapshot.keys()], ["a"]);
});

Deno.test("registry: what defineTool did not make is refused, not offered to a model", () => {
  const plain = { name: "a", description: "a", parameters: {}, execute: () => 1 };
  throws(() => new ToolRegistry([plain as never]), {
    name: "TypeError",
    message: "a is no tool; defineTool({ name, description, parameters, execute }) makes one",
  });
});
