// Needs --allow-read and --allow-write for the folder of temporary files.
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import type { Tool } from "../../contracts/tool.ts";
import { seededRandom } from "../../loop/_random_text.ts";
import { hasCode, StoreFolder } from "../../tests/fixtures/store_folder.ts";
import { defineTool } from "../define_tool.ts";
import { ToolRegistry } from "../tool_registry.ts";
import { searchTools } from "../tool_search.ts";
import { openSqliteToolExpander } from "./mod.ts";

function tool(name: string, description = "Does it"): Tool {
  return defineTool({ name, description, parameters: { type: "object" }, execute: () => name });
}

async function find(
  expander: ReturnType<typeof openSqliteToolExpander>,
  query: string,
  limit = 10,
): Promise<string[]> {
  return (await expander.expand({ query, limit })).map(({ declaration }) => declaration.name);
}

const SHOP = [
  tool("listFiles", "Lists what could hold the weather"),
  tool("get_weather", "Degrees in cities"),
  tool("weatherman"),
  tool("other", "北京天气 und Straßen"),
];

Deno.test("tool index: finds by words, parts and beginnings of names and descriptions, names before descriptions", async () => {
  using expander = openSqliteToolExpander(SHOP);
  assert.deepEqual(await find(expander, "weather"), ["get_weather", "weatherman", "listFiles"]);
  assert.deepEqual(await find(expander, "weather", 1), ["get_weather"]);
  assert.deepEqual(await find(expander, "FILE"), ["listFiles"]);
  assert.deepEqual(await find(expander, "city"), ["get_weather"]);
  assert.deepEqual(await find(expander, "天"), ["other"]);
  assert.deepEqual(await find(expander, "straße"), ["other"]);
  assert.deepEqual(await find(expander, "ge"), []);
});

Deno.test("tool index: no text of a query is syntax of the index", async () => {
  using expander = openSqliteToolExpander(SHOP);
  const hostile = [
    `"`,
    `""`,
    `"weather`,
    `weather"`,
    `' OR 1=1 --`,
    "*",
    "wea*",
    "^weather",
    "name : weather",
    "{name description} : x",
    "weather NOT get",
    "weather AND",
    "NEAR(weather get, 2)",
    "(",
    ")",
    "((weather)",
    "-weather",
    "a + b",
    "\0weather",
    "weather\0",
    "\ud800",
    "'; DROP TABLE words; --",
    "set_id : x",
    "%",
    "_",
    "\\",
    "＂weather＂",
    "weather OR OR",
    "rank",
    "\u0301",
    "a\u0301\u0302",
  ]; // deno-fmt-ignore-line
  for (const query of hostile) {
    const names = await find(expander, query);
    assert.deepEqual(names.sort(), searchTools(SHOP, { query, limit: 10 }).map(({ name }) => name).sort(), query);
  }
  assert.deepEqual(await find(expander, "weather NOT get"), [
    "get_weather",
    "weatherman",
    "listFiles",
  ]);
  assert.equal((await find(expander, "weather")).length, 3);
});

const PIECES = [
  "get",
  "set",
  "list",
  "weather",
  "weathers",
  "city",
  "cities",
  "file",
  "Files",
  "HTTP",
  "http2",
  "mail",
  "email",
  "emails",
  "to",
  "in",
  "of",
  "é",
  "été",
  "STRASSE",
  "straße",
  "天",
  "京",
  "12",
  "1",
  "address",
  "bus",
  "OR",
  "NOT",
  "near",
  '"',
  "*",
  "(",
  "-",
  "_",
  " ",
]; // deno-fmt-ignore-line

Deno.test("tool index: finds just what a plain look at every tool finds", async () => {
  for (let seed = 1; seed <= 40; seed++) {
    const random = seededRandom(seed);
    const pick = (count: number, glue: string) =>
      Array.from({ length: count }, () => PIECES[Math.floor(random() * PIECES.length)]!).join(glue);
    const tools = Array.from(
      { length: 1 + Math.floor(random() * 30) },
      (_, n) => tool(`t${n}_${pick(2, "_").replace(/[^A-Za-z0-9_]/g, "")}`.slice(0, 60), `x${pick(6, " ")}`),
    );
    using expander = openSqliteToolExpander(tools);
    for (let n = 0; n < 20; n++) {
      const query = pick(1 + Math.floor(random() * 4), random() < 0.5 ? " " : "");
      const naive = tools.filter(({ name, description }) => matches(`${name} ${description}`, query));
      assert.deepEqual(
        (await find(expander, query, 100)).sort(),
        naive.map(({ name }) => name).sort(),
        `seed ${seed}: ${query}`,
      );
      assert.deepEqual(
        searchTools(tools, { query, limit: 100 }).map(({ name }) => name).sort(),
        naive.map(({ name }) => name).sort(),
        `in memory, seed ${seed}: ${query}`,
      );
    }
  }
});

