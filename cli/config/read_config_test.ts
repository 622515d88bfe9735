import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { CliError } from "../failure.ts";
import { OPTIONS } from "../option_table.ts";
import { OPTION_USES } from "../option_use.ts";
import { configKey } from "./config_key.ts";
import { readConfig } from "./read_config.ts";
import { starterFiles } from "./starter_files.ts";

function fileOf(content: string | Uint8Array) {
  return {
    path: "/p/.agentloop/config.json",
    project: "/p",
    root: "/p",
    bytes: typeof content === "string" ? new TextEncoder().encode(content) : content,
  };
}

async function read(content: string) {
  const entries = await readConfig(fileOf(content));
  return Object.fromEntries(entries.map(({ key, value }) => [key, value]));
}

/** What is said of a file, without its path. */
async function refusal(content: string | Uint8Array): Promise<string> {
  let told = "";
  await rejects(readConfig(fileOf(content)), (error: unknown) => {
    told = (error as Error).message;
    return error instanceof CliError && error.type === "usage" &&
      /--no-config/.test(error.hint ?? "");
  });
  match(told, /^\/p\/\.agentloop\/config\.json[: ]/);
  return told.slice("/p/.agentloop/config.json".length);
}

Deno.test("config: comments and commas at the end are fine, and each kind is read", async () => {
  deepEqual(
    await read(`\ufeff// first
{
  "maxSteps": 7, /* second */ "timeout": "1m30s",
  "historyWindow": 0, "maxCost": 0.25, "noNetwork": true, "verbose": false,
  "allowExec": ["git", " make "], "context": "two\\nlines",
}`),
    {
      maxSteps: 7,
      timeout: 90_000,
      historyWindow: 0,
      maxCost: 0.25,
      noNetwork: true,
      verbose: false,
      allowExec: ["git", "make"],
      context: "two\nlines",
    },
  );
  deepEqual(await read('{"timeout": 90}'), { timeout: 90_000 });
  deepEqual(await read("{}"), {});
});

Deno.test("CLI-07: what is wrong with a config file is told with its line and column", async () => {
  const cases: [content: string, told: RegExp][] = [
    ["", /^:1:1: it holds nothing; a config file is an object: \{\}$/],
    ["// all is commented out\n", /^:1:1: it holds nothing/],
    ["[]", /^:1:1: a config file is an object, not a list$/],
    ['{\n  "maxSteps" 3\n}', /^:2:14: .*colon expected, but there is 3$/],
    ['{\n  "maxSteps": 3,\r\n  "model": "x', /^:3:12: .*unexpected end of string/],
    ['{ "maxSteps": 3', /close brace expected, but the file ends$/],
    ['{ "maxSteps": nope }', /^:1:15: .*but there is nope$/],
    ['{} {"x": 1}', /^:1:4: .*end of file expected/],
    ['{\n  "modle": "x"\n}', /^:2:3: unknown key "modle"; did you mean "model"\?$/],
    ['{ "max-steps": 1 }', /unknown key "max-steps"; did you mean "maxSteps"\?$/],
    ['{ "--no-exec": true }', /did you mean "noExec"\?$/],
    ['{ "timeoutMs": 90 }', /unknown key "timeoutMs"; did you mean "timeout"\?$/],
    ['{ "frobnicate": 1 }', /unknown key "frobnicate"; the keys are options in camelCase/],
    ['{ "__proto__": {} }', /unknown key "__proto__"/],
    ['{ "maxSteps": "3" }', /^:1:15: "maxSteps" must be a number, not a text$/],
    ['{ "maxSteps": 0 }', /"maxSteps" must be a whole number of at least 1, not 0$/],
    ['{ "maxSteps": 1.5 }', /not 1\.5$/],
    ['{ "maxCost": -1 }', /"maxCost" must be a number such as 2 or 0\.25, not -1$/],
    ['{ "noExec": 1 }', /"noExec" must be true or false, not a number$/],
    ['{ "noExec": null }', /not null$/],
    ['{ "allowExec": "git" }', /"allowExec" must be a list of texts .*, not a text$/],
    ['{ "allowExec": [1] }', /must be a list of texts/],
    ['{ "allowExec": ["git", ""] }', /"allowExec" holds an empty entry: "allowExec": \["NAMES"\]$/],
    ['{ "allowExec": ["/bin/sh"] }', /"allowExec" takes names of commands such as git/],
    ['{ "allowNet": ["https://a.example/x"] }', /"allowNet"/],
    ['{ "model": "" }', /"model" is empty: "model": "NAME"$/],
    ['{ "timeout": "soon" }', /"timeout" must be a time .* not soon$/],
    ['{ "timeout": {} }', /"timeout" must be a time such as "30m".*, not an object$/],
    ['{ "approve": "always" }', /must be one of prompt, stdio, auto, deny, wait, not always$/],
    ['{ "approve": "stdio" }', /"approve" cannot be stdio in a file/],
    ['{ "baseUrl": "localhost:1" }', /"baseUrl": The base URL must start with http/],
    ['{ "db": ":memory:" }', /that is "ephemeral": true$/],
    ['{ "model": "a",\n"model": "b" }', /^:2:1: "model" stands twice, first in line 1$/],
    ['{ "noExec": true,\n "allowExec": ["git"] }', /^:2:2: "allowExec" and "noExec" exclude/],
    ['{ "quiet": true, "verbose": true }', /"verbose" and "quiet" exclude/],
  ];
  for (const [content, told] of cases) match(await refusal(content), told);
  equal(await refusal(new Uint8Array([0x7b, 0xff, 0x7d])), ": it is not UTF-8 text");
  equal(await refusal("[".repeat(60_000)), ": it is nested too deep");
});

