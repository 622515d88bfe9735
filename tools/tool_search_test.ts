import assert from "node:assert/strict";
import type { Tool } from "../contracts/tool.ts";
import { defineTool } from "./define_tool.ts";
import { searchWords } from "./search_words.ts";
import { createToolExpander } from "./tool_expander.ts";
import { ToolRegistry } from "./tool_registry.ts";
import { searchTools } from "./tool_search.ts";

function tool(name: string, description = "Does it"): Tool {
  return defineTool({
    name,
    description,
    parameters: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
    execute: ({ id }) => id,
  });
}

function find(tools: readonly Tool[], query: string, limit = 10): string[] {
  return searchTools(tools, { query, limit }).map(({ name }) => name);
}

Deno.test("tool search: parts of camelCase and snake_case are words, in lower case and in the singular", () => {
  assert.deepEqual(searchWords("getHTTPHeaders_of-page2Cities"), [
    "get",
    "http",
    "header",
    "of",
    "page2",
    "city",
  ]);
  assert.deepEqual(searchWords("Straße, ÉTÉ & 北京天气!"), [
    "straße",
    "été",
    "北",
    "京",
    "天",
    "气",
  ]);
  assert.deepEqual(searchWords("address status bus"), ["address", "statu", "bus"]);
  assert.deepEqual(searchWords('" OR ( * ) : ^ -'), ["or"]);
});

Deno.test("tool search: a word of the name counts more than one of the description, a whole one more than a beginning", () => {
  const tools = [
    tool("list_files", "Lists what could hold the weather"),
    tool("weatherman", "Talks"),
    tool("get_weather", "Degrees"),
    tool("other", "Something else"),
    tool("talk", "About weathering"),
  ];
  assert.deepEqual(find(tools, "weather"), ["get_weather", "weatherman", "list_files", "talk"]);
  assert.deepEqual(find(tools, "weather", 2), ["get_weather", "weatherman"]);
  assert.deepEqual(find(tools, "GetWeather"), ["get_weather", "weatherman", "list_files", "talk"]);
  assert.deepEqual(find(tools, "nothing"), []);
  assert.deepEqual(find(tools, "   "), []);
});

Deno.test("tool search: rare words count more than those that all have, and short words are no beginnings", () => {
  const tools = [
    ...Array.from({ length: 50 }, (_, n) => tool(`list_the_${n}`, "Lists the entries in a list")),
    tool("send_invoice", "Sends it to a customer"),
  ];
  assert.equal(find(tools, "send the invoice in a mail")[0], "send_invoice");
  assert.deepEqual(find(tools, "li"), []);
});

Deno.test("tool expander: what is named comes first, by either of its names, and what a registry switches off is not found", async () => {
  const registry = new ToolRegistry([
    tool("get-weather", "in a city"),
    tool("city_map"),
    tool("x"),
  ]);
  const expander = createToolExpander(registry);
  const names = async (search: { names?: string[]; query?: string }) =>
    (await expander.expand({ ...search, limit: 5 })).map(({ declaration }) => declaration.name);
  assert.deepEqual(await names({ names: ["x", "get_weather", "nowhere"], query: "city" }), [
    "x",
    "get-weather",
    "city_map",
  ]);
  registry.disable("get-weather");
  assert.deepEqual(await names({ names: ["get-weather"], query: "city" }), ["city_map"]);
  registry.register(tool("city_later"));
  assert.deepEqual(await names({ query: "city" }), ["city_map", "city_later"]);
  const [found] = await expander.expand({ names: ["x"], limit: 1 });
  assert.equal(found?.typescript?.(), "declare function x(args: { id: string }): any; // Does it");
});