/** The rule of the search, said again in the plainest way: one character after the other. */
function matches(text: string, query: string): boolean {
  const words = plainWords(text);
  return plainWords(query).some((word) =>
    words.includes(word) || ([...word].length >= 3 && words.some((other) => other.startsWith(word)))
  );
}

function plainWords(text: string): string[] {
  const words: string[] = [];
  let word = "";
  const end = () => {
    let done = word.toLowerCase();
    if (/^[a-z]+$/.test(done) && done.length > 3) {
      if (done.endsWith("ies")) done = `${done.slice(0, -3)}y`;
      else if (done.endsWith("s") && !done.endsWith("ss")) done = done.slice(0, -1);
    }
    if (done !== "") words.push(done);
    word = "";
  };
  const characters = [...text];
  for (const [at, character] of characters.entries()) {
    const upper = (one = "") => one !== one.toLowerCase();
    const lower = (one = "") => one !== one.toUpperCase();
    const before = characters[at - 1];
    if (!/[\p{L}\p{N}]/u.test(character)) end();
    else if (/\p{sc=Han}/u.test(character)) {
      end();
      word = character;
      end();
    } else {
      const begins = upper(character) &&
        (lower(before) || /\d/.test(before ?? "") || (upper(before) && lower(characters[at + 1])));
      if (begins) end();
      word += character;
    }
  }
  end();
  return words;
}

Deno.test("tool index: a file is filled once for a set of tools, and holds several sets", async () => {
  using folder = new StoreFolder();
  const path = `${folder.path}/tools.db`;
  const rows = () => {
    const database = new DatabaseSync(path, { readOnly: true });
    const { count } = database.prepare("SELECT count(*) AS count FROM words").get()!;
    database.close();
    return count;
  };
  {
    using first = openSqliteToolExpander(SHOP, { path });
    using same = openSqliteToolExpander(SHOP, { path });
    assert.equal(rows(), 4);
    using other = openSqliteToolExpander([tool("weather_vane")], { path });
    assert.equal(rows(), 5);
    assert.deepEqual(await find(other, "weather"), ["weather_vane"]);
    assert.deepEqual(await find(first, "vane"), []);
    assert.deepEqual(await find(same, "degrees"), ["get_weather"]);
  }
  using again = openSqliteToolExpander(SHOP, { path });
  assert.equal(rows(), 5);
  assert.deepEqual(await find(again, "weather"), ["get_weather", "weatherman", "listFiles"]);
  for (let n = 0; n < 12; n++) openSqliteToolExpander([tool(`t${n}`)], { path }).close();
  assert.equal(rows(), 8);
  // Its set is gone from the file by now, and comes back when it is needed.
  assert.deepEqual(await find(again, "degrees"), ["get_weather"]);
  assert.equal(rows(), 11);
});

Deno.test("tool index: what is switched off is not found, and what is named is found without the index", async () => {
  const registry = new ToolRegistry(SHOP);
  using expander = openSqliteToolExpander(registry);
  registry.disable("get_weather");
  assert.deepEqual(await find(expander, "weather", 1), ["weatherman"]);
  registry.register(tool("later", "weather"));
  assert.deepEqual(await find(expander, "later"), []);
  const named = await expander.expand({ names: ["later", "get_weather"], limit: 1 });
  assert.deepEqual(named.map(({ declaration }) => declaration.name), ["later"]);
});

Deno.test("tool index: a database of others, a damaged file and one of another version are refused and left as they are", () => {
  using folder = new StoreFolder();
  const foreign = `${folder.path}/foreign.db`;
  const database = new DatabaseSync(foreign);
  database.exec("CREATE TABLE theirs (a)");
  database.close();
  const before = Deno.readFileSync(foreign);
  assert.throws(
    () => openSqliteToolExpander(SHOP, { path: foreign }),
    hasCode("store_foreign", foreign),
  );
  assert.deepEqual(Deno.readFileSync(foreign), before);

  const text = `${folder.path}/text.db`;
  Deno.writeTextFileSync(text, "no database at all, and long enough to be looked at ".repeat(20));
  assert.throws(() => openSqliteToolExpander(SHOP, { path: text }), hasCode("store_foreign", text));

  const newer = `${folder.path}/newer.db`;
  openSqliteToolExpander(SHOP, { path: newer }).close();
  const changed = new DatabaseSync(newer);
  changed.exec("PRAGMA user_version = 99");
  changed.close();
  assert.throws(() => openSqliteToolExpander(SHOP, { path: newer }), hasCode("store_newer", newer));
  assert.throws(
    () => openSqliteToolExpander(SHOP, { path: `${folder.path}/no/such/tools.db` }),
    hasCode("store_failed", "tools.db"),
  );
});

Deno.test("tool index: a closed one says so", async () => {
  const expander = openSqliteToolExpander(SHOP);
  expander.close();
  expander.close();
  await assert.rejects(async () => await find(expander, "weather"), /was closed/);
});