Deno.test("config: a key that says nothing clashes with nothing", async () => {
  await read('{ "noExec": false, "allowExec": ["git"] }');
  await read('{ "noNetwork": true, "allowNet": [] }');
});

Deno.test("config: an option that belongs to one invocation is refused by name", async () => {
  for (const key of ["session", "continue", "json", "help", "version", "offline", "yes"]) {
    match(await refusal(`{ "${key}": true }`), new RegExp(`"${key}" cannot be set in a file`));
  }
  match(await refusal('{ "noConfig": true }'), /"noConfig" cannot be set in a file/);
});

Deno.test("config: a key of the endpoint is refused with the way out, and not shown", async () => {
  const secret = "sk-test-ABCDEFGH12345678";
  for (
    const content of [
      `{ "apiKey": "${secret}" }`,
      `{ "OPENAI_API_KEY": "${secret}" }`,
      `{ "token": "${secret}" }`,
      `{ "baseUrl": "https://user:${secret}@a.example/v1" }`,
      `{ "secret": ["OPENAI_API_KEY=${secret}"] }`,
      `{ "secret": ["${secret}"] }`,
      `{ "baseUrl": "https://a.example/v1?key=${secret}" }`,
    ]
  ) {
    const told = await refusal(content);
    match(told, /OPENAI_API_KEY|names of variables/);
    equal(told.includes(secret), false);
  }
});

Deno.test("config: control characters of a file do not reach a message", async () => {
  const told = await refusal('{ "a\\u001b[2J\\u202eb": 1, }');
  match(told, /unknown key "a\\x1b\[2J\\u202eb"/);
});

Deno.test("config: what init writes sets nothing, and every line of it can be switched on", async () => {
  const [config] = starterFiles();
  const text = config?.text ?? "";
  deepEqual(await read(text), {});
  const lines = text.split("\n").filter((line) => /^ {2}\/\/ "/.test(line));
  const expected = OPTIONS.filter(({ field }) => OPTION_USES[field].sample !== undefined);
  equal(lines.length, expected.length);
  for (const [index, line] of lines.entries()) {
    const key = configKey(expected[index]!);
    deepEqual(Object.keys(await read(`{ ${line.replace("//", "")} }`)), [key]);
  }
});

Deno.test("config: only options that a file may set have an example", () => {
  for (const use of Object.values(OPTION_USES)) {
    if (use.inFile === "refused") equal(use.sample, undefined);
  }
});
